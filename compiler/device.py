"""Device: one TOML of `resources/devices/`, loaded once, with the source of every number.

Owns the hardware numbers.  Refuses a file with a missing, misnamed or impossible number: the error names it.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from frozendict import frozendict

from compiler.dtypes import DType
from compiler.errors import InputError

KINDS = ("published", "source", "fitted", "choice")
STICK_FORMATS = tuple(DType)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, kind (published, source, fitted, choice) and source."""

    value: float
    unit: str
    kind: str
    source: str


REQUIRED = (
    "cores",
    "stick_bytes",
    "lx_bytes",
    "lx_program_bytes",
    "lx_backend_fraction",
    "span_limit_bytes",
    "loop_trip_limit",
    "hbm_usable_bytes",
    "hbm_peak_bytes_per_us",
    "hbm_one_way_bytes_per_ns",
    "hbm_turnaround_ns_per_byte",
    "restickify_bytes_per_ns",
    "planner_mac_per_us_core",
    "sustained_mac_per_ns_core",
    "fused_reduction_elements_per_ns_core",
    "fill_rows",
    "fill_floor_rows",
    "fill_exponent",
    "partial_sum_us_shared",
    "partial_sum_us_batched",
    "batch_step_us",
    "batch_step_rows",
    "reader_fan_free",
    "reader_fan_exponent",
    "k_split_slowdown",
    "prefer_m_lanes",
    "prefer_m_lanes_rows",
    "prefer_m_lanes_least",
    "prefer_short_m",
    "prefer_short_m_rows",
    "prefer_wide_n",
    "prefer_wide_n_columns",
    "prefer_bmm_k_over_n",
    "prefer_narrow_n",
    "prefer_narrow_n_columns",
    "prefer_narrow_n_tile",
    "prefer_shared_k_over_n",
    "prefer_idle_cores",
    "prefer_batch_split",
    "topk_per_core",
)


@dataclass(frozen=True, slots=True)
class Device:
    """A target.  `elements_per_stick` maps element types to lanes; every other number is in `numbers`."""

    name: str
    title: str
    numbers: frozendict[str, Quantity]
    elements_per_stick: frozendict[DType, int]

    def number(self, key: str) -> float:
        """The value of a number of the device file; InputError if the file has none."""
        if key not in self.numbers:
            raise InputError(
                f"device {self.name}", f"it has no number '{key}'", f"add [{key}] with value, unit, kind and source"
            )
        return self.numbers[key].value

    def count(self, key: str) -> int:
        """A number that is a whole count or a size in bytes."""
        return int(self.number(key))

    @property
    def cores(self) -> int:
        """Cores to plan for."""
        return self.count("cores")

    @property
    def stick_bytes(self) -> int:
        """Bytes of one stick; every address is a multiple of it."""
        return self.count("stick_bytes")

    @property
    def span_limit_bytes(self) -> int:
        """Largest span of one tensor a core may walk, inclusive."""
        return self.count("span_limit_bytes")

    @property
    def lx_budget_bytes(self) -> int:
        """LX bytes per core the planner may use: the front end's share, rounded up to a stick (facts 1.3)."""
        managed = self.count("lx_bytes") - self.count("lx_program_bytes")
        share = int(managed * (1 - self.number("lx_backend_fraction")))
        return -(-share // self.stick_bytes) * self.stick_bytes

    def lanes(self, dtype: DType) -> int:
        """Elements of this type in one stick; bool counts as fp16 unless its layout says otherwise."""
        return self.elements_per_stick[dtype]

    def with_cores(self, cores: int) -> Device:
        """The same device limited to 1..all of its cores."""
        if not 1 <= cores <= self.cores:
            raise InputError(f"--cores {cores}", f"{self.title} has {self.cores} cores", f"use 1 to {self.cores}")
        return self.with_number("cores", cores)

    def with_number(self, key: str, value: float) -> Device:
        """The same device with one number changed, marked as a choice."""
        self.number(key)
        changed = replace(self.numbers[key], value=float(value), kind="choice")
        return replace(self, numbers=self.numbers.set(key, changed))


def device_names() -> tuple[str, ...]:
    """Names of the bundled device files."""
    folder = resources.files("resources").joinpath("devices")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def load_device(name_or_path: str) -> Device:
    """Load a bundled device by name or any device file by path."""
    if name_or_path in device_names():
        text = resources.files("resources").joinpath("devices", f"{name_or_path}.toml").read_text("utf-8")
        return parse_device(text, name_or_path)
    path = Path(name_or_path)
    if not path.is_file():
        known = ", ".join(device_names())
        raise InputError(
            f"device {name_or_path}", "there is no such device or file", f"use one of {known}, or a .toml file"
        )
    try:
        return parse_device(path.read_text("utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise InputError(f"device file {path}", "it is not a text file", "choose a device .toml file") from error


def parse_device(text: str, origin: str) -> Device:
    """Read a device from TOML text; `origin` names it in errors."""
    what = f"device file {origin}"
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(what, f"it is not valid TOML ({error})", "correct the line named") from error
    name, title = table.pop("name", None), table.pop("title", None)
    sticks = table.pop("elements_per_stick", None)
    if not isinstance(name, str) or not isinstance(title, str) or not isinstance(sticks, dict):
        raise InputError(what, "it lacks name, title or [elements_per_stick]", "start from a bundled device file")
    numbers = frozendict((key, _quantity(what, key, value)) for key, value in table.items())
    missing = [key for key in REQUIRED if key not in numbers]
    if missing:
        remedy = f"add [{missing[0]}] with value, unit, kind and source"
        raise InputError(what, f"the number '{missing[0]}' is missing" + _and_more(missing), remedy)
    device = Device(name, title, numbers, _lanes(what, sticks))
    _check_sense(what, device)
    return device


def _and_more(missing: list[str]) -> str:
    return f" ({len(missing) - 1} more are missing too)" if len(missing) > 1 else ""


def _quantity(what: str, key: str, entry: object) -> Quantity:
    if not isinstance(entry, Mapping):
        raise InputError(what, f"'{key}' is not a table", "write value, unit, kind and source")
    value, unit, kind, source = (entry.get(field) for field in ("value", "unit", "kind", "source"))
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(what, f"'{key}' has no finite number as its value", "give a number")
    if not isinstance(unit, str) or not isinstance(source, str) or not source or kind not in KINDS:
        raise InputError(what, f"'{key}' lacks unit, source or a kind of {', '.join(KINDS)}", "complete the entry")
    return Quantity(float(value), unit, str(kind), source)


def _lanes(what: str, sticks: dict[str, object]) -> frozendict[DType, int]:
    lanes: dict[DType, int] = {}
    for dtype in STICK_FORMATS:
        count = sticks.get(dtype.value)
        if isinstance(count, bool) or not isinstance(count, int) or count <= 0:
            raise InputError(
                what, f"[elements_per_stick] has no count for {dtype.value}", "give the elements in one stick"
            )
        lanes[dtype] = count
    return frozendict(lanes)


def _check_sense(what: str, device: Device) -> None:
    fraction = device.number("lx_backend_fraction")
    if not 0 <= fraction <= 1:
        raise InputError(what, f"lx_backend_fraction is {fraction}, not within 0 to 1", "give a fraction")
    for key in ("cores", "stick_bytes", "lx_bytes", "span_limit_bytes", "hbm_usable_bytes", "hbm_one_way_bytes_per_ns"):
        if device.number(key) <= 0:
            raise InputError(what, f"{key} is {device.number(key)}", "give a number above 0")
    if device.cores != device.number("cores"):
        raise InputError(what, f"cores is {device.number('cores')}", "give a whole number")
