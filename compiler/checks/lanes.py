"""Lanes: where in its sticks an operand stands as a loop runs, and which widths go together.

Owns alignment and the pairs of arrangements that width-changing steps produce.  Refuses to know op kinds.
"""

from __future__ import annotations

import numpy as np

from compiler.checks.case import Operand
from compiler.checks.image import Image
from compiler.checks.radix import Array, Group
from compiler.dtypes import DType
from compiler.layout import Arrangement

WIDE, NARROW = 64, 32
CAST_PAIRS = {
    (Arrangement.STANDARD, Arrangement.F16_TO_F32),
    (Arrangement.F32_TO_F16, Arrangement.STANDARD),
}


def alignment_fault(image: Image, stick: str, modulus: int) -> str:
    """Why the column is not always the value of loop `stick` (0 if ''), both modulo `modulus`; '' if it is."""
    constant = -image.first(stick) if stick in image.digits.roots else 0
    for group in image.groups:
        first = ahead(image, group, image.columns(group), stick, modulus)
        if first is None:
            along = f"along {stick}" if stick in group.loops else f"with {' and '.join(group.loops)}"
            return f"moves through its sticks {along} in another way than one element per iteration"
        constant += first
    if constant % modulus:
        return f"starts at lane {constant % modulus} of a stick"
    return ""


def ahead(image: Image, group: Group, moved: Array | int, loop: str, modulus: int) -> int | None:
    """What a group adds (`moved`, a step or a table) less what it adds to a loop; None if that is not constant.

    Modulo `modulus`, or exactly for 0.
    """
    if isinstance(moved, int):
        digit = group.digits[0]
        step = moved - (image.counted(digit) if digit.loop == loop else 0)
        return None if _rest(step, modulus) and digit.size > 1 else 0
    for axis, digit in enumerate(group.digits):
        if digit.loop == loop:
            shape = [-1 if place == axis else 1 for place in range(len(group.digits))]
            values = np.arange(digit.size, dtype=np.int64).reshape(shape)
            moved = moved - image.counted(digit) * values
    moved = moved % modulus if modulus else moved
    first = int(moved.flat[0])
    return None if bool(np.any(moved != first)) else first


def _rest(step: int, modulus: int) -> int:
    return step % modulus if modulus else step


def width_fault(carriers: list[Operand]) -> str:
    """Why operands with a stick along one loop do not go together by width and arrangement; '' if they do."""
    by_lanes: dict[int, Operand] = {}
    for carrier in carriers:
        known = by_lanes.setdefault(carrier.lanes, carrier)
        if known.layout.arrangement is not carrier.layout.arrangement:
            return (
                f"{known.buffer.name} is arranged {known.layout.arrangement}, "
                f"{carrier.buffer.name} {carrier.layout.arrangement}"
            )
    bools = [carrier for carrier in carriers if carrier.buffer.dtype is DType.BOOL]
    others = {carrier.lanes for carrier in carriers if carrier.buffer.dtype is not DType.BOOL}
    for carrier in bools:
        if others and carrier.lanes not in others:
            return f"bool {carrier.buffer.name} has {carrier.lanes} lanes, the other operands {sorted(others)}"
    if len(by_lanes) == 1:
        return ""
    if set(by_lanes) != {WIDE, NARROW}:
        return f"has operands of {' and '.join(str(lanes) for lanes in sorted(by_lanes))} lanes, no step converts these"
    pair = (by_lanes[WIDE].layout.arrangement, by_lanes[NARROW].layout.arrangement)
    if pair in CAST_PAIRS:
        return ""
    return (
        f"{by_lanes[WIDE].buffer.name} is arranged {pair[0]} and {by_lanes[NARROW].buffer.name} {pair[1]}, "
        "a change of width pairs standard with f16-to-f32, or f32-to-f16 with standard"
    )
