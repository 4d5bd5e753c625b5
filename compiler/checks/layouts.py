"""Layouts: whether a stick layout holds every element of its buffer, each at a place of its own.

Owns well-formedness of a single layout, and which layouts and padding go with whoever fills the buffer.  Refuses to
judge how layouts meet in a step: that is `sticks`.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from frozendict import frozendict

from compiler.checks.findings import whole
from compiler.checks.image import device_dims, levels_of, outer_dim, split, take_apart
from compiler.checks.summands import summands
from compiler.counts import counted
from compiler.device import Device
from compiler.dtypes import DType
from compiler.layout import MAX_DIM_ORDER, SPARSE, UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import Buffer, BufferKind, Index, Term

BOOL_LANES = (32, 64, 128)
PAIRED_LANES = {Arrangement.F16_TO_F32: 32, Arrangement.F32_TO_F16: 64}


class Filler(StrEnum):
    """Who fills a buffer: the host on every call or once when the model is loaded, an op, or an inserted copy."""

    HOST = "host"
    LOADED = "loaded"
    OP = "op"
    COPY = "copy"


def layout_fault(buffer: Buffer, layout: object, device: Device, filler: Filler = Filler.OP) -> str:
    """Why this layout cannot be the layout of this buffer, as the end of a sentence; '' if it can."""
    if not isinstance(layout, StickLayout):
        return f"has {type(layout).__name__} instead of a layout"
    sizes, strides = layout.device_size, layout.stride_map
    if len(sizes) != len(strides) or len(sizes) < 2:
        return f"has {len(sizes)} device sizes and {len(strides)} host strides"
    least = 0 if 0 in buffer.shape else 1
    if not all(whole(size, least) for size in sizes) or not all(whole(stride, -1) for stride in strides):
        return f"has device sizes {sizes} and host strides {strides}, which are not all counts"
    allowed = BOOL_LANES if buffer.dtype is DType.BOOL else (device.lanes(buffer.dtype),)
    if sizes[-1] not in allowed:
        return f"has {sizes[-1]} lanes per stick, {buffer.dtype} takes {' or '.join(map(str, allowed))}"
    return (
        _order_fault(buffer, layout)
        or _padding_fault(buffer, layout)
        or _stick_fault(buffer, layout)
        or _arrangement_fault(layout)
        or _place_fault(buffer.shape, buffer.strides, tuple(sizes), tuple(strides))
        or _dims_fault(buffer, layout)
        or _filler_fault(buffer, layout, filler)
    )


def _order_fault(buffer: Buffer, layout: StickLayout) -> str:
    """Every host dim once; a unit dim only first and never alone, a sparse stick only last."""
    given: object = layout.dim_order
    if not isinstance(given, tuple) or not all(whole(dim, UNIT) for dim in given) or given == (UNIT,):
        return f"has the dim order {given}"
    rank, order = len(buffer.shape), layout.dim_order
    if len(order) > MAX_DIM_ORDER:
        return f"has the dim order {order} of {len(order)} entries, the most are {MAX_DIM_ORDER}"
    dims = order[1:] if order and order[0] == UNIT else order
    dims = dims[:-1] if dims and dims[-1] == SPARSE else dims
    if sorted(dims) != list(range(rank)):
        return f"has the dim order {order}, which does not name each of its {rank} dims once"
    return ""


def _padding_fault(buffer: Buffer, layout: StickLayout) -> str:
    """Entries name host dims other than the stick's, each once, and make them longer."""
    rank = len(buffer.shape)
    given: object = layout.padding
    if not isinstance(given, tuple) or not all(_pair(entry) for entry in given):
        return f"has the padding {given}"
    seen: set[int] = set()
    for dim, size in layout.padding:
        if dim >= rank:
            return f"pads dim {dim} of its {rank} dims"
        if dim == layout.stick_dim:
            return f"pads its stick dim {dim}, which whole sticks fill up already"
        if dim in seen:
            return f"pads dim {dim} twice"
        if size <= buffer.shape[dim]:
            return f"pads dim {dim} to {size}, it has {buffer.shape[dim]} rows without that"
        seen.add(dim)
    return ""


def _pair(entry: object) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and all(map(whole, entry))


