"""Device form: the device dims of an argument with at most one iteration symbol each.

A device dim that several symbols walk, as 2*c0 + floor(c1/64) does after a reshape, is the same memory as several dims
with one of them each; dims of size 1 that nothing walks are no memory at all.  Owns that rewriting.  Refuses
coordinates that are not of that kind: the answer is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.formats.expression import ZERO, Atom, Expression, Floor, Mod, Symbol
from compiler.formats.opspec import TensorArg
from compiler.formats.simplify import joined, simplified


@dataclass(frozen=True, slots=True)
class DeviceDim:
    """A device dim but for the lane: its size, the symbol that walks it ('' for none), by how much it is ahead, and
    how many iterations make one step (1, or the elements of a stick)."""

    size: int
    symbol: str
    ahead: int
    per: int


@dataclass(frozen=True, slots=True)
class DeviceForm:
    """Dims from the outside to the inside; `lane` is the symbol along the stick ('' for none), `lanes` its elements,
    `lane_ahead` the lane that iteration 0 has."""

    dims: tuple[DeviceDim, ...]
    lane: str
    lanes: int
    lane_ahead: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of all device dims, the lane last."""
        return (*(dim.size for dim in self.dims), self.lanes)


def device_form(arg: TensorArg, extents: Mapping[str, int]) -> DeviceForm | None:
    """The form of an argument, for these extents of the symbols."""
    lane = _lane(arg.coordinates[-1], arg.lanes)
    if lane is None:
        return None
    dims: list[DeviceDim] = []
    for size, coordinate in _joined(arg, extents):
        parts = _parts(size, coordinate, extents)
        if parts is None:
            return None
        dims += parts
    walked = [dim.symbol for dim in dims if dim.symbol]
    return DeviceForm(tuple(dims), lane[0], arg.lanes, lane[1]) if len(set(walked)) == len(walked) else None


def _joined(arg: TensorArg, extents: Mapping[str, int]) -> list[tuple[int, Expression]]:
    """Sizes and coordinates of dims that are memory, neighbours that one index walks as one."""
    found: list[tuple[int, Expression]] = []
    for size, coordinate in zip(arg.device_size[:-1], arg.coordinates[:-1], strict=True):
        own = coordinate if _parts(size, coordinate, extents) else simplified(coordinate, extents)
        if size == 1 and own == ZERO:
            continue
        together = joined(found[-1][1], own, size) if found else None
        if together is None:
            found.append((size, own))
        else:
            found[-1] = found[-1][0] * size, together
    return found


def _lane(coordinate: Expression, lanes: int) -> tuple[str, int] | None:
    match coordinate:
        case Expression(constant, ()):
            return "", constant
        case Expression(0, ((Mod(Expression(ahead, ((Symbol(name), 1),)), by), 1),)) if by == lanes:
            return name, ahead
        case Expression(ahead, ((Symbol(name), 1),)):
            return name, ahead
    return None


def _parts(size: int, coordinate: Expression, extents: Mapping[str, int]) -> list[DeviceDim] | None:
    """A device dim as dims of one symbol each, the slowest first."""
    terms = sorted(coordinate.terms, key=lambda term: -term[1])
    if not terms:
        return [DeviceDim(size, "", coordinate.constant, 1)]
    found, ahead, whole = list[DeviceDim](), coordinate.constant, size
    for place, (atom, factor) in enumerate(terms):
        last = place == len(terms) - 1
        step = _step(atom)
        if factor < 1 or step is None or whole % factor or (last and factor != 1):
            return None
        own, ahead = divmod(ahead, factor)
        name, inner, per = step
        own_size = whole // factor
        if own + (extents.get(name, 1) - 1 + inner) // per >= own_size:
            return None
        if inner and per == 1:
            return None
        found.append(DeviceDim(own_size, name, own, per))
        whole = factor
    return found


def _step(atom: Atom) -> tuple[str, int, int] | None:
    """Symbol, iterations that it is ahead within a step, and iterations per step."""
    match atom:
        case Symbol(name):
            return name, 0, 1
        case Floor(Expression(ahead, ((Symbol(name), 1),)), by):
            return name, ahead, by
    return None
