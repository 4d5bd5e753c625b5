"""Rules of op specifications: what the front end checks before it writes files (facts 2.3).

Owns one sentence per rule.  Refuses judgement on plans: a specification may keep all rules and be slow or wrong.
"""

from __future__ import annotations

from typing import Final

from compiler.formats.opspec import CONTRACTIONS, OpSpec, Room, TensorArg

_FOLDS: Final = frozenset({"sum", "mean", "max", "min", "prod", "exx2", "topkvalue", "topkindex"})
_BINARY: Final = frozenset({"add", "sub", "mul", "realdiv", "maximum", "minimum", "equal", "notequal"})
STICK_BYTES: Final = 128


def broken_rule(spec: OpSpec) -> str:
    """The first rule that a specification breaks, in words; '' if it keeps all."""
    if not spec.op:
        return "the op has no name"
    if not spec.args or spec.args[-1].is_input:
        return "it has no output"
    for place, arg in enumerate(spec.args):
        rule = _of_argument(arg, spec)
        if rule:
            return f"argument {place} {rule}"
    if spec.op in CONTRACTIONS and (len(spec.inputs) < 2 or not spec.is_reduction):
        return f"{spec.op} needs two inputs and is a reduction"
    if spec.op in _FOLDS and not spec.is_reduction:
        return f"{spec.op} is a reduction"
    if spec.op in _BINARY and len(spec.inputs) < 2:
        return f"{spec.op} needs two inputs"
    cut = sorted(dim.symbol for dim in spec.iteration if dim.slices > 1)
    if spec.fastest and sorted(spec.fastest) != cut:
        return "the order of its slices does not name the dims that are cut"
    return ""


def _of_argument(arg: TensorArg, spec: OpSpec) -> str:
    if not arg.device_size or len(arg.device_size) != len(arg.coordinates):
        return f"has {len(arg.device_size)} device dims and {len(arg.coordinates)} coordinates"
    if arg.argument < 0 and arg.place.room is Room.HBM:
        return "is an argument of the kernel without a number"
    if arg.place.room is not Room.HBM and arg.place.at % STICK_BYTES:
        return f"begins at byte {arg.place.at}, which is no whole number of sticks"
    known = spec.extents
    for coordinate in arg.coordinates:
        strange = sorted(name for name in coordinate.symbols if name not in known and not name.startswith("indirect"))
        if strange:
            return f"is walked by {strange[0]}, which the op does not have"
    return ""
