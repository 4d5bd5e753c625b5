"""Named dims: one name for every dim that loops and tensors of a model share, so that hints can speak of them.

Owns the classes: a loop and the dim of a tensor that it walks are the same dim, wherever that is plain.  Refuses to
guess: a loop that walks no whole dim has no name.
"""

from __future__ import annotations

from collections.abc import Iterator

from frozendict import frozendict

from compiler.loops import Access, Buffer, BufferKind, LoopOp, LoopProgram

Loops = tuple[str, str]  # op and loop
Dims = tuple[str, int]  # buffer and host dim
_Member = tuple[str, str | int]


class NamedDims:
    """Of a program.  `size` has the extent of every name, `of_input` the names of the dims of what comes from outside,
    None where nothing is known of a dim."""

    def __init__(self, program: LoopProgram) -> None:
        self._parent: dict[_Member, _Member] = {}
        buffers = program.buffer_map
        for op in program.ops:
            for access in op.accesses:
                for loop, dim in _walked(op, access, buffers[access.buffer]):
                    self._join((op.name, loop), (access.buffer, dim))
        given = [buffer for buffer in program.buffers if buffer.kind is not BufferKind.COMPUTED]
        names: dict[_Member, str] = {}
        self.size: dict[str, int] = {}
        for buffer in given:
            for dim, extent in enumerate(buffer.shape):
                root = self._root((buffer.name, dim))
                if (buffer.name, dim) in self._parent and extent > 1 and root not in names:
                    names[root] = f"D{len(names)}"
                    self.size[names[root]] = extent
        self._names = names
        self.of_input: frozendict[str, tuple[str | None, ...]] = frozendict(
            (buffer.name, tuple(self._name((buffer.name, dim)) for dim in range(len(buffer.shape)))) for buffer in given
        )

    def of_loop(self, op: str, loop: str) -> str | None:
        """The name of what a loop walks, None if no tensor from outside has that dim."""
        return self._name((op, loop))

    def _name(self, member: _Member) -> str | None:
        return self._names.get(self._root(member))

    def _root(self, member: _Member) -> _Member:
        while self._parent.get(member, member) != member:
            member = self._parent[member]
        return member

    def _join(self, one: _Member, other: _Member) -> None:
        for member in (one, other):
            self._parent.setdefault(member, member)
        self._parent[self._root(one)] = self._root(other)


def _walked(op: LoopOp, access: Access, buffer: Buffer) -> Iterator[tuple[str, int]]:
    """Loops that walk a dim of a tensor from end to end, alone."""
    if not access.index.affine:
        return
    strides = list(zip(buffer.shape, buffer.strides, strict=True))
    for loop in op.loops:
        step = access.index.coefficient(loop.name)
        found = [dim for dim, (extent, stride) in enumerate(strides) if stride == step and extent == loop.extent > 1]
        if step and len(found) == 1:
            yield loop.name, found[0]
