"""Layout reasons: why a buffer has its layout and why a restickify is there, in words with figures.

Owns the sentences of assign-layouts and insert-restickify.  Refuses to decide: it only words a choice that was made.
"""

from __future__ import annotations

from compiler.elementwise_rules import reduces_along_stick
from compiler.layout import Arrangement, StickLayout
from compiler.layout_choice import BARRED, Choice
from compiler.loops import Buffer, BufferKind, LoopOp, OpKind
from compiler.operands import spreads
from compiler.scene import Layouts

_FILLED = {
    BufferKind.INPUT: "the host fills an input",
    BufferKind.PARAMETER: "the host fills a parameter",
    BufferKind.CONSTANT: "the host fills a constant",
}


def input_reason(buffer: Buffer, layout: StickLayout) -> str:
    """Why a buffer that the host fills has its layout."""
    return f"{sticks(buffer, layout)}; {_FILLED[buffer.kind]} in the default layout"


def output_reason(op: LoopOp, buffer: Buffer, choice: Choice, layouts: Layouts, pinned: bool) -> str:
    """Why the result of an op has its layout, what that moves, and what the next best way would move."""
    layout = layouts[buffer.name]
    parts = [sticks(buffer, layout, choice.candidate.loop)]
    parts += [_origin(op, choice, layouts, layout)]
    parts += [f"arranged {layout.arrangement} by the change of width"] * (
        layout.arrangement is not Arrangement.STANDARD
    )
    parts += ["pinned"] * pinned
    return "; ".join([part for part in parts if part] + [figures(choice)])


def figures(choice: Choice) -> str:
    """Elements restickified and the alternative."""
    moved = f"{choice.elements:,} elements restickified"
    if choice.other_elements == BARRED:
        return f"{moved}, no other way"
    other = f"sticks of {choice.other_loop}" if choice.other_loop else "one value per stick"
    return f"{moved}, next best {other}: {choice.other_elements:,}"


def sticks(buffer: Buffer, layout: StickLayout, loop: str | None = None) -> str:
    """`sticks of dim 1 (j)`, or `one value per stick`."""
    if buffer.elements <= 1:
        return "a single value"
    if spreads(layout, buffer):
        return "one value per stick"
    return f"sticks of dim {layout.stick_dim}" + (f" ({loop})" if loop else "")


def _origin(op: LoopOp, choice: Choice, layouts: Layouts, layout: StickLayout) -> str:
    if op.kind is OpKind.OPAQUE:
        return "the host writes the default layout"
    if reduces_along_stick(op, choice.candidate):
        return f"{choice.candidate.loop} is reduced along the stick"
    if op.kind in (OpKind.MATMUL, OpKind.CONV):
        return "the columns of the second operand" if choice.candidate.loop else ""
    for access, need in zip(op.reads, choice.candidate.needs, strict=True):
        kept = need is not None and need == layouts.get(access.buffer)
        if kept and need is not None and need.stick_dim == layout.stick_dim and access.index == op.write.index:
            return f"keeps the layout of {access.buffer}"
    return "" if op.reads else "nothing is read, its readers like it so"


def edit_reason(op: LoopOp, source: Buffer, present: StickLayout, target: StickLayout, choice: Choice) -> str:
    """Why a restickify stands before an op, what it moves, and what the next best way would move."""
    change = f"{sticks(source, present)} to {sticks(source, target)}"
    if present.stick_dim == target.stick_dim and present.elements_per_stick != target.elements_per_stick:
        change = f"{present.elements_per_stick} to {target.elements_per_stick} lanes"
    elif present.stick_dim == target.stick_dim:
        change = f"order of elements {present.arrangement} to {target.arrangement}"
    because = f" because its sticks run along {choice.candidate.loop}" if choice.candidate.loop else ""
    other = ""
    if choice.other_elements != BARRED:
        way = f"sticks of {choice.other_loop}" if choice.other_loop else "one value per stick"
        other = f"; next best for {op.name}, {way}: {choice.other_elements:,}"
    return f"{op.name} reads {source.name} with {change}{because}: {source.elements:,} elements moved{other}"
