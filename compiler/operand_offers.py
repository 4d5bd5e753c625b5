"""Operand offers: the layouts in which an operand would suit its op if the others did not matter.

Owns the list that a refusal ends with, so that a person sees where the operands disagree.  Refuses to weigh them
against each other.
"""

from __future__ import annotations

from compiler.elementwise_rules import ACROSS_STICK_ONLY
from compiler.loops import Load, LoopOp, OpKind
from compiler.operands import Operand, Setting, default_order, dense_layout, spreads
from compiler.scene import Layouts, Scene

ANY = "any layout"
SINGLE = "one value per stick"
NONE = "no layout"
LISTED = 4
_ORDINALS = ("first", "second", "third", "fourth")


def offers(scene: Scene, op: LoopOp, layouts: Layouts) -> str:
    """`candidates for a: sticks of dim 1 (k); for b: sticks of dim 0 (i) or 1 (j)`; '' for an op on the host."""
    if op.kind is OpKind.OPAQUE:
        return ""
    reads, _ = scene.operands(op, layouts)
    offered = [(read.buffer.name, _offer(op, read, _suited(op, reads, read))) for read in reads]
    lines = list(
        dict.fromkeys(f"for {_told_apart(offered, place)}: {offered[place][1]}" for place in range(len(reads)))
    )
    more = [f"and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    return "candidates " + "; ".join([*lines[:LISTED], *more]) if lines else ""


def _told_apart(offered: list[tuple[str, str]], place: int) -> str:
    """The name of an operand, and which of its reads it is where they differ in what they suit."""
    name, offer = offered[place]
    own = [other for known, other in offered if known == name]
    if len(set(own)) == 1:
        return name
    earlier = sum(known == name for known, _ in offered[: offered.index((name, offer))])
    return f"the {_ORDINALS[earlier] if earlier < len(_ORDINALS) else f'{earlier + 1}th'} read of {name}"


def _suited(op: LoopOp, reads: tuple[Operand, ...], operand: Operand) -> frozenset[str]:
    """Loops that an operand may have on its stick by the kind of the op."""
    outputs, reduced = ([loop.name for loop in loops] for loops in (op.output_loops, op.reduction_loops))
    if op.kind in (OpKind.MATMUL, OpKind.CONV):
        left = _first_factor(op, reads)
        return frozenset(reduced if operand is left else (name for name in outputs if not left.carries(name)))
    return frozenset(outputs if op.combine in ACROSS_STICK_ONLY else (*outputs, *reduced))


def _first_factor(op: LoopOp, reads: tuple[Operand, ...]) -> Operand:
    load = op.body[op.results[0]]
    return next((read for read in reads if isinstance(load, Load) and read.number == load.read), reads[0])


def _offer(op: LoopOp, read: Operand, loops: frozenset[str]) -> str:
    if not any(read.carries(loop.name) for loop in op.loops):
        return ANY
    if read.layout is not None and spreads(read.layout, read.buffer):
        return f"{SINGLE} only"
    dims = [(dim, loop) for dim in range(len(read.buffer.shape)) for loop in [_along(read, dim, loops)] if loop]
    words = ["sticks of dim " + " or ".join(f"{dim} ({loop})" for dim, loop in dims)] if dims else []
    vector = sum(size > 1 for size in read.buffer.shape) <= 1
    words += [SINGLE] if vector and op.kind in (OpKind.POINTWISE, OpKind.REDUCTION) else []
    return ", or ".join(words) or NONE


def _along(read: Operand, dim: int, loops: frozenset[str]) -> str:
    """The loop that this dim's sticks follow lane by lane, if it is one of `loops`; '' if there is none."""
    if read.buffer.shape[dim] <= 1:
        return ""
    layout = dense_layout(read.buffer, default_order(read.buffer, dim), read.lanes)
    settings = (Setting(loop, read.lanes, bool_lanes=read.lanes) for loop in sorted(loops) if read.carries(loop))
    return next((setting.loop or "" for setting in settings if not read.fault(layout, setting)), "")