def _stick_fault(buffer: Buffer, layout: StickLayout) -> str:
    """The lane walks the stick dim, the outer dim counts its sticks."""
    lanes, lane_stride = layout.device_size[-1], layout.stride_map[-1]
    outer = outer_dim(layout)
    count, outer_stride = layout.device_size[outer], layout.stride_map[outer]
    dim = layout.dim_order[-1] if layout.dim_order else SPARSE
    size = 1 if dim == SPARSE else buffer.shape[dim]
    wanted = buffer.strides[dim] if size > 1 else -1
    if lane_stride != wanted:
        return f"moves {counted(lane_stride, 'element')} per lane, its stick dim {dim} moves {wanted}"
    sticks = -(-size // lanes)
    if layout.arrangement is Arrangement.F16_TO_F32 and dim != SPARSE:
        sticks += sticks % 2
    if count != sticks:
        return f"has {counted(count, 'stick')} along dim {dim}, {counted(size, 'element')} take {sticks}"
    if size > lanes and outer_stride != lane_stride * lanes:
        return f"moves {counted(outer_stride, 'element')} per stick, not {lane_stride * lanes}"
    return ""


def _arrangement_fault(layout: StickLayout) -> str:
    if layout.arrangement not in tuple(Arrangement):
        return f"has the arrangement {layout.arrangement}"
    wanted = PAIRED_LANES.get(layout.arrangement, layout.device_size[-1])
    if layout.device_size[-1] != wanted:
        return f"is arranged {layout.arrangement} with {layout.device_size[-1]} lanes, which is only known for {wanted}"
    return ""


@lru_cache(maxsize=1 << 12)
def _place_fault(
    shape: tuple[int, ...], strides: tuple[int, ...], sizes: tuple[int, ...], stride_map: tuple[int, ...]
) -> str:
    """Every host dim by itself, then their sum: coordinates in range, and the offset found again from them.

    Many tensors of a model are of equal shape, so answers are kept.
    """
    if 0 in shape:
        return ""
    layout = StickLayout(sizes, stride_map, ())
    names = [f"dim {dim}" for dim in range(len(shape))]
    terms = tuple(Term(step, ((name, 1),)) for name, step in zip(names, strides, strict=True))
    found = summands(Index(0, terms), frozendict((name, (0, size)) for name, size in zip(names, shape, strict=True)))
    parts = split(found, layout) if found else None
    if found is None or parts is None:
        return "has places that are too many to follow"
    taken = take_apart(parts, found.digits, layout)
    _, most = found.digits.sums(taken.groups, {}, len(layout.device_size))
    for dim in levels_of(layout):
        if most[dim] >= layout.device_size[dim]:
            return f"has {layout.device_size[dim]} places in device dim {dim}, its elements need {most[dim] + 1}"
    if taken.clash:
        moved = layout.stride_map[taken.dim]
        return f"puts two elements at one place: device dim {taken.dim} moves {counted(moved, 'element')}"
    if taken.loose:
        return "puts two elements at one place: no device dim tells them apart"
    if any(size > 1 and step == 0 for size, step in zip(shape, strides, strict=True)):
        return "cannot hold a buffer whose own elements share one place"
    return ""


def _dims_fault(buffer: Buffer, layout: StickLayout) -> str:
    """Each device dim is the host dim, filled up or not, that the dim order has in its place; the stick's are known."""
    sizes, strides, dims = layout.device_size, layout.stride_map, device_dims(layout)
    if len(sizes) != len(dims):
        return f"has {len(sizes)} device dims, the dim order {layout.dim_order} takes {len(dims)}"
    longer = dict(layout.padding)
    for place, dim in enumerate(dims):
        if place in (outer_dim(layout), len(dims) - 1):
            continue
        what = "the unit dim" if dim == UNIT else f"dim {dim}"
        size = 1 if dim == UNIT else longer.get(dim, buffer.shape[dim])
        moved = -1 if dim == UNIT or buffer.shape[dim] <= 1 else buffer.strides[dim]
        if sizes[place] != size:
            return f"has {sizes[place]} places in device dim {place}, {what} takes {size}"
        if strides[place] != moved:
            return f"moves {strides[place]} elements along device dim {place}, {what} moves {moved}"
    return ""


def _filler_fault(buffer: Buffer, layout: StickLayout, filler: Filler) -> str:
    """The host copies into the default layout on every call, and into any unstaggered one when it loads a weight.

    Zeros are written when a weight is loaded, and by copies; ops write none.
    """
    if buffer.kind is BufferKind.COMPUTED:
        if layout.padding and filler is not Filler.COPY:
            dim, size = layout.padding[0]
            return f"is padded along dim {dim} to {size}, but only the host and inserted copies write zeros"
        return ""
    if filler is Filler.LOADED:
        if layout.arrangement is Arrangement.STANDARD:
            return ""
        return f"is filled by the host, which cannot write it arranged {layout.arrangement}"
    default = stick_layout(buffer.shape, buffer.strides, layout.device_size[-1], _host_order(buffer))
    if layout == default:
        return ""
    wanted = f"{default.device_size}, dim order {default.dim_order}"
    return f"is filled by the host and must have the default layout {wanted}"


def _host_order(buffer: Buffer) -> tuple[int, ...]:
    """Dims in their order; of weights, which the host lays out once, the last dim that is larger than 1 comes last."""
    order = list(range(len(buffer.shape)))
    wide = [dim for dim in order if buffer.shape[dim] > 1]
    if wide and buffer.kind in (BufferKind.PARAMETER, BufferKind.CONSTANT):
        order.append(order.pop(wide[-1]))
    return tuple(order)
