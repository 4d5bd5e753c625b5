"""Default layouts: what the host fills and fetches where nothing else is decided.

Owns the order of dims and the refusal of tensors with too many of them.  Refuses to know ops.
"""

from __future__ import annotations

from compiler.errors import UnsupportedError
from compiler.layout import MAX_DIM_ORDER, StickLayout, stick_layout
from compiler.loops import Buffer, BufferKind
from compiler.scene import Scene


def default_layout(scene: Scene, buffer: Buffer) -> StickLayout:
    """What the host fills: dims in their order, the last one cut; UnsupportedError if it has too many dims.

    A bool takes the lanes of the first values it is used with.
    """
    if len(buffer.shape) > MAX_DIM_ORDER:
        raise UnsupportedError(
            f"tensor {buffer.name}",
            f"it has {len(buffer.shape)} dims, a stick layout has at most {MAX_DIM_ORDER}",
            "merge some of its dims before they enter the model",
        )
    return stick_layout(buffer.shape, buffer.strides, scene.lanes(buffer), _order(buffer))


def _order(buffer: Buffer) -> tuple[int, ...]:
    """Dims in their order, but a weight never has its stick along a dim of size 1, one value per stick."""
    dims = range(len(buffer.shape))
    stick = next((dim for dim in reversed(dims) if buffer.shape[dim] > 1), None)
    if stick is None or buffer.kind not in (BufferKind.PARAMETER, BufferKind.CONSTANT):
        return tuple(dims)
    return (*(dim for dim in dims if dim != stick), stick)
