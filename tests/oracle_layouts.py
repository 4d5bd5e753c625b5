"""Layouts as the oracle sees them: sizes and strides of every device dim spelled out, then every element at its place.

Owns what a single layout may look like, who may ask for which one, and where zeros may be added.  Shares no code with
the checker; only for buffers of a few thousand elements.
"""

from itertools import product

import numpy as np

from compiler.device import load_device
from compiler.dtypes import DType
from compiler.layout import Arrangement, StickLayout
from compiler.loops import Buffer, BufferKind, LoopProgram
from compiler.plan import Plan, Slot

DEVICE = load_device("spyre")


def layout_faults(program: LoopProgram, buffers: dict[str, Buffer], plan: Plan) -> list[str]:
    """Every breach of the rules by a layout of a plan, whatever the ops are."""
    own = {buffer.name for buffer in program.buffers}
    written = {access.buffer for op in program.ops for access in op.writes}
    returned = {output.buffer for output in program.outputs}
    faults = []
    for name, buffer in buffers.items():
        layout = plan.layouts[name]
        fault = form_fault(buffer, layout)
        weight = buffer.kind in (BufferKind.PARAMETER, BufferKind.CONSTANT)
        if not fault and buffer.kind is not BufferKind.COMPUTED:
            free = weight and name not in written | returned
            fault = weight_fault(layout) if free else default_fault(buffer, layout, weight)
        if not fault and layout.padding and buffer.kind is BufferKind.COMPUTED and name in own:
            fault = "zeros that no op writes"
        if not fault and layout.padding and isinstance(plan.placement.get(name), Slot):
            fault = "zeros in LX"
        faults += [f"{name}: {fault}"] if fault else []
    return faults


def form_fault(buffer: Buffer, layout: StickLayout) -> str:
    """Why a layout is no layout of a buffer; '' if it is one."""
    order = list(layout.dim_order)
    if len(order) > 6 or order == [-2]:
        return "a dim order that is too long or has no stick"
    dims = order[1:] if order[:1] == [-2] else order
    dims = dims[:-1] if dims[-1:] == [-1] else dims
    if sorted(dims) != list(range(len(buffer.shape))):
        return "a dim is missing, or there twice"
    lanes = layout.device_size[-1]
    kinds = (32, 64, 128) if buffer.dtype is DType.BOOL else (DEVICE.lanes(buffer.dtype),)
    if lanes not in kinds or {"f16-to-f32": 32, "f32-to-f16": 64}.get(layout.arrangement, lanes) != lanes:
        return f"{lanes} lanes"
    padded = [dim for dim, _ in layout.padding]
    if len(set(padded)) < len(padded) or not set(padded) <= set(dims) - {layout.stick_dim}:
        return "zeros along a dim that cannot have them"
    if any(size <= buffer.shape[dim] for dim, size in layout.padding):
        return "no zeros where some are announced"
    return _dims_fault(buffer, layout) or _elements_fault(buffer, layout)


def _dims_fault(buffer: Buffer, layout: StickLayout) -> str:
    """The device dims one by one: the middle ones of the order, sticks, the first one, lanes."""
    lanes, order = layout.device_size[-1], layout.dim_order or (-1,)
    stick = order[-1]
    length = 1 if stick == -1 else buffer.shape[stick]
    sticks = -(-length // lanes)
    if layout.arrangement is Arrangement.F16_TO_F32 and stick != -1:
        sticks = -(-sticks // 2) * 2
    expected: list[tuple[int, int]] = [_row(buffer, layout, dim) for dim in order[1:-1]]
    counter = len(expected)
    expected.append((sticks, buffer.strides[stick] * lanes if length > lanes else layout.stride_map[counter]))
    expected += [_row(buffer, layout, dim) for dim in order[:1] if len(order) > 1]
    expected.append((lanes, buffer.strides[stick] if length > 1 else -1))
    if list(zip(layout.device_size, layout.stride_map, strict=True)) != expected:
        return f"its device dims are not {expected}"
    return ""


def _row(buffer: Buffer, layout: StickLayout, dim: int) -> tuple[int, int]:
    if dim == -2:
        return 1, -1
    size = max([buffer.shape[dim], *(longer for padded, longer in layout.padding if padded == dim)])
    return size, buffer.strides[dim] if buffer.shape[dim] > 1 else -1


def _elements_fault(buffer: Buffer, layout: StickLayout) -> str:
    offsets = [
        sum(step * place for step, place in zip(buffer.strides, places, strict=True))
        for places in product(*(range(size) for size in buffer.shape))
    ]
    places = layout.coordinates(np.array(offsets, dtype=np.int64)).T.tolist()
    if len({tuple(place) for place in places}) < len(offsets):
        return "two elements at one place"
    inside = all(0 <= one < size for place in places for one, size in zip(place, layout.device_size, strict=True))
    return "" if inside else "an element outside"


def weight_fault(layout: StickLayout) -> str:
    """The host lays a weight out once, in any order, but it knows no staggered sticks."""
    return "" if layout.arrangement is Arrangement.STANDARD else "staggered by the host"


def default_fault(buffer: Buffer, layout: StickLayout, weight: bool) -> str:
    """Dims in their order, the last one on the stick; of a weight that has to stay, the last one larger than 1."""
    order = list(range(len(buffer.shape)))
    last = max((dim for dim in order if buffer.shape[dim] > 1), default=-1)
    if weight:
        order.sort(key=lambda dim: dim == last)
    plain = layout.arrangement is Arrangement.STANDARD and not layout.padding
    return "" if plain and list(layout.dim_order) == order else "not the layout that the host writes"
