"""Dependencies: which steps of a kernel have to end everywhere before another one may begin.

Owns the order that tensors of device memory ask for: a reader comes after the last writer, a writer after the last
writer and all readers since.  Refuses LX: nobody sees another core's LX, and on a core steps run in their order; steps
that use the ring wait for all who take part.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from compiler.program import DeviceOp, Memory, Program


def needs_of(ops: Sequence[DeviceOp], stored: Collection[str]) -> tuple[tuple[int, ...], ...]:
    """For every step of a kernel the earlier ones it waits for, counted from the kernel's first, rising.

    `stored` are the tensors of device memory.
    """
    writer: dict[str, int] = {}
    readers: dict[str, list[int]] = {}
    needs: list[tuple[int, ...]] = []
    for place, op in enumerate(ops):
        read = [access.buffer for access in op.op.reads if access.buffer in stored]
        written = [access.buffer for access in op.op.writes if access.buffer in stored]
        before = {writer[name] for name in (*read, *written) if name in writer}
        before.update(reader for name in written for reader in readers.get(name, ()))
        needs.append(tuple(sorted(before)))
        for name in read:
            readers.setdefault(name, []).append(place)
        for name in written:
            writer[name] = place
            readers[name] = []
    return tuple(needs)


def stored_tensors(program: Program) -> frozenset[str]:
    """The tensors of device memory."""
    return frozenset(tensor.name for tensor in program.tensors if tensor.memory is Memory.HBM)
