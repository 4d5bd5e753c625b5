"""Validation of devices: whether the numbers of a device are ones that the compiler can divide, count and lay out by.

Owns the table of numbers with their bounds, and what must agree between them.  Refuses to know where a device was read:
files and saved plans go through the same rules.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frozendict import frozendict

from compiler.dtypes import DType
from compiler.errors import InputError
from compiler.layout import STICK_BYTES
from compiler.machine import NO_MACHINE, Machine
from compiler.validate_machine import validate_machine

if TYPE_CHECKING:
    from compiler.device import Device, Quantity

KINDS = ("published", "source", "fitted", "choice")
LEAST, MOST = 1e-12, 1e18  # products and quotients of such numbers stay within what a float holds
MOST_COUNT = 2**53
MOST_CORES = 4096
MOST_EXPONENT = 8


@dataclass(frozen=True, slots=True)
class Bounds:
    """The values a number may have, both ends included; `whole`: no fractions; `zero`: 0 is good too."""

    least: float = LEAST
    most: float = MOST
    whole: bool = False
    zero: bool = False

    def fault(self, value: float) -> str:
        """What a value out of bounds should have been; '' if it is good."""
        if self.zero and value == 0:
            return ""
        low = 0 if self.zero else self.least
        if not self.least <= value <= self.most:
            return f"give a {'whole ' if self.whole else ''}number from {written(low)} to {written(self.most)}"
        return "give a whole number" if self.whole and not value.is_integer() else ""


_SIZE = Bounds(1, MOST_COUNT, whole=True)
_COUNT = Bounds(1, MOST_CORES, whole=True)
_RATE = Bounds()
_SHARE = Bounds(zero=True)  # a weight or a time that may be left out of the sum
_EXPONENT = Bounds(LEAST, MOST_EXPONENT, zero=True)
_ROWS = Bounds(LEAST, MOST_COUNT)

NUMBERS: frozendict[str, Bounds] = frozendict(
    {
        "cores": _COUNT,
        "stick_bytes": Bounds(STICK_BYTES, STICK_BYTES, whole=True),
        "lx_bytes": _SIZE,
        "lx_program_bytes": Bounds(1, MOST_COUNT, whole=True, zero=True),
        "lx_backend_fraction": Bounds(LEAST, 1, zero=True),
        "span_limit_bytes": Bounds(STICK_BYTES, MOST_COUNT, whole=True),
        "loop_trip_limit": _SIZE,
        "hbm_usable_bytes": _SIZE,
        "hbm_peak_bytes_per_us": _RATE,
        "hbm_one_way_bytes_per_ns": _RATE,
        "hbm_turnaround_ns_per_byte": _SHARE,
        "restickify_bytes_per_ns": _RATE,
        "dma_burst_bytes": Bounds(STICK_BYTES, MOST_COUNT, whole=True),
        "request_ns_cores_1": _SHARE,
        "request_ns_cores_2": _SHARE,
        "request_ns_cores_4": _SHARE,
        "request_ns_cores_8": _SHARE,
        "request_ns_cores_16": _SHARE,
        "request_ns_cores_32": _SHARE,
        "transpose_bytes_per_ns_core": _RATE,
        "reduction_bytes_per_ns": _RATE,
        "reduction_few_rows_bytes_per_ns": _SHARE,
        "reduction_rows": _ROWS,
        "reduction_share_cores_1": _RATE,
        "reduction_share_cores_2": _RATE,
        "reduction_share_cores_4": _RATE,
        "reduction_share_cores_8": _RATE,
        "reduction_share_cores_16": _RATE,
        "reduction_share_cores_32": _RATE,
        "across_rows_bytes_per_ns": _RATE,
        "concat_bytes_per_ns": _RATE,
        "concat_per_columns": _SHARE,
        "concat_per_rows": _SHARE,
        "concat_least_bytes_per_ns": _RATE,
        "swap_bytes_per_ns": _RATE,
        "swap_per_columns": _SHARE,
        "swap_per_rows": _SHARE,
        "swap_least_bytes_per_ns": _RATE,
        "swap_few": _SIZE,
        "swap_per_few": _SHARE,
        "swap_few_least_bytes_per_ns": _RATE,
        "stack_bytes_per_ns": _RATE,
        "stack_per_columns": _SHARE,
        "stack_least_bytes_per_ns": _RATE,
        "broadcast_tall_rows": _SIZE,
        "broadcast_wide_columns": _SIZE,
        "broadcast_wide_balance": _SHARE,
        "broadcast_wide_least_bytes_per_ns": _RATE,
        "row_tall_bytes_per_ns": _RATE,
        "row_tall_per_columns": _SHARE,
        "row_tall_per_rows": _SHARE,
        "row_tall_least_bytes_per_ns": _RATE,
        "row_tall_most_bytes_per_ns": _RATE,
        "row_short_bytes_per_ns": _SHARE,
        "row_short_per_rows": _SHARE,
        "row_short_curve": _SHARE,
        "row_short_per_columns": _SHARE,
        "row_short_least_bytes_per_ns": _RATE,
        "row_short_most_bytes_per_ns": _RATE,
        "row_wide_bytes_per_ns": _RATE,
        "row_wide_per_columns": _SHARE,
        "row_wide_per_rows": _SHARE,
        "row_wide_most_bytes_per_ns": _RATE,
        "column_tall_bytes_per_ns": _RATE,
        "column_tall_per_columns": _SHARE,
        "column_tall_per_rows": _SHARE,
        "column_tall_least_bytes_per_ns": _RATE,
        "column_tall_most_bytes_per_ns": _RATE,
        "column_short_bytes_per_ns": _SHARE,
        "column_short_per_rows": _SHARE,
        "column_short_curve": _SHARE,
        "column_short_per_columns": _SHARE,
        "column_short_least_bytes_per_ns": _RATE,
        "column_short_most_bytes_per_ns": _RATE,
        "column_wide_bytes_per_ns": _RATE,
        "column_wide_per_columns": _SHARE,
        "column_wide_per_rows": _SHARE,
        "column_wide_most_bytes_per_ns": _RATE,
        "bundled_fill_rows": _ROWS,
        "bundled_fill_exponent": _EXPONENT,
        "reread_area": _SIZE,
        "reread_long_us": _SHARE,
        "reread_long_splits": _ROWS,
        "reread_short_us": _SHARE,
        "reread_short_splits": _ROWS,
        "replicated_bytes_per_ns_core": _RATE,
        "hbm_one_way_bytes_per_ns_core": _RATE,
        "indirect_store_bytes_per_ns_core": _RATE,
        "looped_input_bytes_per_ns": _RATE,
        "invariant_operand_share": _SHARE,
        "tile_rows": _ROWS,
        "tile_rows_exponent": _EXPONENT,
        "tile_columns": _ROWS,
        "tile_columns_exponent": _EXPONENT,
        "tile_best": _RATE,
        "tile_least": _RATE,
        "tile_least_exponent": _EXPONENT,
        "matmul_tile_rows": _ROWS,
        "matmul_tile_exponent": _EXPONENT,
        "matmul_tile_best": _RATE,
        "matmul_tile_least_rows": _ROWS,
        "matmul_tile_least_exponent": _EXPONENT,
        "overflow_bytes": _SIZE,
        "overflow_exponent": _EXPONENT,
        "matmul_overflow_bytes": _SIZE,
        "matmul_overflow_exponent": _EXPONENT,
        "relayout_bytes_per_ns_core": _RATE,
        "relayout_run_ns": _SHARE,
        "relayout_run_ns_per_doubling": _SHARE,
        "relayout_least_split": _ROWS,
        "relayout_most_split": _ROWS,
        "relayout_fan_limit": _SIZE,
        "joint_overlap": Bounds(LEAST, 1, zero=True),
        "planner_mac_per_us_core": _RATE,
        "sustained_mac_per_ns_core": _RATE,
        "batched_mac_per_ns_core": _RATE,
        "batched_least_batch": _SIZE,
        "batched_least_cores": _SIZE,
        "half_batched_mac_per_ns_core": _RATE,
        "half_batched_few_mac_per_ns_core": _RATE,
        "half_batched_few": _SIZE,
        "fused_reduction_elements_per_ns_core": _RATE,
        "fill_rows": _ROWS,
        "fill_floor_rows": _ROWS,
        "fill_exponent": _EXPONENT,
        "partial_sum_us_shared": _SHARE,
        "partial_sum_us_batched": _SHARE,
        "batch_step_us": _SHARE,
        "batch_step_rows": _SIZE,
        "reader_fan_free": _ROWS,
        "reader_fan_exponent": _EXPONENT,
        "k_split_slowdown": _RATE,
        "prefer_m_lanes": _SHARE,
        "prefer_m_lanes_rows": _SIZE,
        "prefer_m_lanes_least": _SIZE,
        "prefer_short_m": _SHARE,
        "prefer_short_m_rows": _ROWS,
        "prefer_wide_n": _SHARE,
        "prefer_wide_n_columns": _ROWS,
        "prefer_bmm_k_over_n": _SHARE,
        "prefer_narrow_n": _SHARE,
        "prefer_narrow_n_columns": _ROWS,
        "prefer_narrow_n_tile": _ROWS,
        "prefer_shared_k_over_n": _SHARE,
        "prefer_idle_cores": _SHARE,
        "prefer_batch_split": _SHARE,
        "topk_per_core": _SIZE,
    }
)
"""What every device has."""

TIMING_NUMBERS: frozendict[str, Bounds] = frozendict(
    {
        "corelets": _COUNT,
        "dma_bytes_per_ns_core": _RATE,
        "vector_bytes_per_ns_core": _RATE,
        "ring_bytes_per_ns": _RATE,
        "transfer_tile_bytes": Bounds(STICK_BYTES, MOST_COUNT, whole=True),
        "transfer_buffers": Bounds(1, 2, whole=True),
        "inner_tile_bytes": Bounds(STICK_BYTES, MOST_COUNT, whole=True),
        "kernel_launch_ns": _SHARE,
    }
)
"""What a device with a machine has, too; others may have it."""

OTHER_NUMBERS: frozendict[str, Bounds] = frozendict({"vector_register_bytes": _SIZE, "fifo_entries": _SIZE})
"""What a device may have for programs of others: the description for the dataflow scheduler needs it."""


def validate_device(device: Device, what: str) -> None:
    """InputError that names the first number or part of the machine which is missing, unknown or impossible; `what`
    names the device."""
    if not device.name or not device.title:
        raise InputError(what, f"its {'title' if device.name else 'name'} is empty", "give the device one")
    validate_machine(device.machine, what)
    _names(device, what)
    for key, quantity in device.numbers.items():
        _number(key, quantity, what)
    for owner, part, key, bounds in _named(device.machine):
        remedy = bounds.fault(device.number(key))
        if remedy:
            why = f"the {part} of the {owner} is '{key}', which is {written(device.number(key))}"
            raise InputError(what, why, remedy)
    _lanes(device.elements_per_stick, what)
    lx, program = device.count("lx_bytes"), device.count("lx_program_bytes")
    if program >= lx:
        why = f"lx_program_bytes is {program} and lx_bytes {lx}, which leaves nothing for tensors"
        raise InputError(what, why, "give a larger lx_bytes")
    if device.machine != NO_MACHINE:
        _buffers(device, what)


def _buffers(device: Device, what: str) -> None:
    """What is on its way has to have room in the scratchpad that it goes to."""
    buffers, tile, lx = (device.count(key) for key in ("transfer_buffers", "transfer_tile_bytes", "lx_bytes"))
    if buffers * tile > lx:
        why = f"transfer_tile_bytes is {tile} and transfer_buffers {buffers}, which is more than the {lx} of lx_bytes"
        most = lx // buffers // STICK_BYTES * STICK_BYTES
        raise InputError(what, why, f"give a transfer_tile_bytes up to {most}" if most else "give a larger lx_bytes")


def _names(device: Device, what: str) -> None:
    own = {key for _, _, key, _ in _named(device.machine)}
    known = {**NUMBERS, **TIMING_NUMBERS, **OTHER_NUMBERS}
    for owner, part, key, _ in _named(device.machine):
        if key not in device.numbers and key not in known:
            near = difflib.get_close_matches(key, device.numbers, 1)
            hint = f"write {near[0]}" if near else f"add [{key}] with value, unit, kind and source"
            raise InputError(what, f"the {part} of the {owner} is '{key}', which is no number of the device", hint)
    unknown = next((key for key in device.numbers if key not in known and key not in own), None)
    if unknown is not None:
        near = difflib.get_close_matches(unknown, known, 1)
        hint = f"write {near[0]}" if near else "remove it"
        raise InputError(what, f"'{unknown}' is not a number of a device", hint)
    needed = NUMBERS if device.machine == NO_MACHINE else {**NUMBERS, **TIMING_NUMBERS}
    missing = [key for key in needed if key not in device.numbers]
    if missing:
        more = f" ({len(missing) - 1} more are missing too)" if len(missing) > 1 else ""
        remedy = f"add [{missing[0]}] with value, unit, kind and source"
        raise InputError(what, f"the number '{missing[0]}' is missing{more}", remedy)


def _named(machine: Machine) -> list[tuple[str, str, str, Bounds]]:
    """The numbers that the machine names: of what, as what, which, and what it may be.  They may be of its own."""
    sizes = [(f"memory '{memory.name}'", "size", memory.size, _SIZE) for memory in machine.memories]
    shared = [(f"memory '{memory.name}'", "rate", memory.rate, _RATE) for memory in machine.memories if memory.rate]
    rates = [(f"unit '{unit.name}'", "rate", unit.rate, _RATE) for unit in machine.units]
    counts = [(f"unit '{unit.name}'", "instances", unit.instances, _COUNT) for unit in machine.units if unit.instances]
    return [*sizes, *shared, *rates, *counts]


def _number(key: str, quantity: Quantity, what: str) -> None:
    if not math.isfinite(quantity.value):
        raise InputError(what, f"{key} is {quantity.value}", "give a finite number")
    bounds = {**NUMBERS, **TIMING_NUMBERS, **OTHER_NUMBERS}.get(key)
    remedy = bounds.fault(quantity.value) if bounds else ""
    if remedy:
        raise InputError(what, f"{key} is {written(quantity.value)}", remedy)
    if quantity.kind not in KINDS:
        why = f"the kind of '{key}' is {quantity.kind!r}"
        raise InputError(what, why, f"use one of {', '.join(KINDS)}")
    if not quantity.source:
        raise InputError(what, f"'{key}' has no source", "say where the number comes from")


def _lanes(lanes: Mapping[DType, int], what: str) -> None:
    for dtype in DType:
        if dtype not in lanes:
            raise InputError(what, f"[elements_per_stick] has no count for {dtype}", "give the elements in one stick")
        fit = STICK_BYTES // dtype.device_bytes
        if lanes[dtype] != fit:
            why = f"elements_per_stick of {dtype} is {lanes[dtype]}, a stick of {STICK_BYTES} B holds {fit}"
            raise InputError(what, why, f"write {fit}")


def written(value: float) -> str:
    """A number as a person writes it: whole ones without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e16 else repr(value)
