"""Tables: buffers that are indexed by data.

Owns where the gathered dims lie: outside of all others, in any order among themselves, and never on the stick.  Refuses
to know what the index holds.
"""

from __future__ import annotations

from compiler.checks.case import Operand
from compiler.checks.host_dims import rows_of
from compiler.checks.image import Image, device_dims


def table_fault(operand: Operand) -> str:
    """Why a buffer cannot be indexed by data as this access does; '' if it can, or is not."""
    if not operand.access.index.gathers or not isinstance(operand.image, Image):
        return ""
    name, layout, rows = operand.buffer.name, operand.layout, rows_of(operand)
    if rows is None:
        return f"{name} is indexed by data along dims that cannot be told"
    gathered = {dim for dim, loops in enumerate(rows.moving) if any(loop.startswith("row ") for loop in loops)}
    if layout.stick_dim in gathered:
        return f"{name} is indexed by data along dim {layout.stick_dim}, which is on its stick"
    dims = zip(device_dims(layout), layout.device_size, strict=True)
    outermost = [dim for dim, size in dims if size != 1][: len(gathered)]
    inner = [dim for dim in sorted(gathered) if dim not in outermost]
    if not inner:
        return ""
    other = next(dim for dim in outermost if dim not in gathered)
    return f"{name} is indexed by data along dim {inner[0]}, but dim {other} lies outside of it on the device"
