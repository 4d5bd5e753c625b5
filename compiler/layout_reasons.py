"""Layout reasons: why a buffer has its layout and why a restickify is there, in words with figures.

Owns the sentences of assign-layouts and insert-restickify.  Refuses to decide: it only words a choice that was made.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.copies import is_pure_copy
from compiler.counts import counted
from compiler.elementwise_rules import reduces_along_stick
from compiler.layout import Arrangement, StickLayout
from compiler.loops import Buffer, BufferKind, LoopOp, LoopProgram, OpKind
from compiler.opaque_rules import search_of
from compiler.operands import spreads
from compiler.stick_flips import StickFlips
from compiler.stick_prices import StickPrices
from compiler.stick_search import Outcome
from compiler.stick_ways import StickWays

NS_PER_US = 1000
_FILLED = {
    BufferKind.INPUT: "the host fills an input",
    BufferKind.PARAMETER: "the host fills a parameter",
    BufferKind.CONSTANT: "the host fills a constant",
}
_OTHERS = 2


@dataclass(frozen=True, slots=True)
class Told:
    """What there is to tell about: the result of a search, and the buffers whose stick was pinned."""

    program: LoopProgram
    ways: StickWays
    prices: StickPrices
    found: Outcome
    pinned: frozenset[str]

    def layout(self, name: str) -> StickLayout:
        """The layout chosen for a buffer."""
        return self.ways.layouts[self.found.layouts[name]]


def tell(told: Told) -> dict[str, str]:
    """A reason per buffer, keyed `layout:BUFFER`."""
    flips = StickFlips(told.program, told.ways, told.prices, told.found)
    reasons: dict[str, str] = {}
    for buffer in told.program.buffers:
        if buffer.kind is not BufferKind.COMPUTED:
            reasons[f"layout:{buffer.name}"] = _filled_reason(told, flips, buffer)
    for op in told.program.ops:
        for access in op.writes:
            if f"layout:{access.buffer}" not in reasons:
                buffer = told.ways.scene.buffers[access.buffer]
                reasons[f"layout:{access.buffer}"] = _output_reason(told, flips, op, buffer)
    return reasons


def _filled_reason(told: Told, flips: StickFlips, buffer: Buffer) -> str:
    layout = told.layout(buffer.name)
    if buffer.name not in told.ways.weights:
        return f"{sticks(buffer, layout)}; {_FILLED[buffer.kind]} in the default layout"
    pinned = "; pinned" if buffer.name in told.pinned else ""
    others = _others(told, flips, buffer)
    laid_out = f"the host lays a {buffer.kind} out once, when it loads it"
    return f"{sticks(buffer, layout)}; {laid_out}{pinned}" + (f"; {others}" if others else "")


def _output_reason(told: Told, flips: StickFlips, op: LoopOp, buffer: Buffer) -> str:
    """Why the result of an op has its layout, what that moves, and what other layouts would."""
    layout, candidate = told.layout(buffer.name), told.found.ways[op.name].candidate
    parts = [sticks(buffer, layout, candidate.loop), _origin(told, op, layout)]
    if layout.arrangement is not Arrangement.STANDARD:
        parts.append(f"arranged {layout.arrangement} by the change of width")
    if buffer.name in told.pinned:
        parts.append("pinned")
    moved = flips.moved(op)
    parts.append(f"{_amount(told.prices, moved)} restickified for it" if moved else "nothing restickified for it")
    parts.append(_others(told, flips, buffer))
    return "; ".join(part for part in parts if part)


def _others(told: Told, flips: StickFlips, buffer: Buffer) -> str:
    """`with sticks of dim 0 instead 524,288 elements more`: what other layouts of this buffer alone would change."""
    if buffer.elements <= 1:
        return ""
    present, found = told.found.layouts[buffer.name], list[tuple[int, str]]()
    mine = sticks(buffer, told.layout(buffer.name))
    for number in flips.menu(buffer.name):
        if number == present:
            continue
        change, name = flips.change(buffer.name, number), sticks(buffer, told.ways.layouts[number])
        if change is not None and all(name != known for known in (mine, *(other for _, other in found))):
            found.append((change, name))
    if not found:
        return "no other way" if len(told.ways.scene.writers.get(buffer.name, ())) else ""
    words = (f"with {name} instead {_difference(told.prices, change)}" for change, name in sorted(found)[:_OTHERS])
    return ", ".join(words)


def _difference(prices: StickPrices, change: int) -> str:
    if not change:
        return "as much"
    return f"{_amount(prices, abs(change))} {'more' if change > 0 else 'fewer'}"


def _amount(prices: StickPrices, price: int) -> str:
    return counted(price, "device element") if prices.unit == "elements" else f"{price / NS_PER_US:,.2f} µs"


def sticks(buffer: Buffer, layout: StickLayout, loop: str | None = None) -> str:
    """`sticks of dim 1 (j)`, or `one value per stick`."""
    if buffer.elements <= 1:
        return "a single value"
    if spreads(layout, buffer):
        return "one value per stick"
    return f"sticks of dim {layout.stick_dim}" + (f" ({loop})" if loop else "")


def _origin(told: Told, op: LoopOp, layout: StickLayout) -> str:
    candidate = told.found.ways[op.name].candidate
    if op.kind is OpKind.OPAQUE:
        searches = search_of(op, told.ways.scene) is not None
        return "the host searches never along a stick" if searches else "the host writes the default layout"
    if reduces_along_stick(op, candidate):
        return f"{candidate.loop} is reduced along the stick"
    if op.kind in (OpKind.MATMUL, OpKind.CONV):
        return "the columns of the second operand" if candidate.loop else ""
    for access in op.reads:
        if access.index == op.write.index and told.layout(access.buffer).stick_dim == layout.stick_dim:
            return f"keeps the layout of {access.buffer}"
    if is_pure_copy(op, told.ways.scene.buffers) and candidate.loop and not told.found.ways[op.name].moves:
        return f"copied from {sticks(told.ways.scene.buffers[op.reads[0].buffer], told.layout(op.reads[0].buffer))}"
    return "" if op.reads else "nothing is read, its readers like it so"


def edit_reason(
    op: LoopOp,
    source: Buffer,
    layouts: tuple[StickLayout, StickLayout],
    loop: str | None,
    instead: tuple[str | None, int] | None,
) -> str:
    """Why a restickify from one layout to another stands before an op, what it moves, and what the next best way to
    run that op (its stick loop and host elements) would move."""
    present, target = layouts
    change = f"{sticks(source, target)} in place of {sticks(source, present)}"
    if present.stick_dim == target.stick_dim and present.elements_per_stick != target.elements_per_stick:
        change = f"{target.elements_per_stick} lanes in place of {present.elements_per_stick}"
    elif present.stick_dim == target.stick_dim:
        change = f"the order of elements {target.arrangement} in place of {present.arrangement}"
    because = f" because its sticks run along {loop}" if loop else ""
    other = ""
    if instead is not None:
        way = f"sticks of {instead[0]}" if instead[0] else "one value per stick"
        other = f"; next best for {op.name}, {way}: {instead[1]:,}"
    return f"{op.name} reads {source.name} with {change}{because}: {counted(source.elements, 'element')} moved{other}"
