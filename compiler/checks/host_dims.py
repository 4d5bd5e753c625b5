"""Host dims: where an access is along the dims of a tensor as the host counts them.

Owns host coordinates of accesses.  Refuses to judge them, and to know where the dims lie on the device.
"""

from __future__ import annotations

from compiler.checks.case import Operand
from compiler.checks.image import Image, place
from compiler.layout import StickLayout


def rows_of(operand: Operand) -> Image | None:
    """Where an access is along every host dim; None if nothing is accessed, or it cannot be followed."""
    buffer = operand.buffer
    steps = tuple(step if size > 1 else -1 for size, step in zip(buffer.shape, buffer.strides, strict=True))
    found = place(operand.access.index, operand.domain, StickLayout(buffer.shape, steps, ()))
    return found if isinstance(found, Image) else None
