"""Imported copies: which copies of the files are moves that a plan inserts, and of what kind.

Owns the test that a copy moves a whole tensor as it is, and the kind that follows from layouts and places.  Refuses
copies of parts, into another host form, or whose result nobody reads: these are ops of the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.formats.expression import Expression, Symbol
from compiler.formats.op_names import IDENTITY
from compiler.formats.opspec import OpSpec, Room
from compiler.layout import Arrangement, StickLayout
from compiler.plan import EditKind
from compiler.read.import_bodies import COPIES, SHUFFLE
from compiler.read.import_coordinates import refactored, regular_sizes
from compiler.read.import_flow import Act, Tensor
from compiler.read.import_forms import Forms
from compiler.read.import_host import HostForm, copied_strides, found_layout
from compiler.schedule import REPLICA


@dataclass(frozen=True, slots=True)
class Move:
    """A copy that a plan inserts: its kind, the layout it makes, its replicas, and the loop of each symbol."""

    kind: EditKind
    host: HostForm
    replicas: int
    loops: Mapping[str, str]


def move_of(act: Act, forms: Forms) -> Move | None:
    """The move that a step is; None if it is an op of the program."""
    spec = act.spec
    if spec.op not in COPIES or len(act.specs) > 1 or len(spec.inputs) != 1 or not _needed(act.write):
        return None
    source, read, write = act.reads[0], spec.inputs[0], spec.output
    if read.device_dtype != write.device_dtype:
        return None
    hosts = forms.walk(source, spec, read)
    host = forms.of(source).host
    symbols = _whole(hosts, host, spec) if hosts is not None else None
    if symbols is None:
        return None
    idle = [dim for dim in spec.iteration if dim.extent > 1 and dim.symbol not in symbols]
    layout = _layout(spec, host, symbols, forms.arrangement_of(act))
    if layout is None or len(idle) > 1:
        return None
    kind = _kind(spec.op, host.layout, layout, source, act.write)
    replicas = idle[0].extent if idle else 1
    if kind is None or (idle and kind not in (EditKind.RELAYOUT, EditKind.CLONE_IN)):
        return None
    loops = {name: f"d{dim}" for name, dim in symbols.items()}
    loops.update((dim.symbol, REPLICA) for dim in idle)
    return Move(kind, HostForm(host.shape, host.strides, layout), replicas, loops)


def _needed(tensor: Tensor) -> bool:
    """True if an op or the host uses what a copy writes."""
    waiting, seen = [tensor], set[str]()
    while waiting:
        one = waiting.pop()
        if one.leaves or any(act.along or act.spec.op not in COPIES for act in one.readers):
            return True
        seen.add(one.name)
        waiting += [act.write for act in one.readers if act.write.name not in seen]
    return False


def _whole(hosts: tuple[Expression, ...], host: HostForm, spec: OpSpec) -> dict[str, int] | None:
    """The host dim that each symbol walks, all of it; None if a host dim is walked otherwise."""
    found: dict[str, int] = {}
    for dim, (size, coordinate) in enumerate(zip(host.shape, hosts, strict=True)):
        match coordinate:
            case Expression(0, ()) if size == 1:
                continue
            case Expression(0, ((Symbol(name), 1),)) if spec.extents[name] == size and name not in found:
                found[name] = dim
            case _:
                return None
    return found


def _layout(spec: OpSpec, host: HostForm, symbols: dict[str, int], arrangement: Arrangement) -> StickLayout | None:
    """The layout in which a copy writes a tensor of this host form."""
    write = spec.output
    same = write.device_size == spec.inputs[0].device_size and write.coordinates == spec.inputs[0].coordinates
    if same and arrangement is host.layout.arrangement:
        return host.layout
    known = {dim.symbol: symbols.get(dim.symbol, -1) for dim in spec.iteration}
    for sizes in dict.fromkeys((write.device_size, regular_sizes(write))):
        coordinates = refactored(write.device_size, write.coordinates, sizes, spec.extents)
        strides = copied_strides(coordinates, known, host.strides, write.lanes) if coordinates else None
        layout = found_layout(host.shape, host.strides, sizes, strides, arrangement) if strides else None
        if layout is not None:
            return layout
    return None


def _kind(op: str, before: StickLayout, after: StickLayout, source: Tensor, target: Tensor) -> EditKind | None:
    rooms = source.place.room is Room.LX and not source.given, target.place.room is Room.LX
    if before == after:
        if rooms == (True, True):
            return EditKind.RELAYOUT if op == SHUFFLE else None
        homeward = {(False, True): EditKind.CLONE_IN, (True, False): EditKind.CLONE_OUT}.get(rooms)
        return homeward if op == IDENTITY else None
    if op in (IDENTITY, SHUFFLE) or target.leaves:
        return None
    if (before.stick_dim, before.arrangement) != (after.stick_dim, after.arrangement):
        return EditKind.RESTICKIFY
    return EditKind.REORDER if before.dim_order != after.dim_order else EditKind.PAD
