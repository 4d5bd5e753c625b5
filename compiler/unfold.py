"""Unfold: what is put into a program before layouts are chosen, so that reads of views can be in sticks.

A view such as [S, heads*80] read as [S, heads, 80] moves two loops within one stick, whichever dim is cut.  A plain
copy of it that has a dim per loop can be made along another loop (here S) and restickified then.  Where there is no
other loop, the loops of the op are cut instead, so that each moves through one dim.  A slice that starts within a
stick is read along another dim; where all dims start so, a copy takes the offsets away from all but one, and a copy of
that from the last.  Where operands share no loop (a Kronecker product), one is repeated along the loops of the other.
Owns which ops are changed, the copies' names and places, and their sharing.  Refuses to change what has a legal way to
run, and what is not helped: the refusal of the layout passes is then about the op as its author wrote it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from itertools import chain, count

from compiler.device import Device
from compiler.errors import UnsupportedError
from compiler.layout import StickLayout
from compiler.loops import Access, Buffer, BufferKind, LoopOp, LoopProgram, OpKind
from compiler.scene import Scene, scene_of
from compiler.unfold_trial import Recipe, Trial, assumed, cut_write, with_buffers
from compiler.view_copies import ViewCopy, view_copy


def unfold(program: LoopProgram, device: Device) -> LoopProgram:
    """The program with what its views need; the same object if they need nothing."""
    unfolding = _Unfolding(scene_of(program, device))
    for op in program.ops:
        unfolding.add(op)
    ops = tuple(unfolding.ops.values())
    if ops == program.ops and not unfolding.made:
        return program
    return replace(program, buffers=unfolding.buffers(program), ops=ops)


def changes(before: LoopProgram, after: LoopProgram) -> tuple[str, ...]:
    """What `unfold` did to a program, one line each: copies, loops that were cut, and buffers with other dims."""
    old, was, now = before.op_map, before.buffer_map, after.buffer_map
    readers: dict[str, list[str]] = {}
    for op in after.ops:
        for name in dict.fromkeys(access.buffer for access in op.reads):
            readers.setdefault(name, []).append(op.name)
    lines = []
    for op in after.ops:
        if op.name not in old:
            users = _listed(readers.get(op.name, []))
            lines.append(f"{op.name}: a copy of {op.reads[0].buffer} as {_dims(now[op.name])} for {users}")
            continue
        whole = [loop for loop in old[op.name].loops if loop.name not in op.extents]
        for loop in whole:
            pieces = [f"{piece.name} of {piece.extent}" for piece in op.loops if piece not in old[op.name].loops]
            lines.append(f"{op.name}: loop {loop.name} of {loop.extent} is cut into {' and '.join(pieces)}")
        for access in op.writes if whole else ():
            name = access.buffer
            if now[name].shape != was[name].shape:
                lines.append(f"{name}: kept as {_dims(now[name])}, not {_dims(was[name])}")
    return tuple(lines)


def _dims(buffer: Buffer) -> str:
    return f"[{','.join(map(str, buffer.shape))}]"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


@dataclass(slots=True)
class _Unfolding:
    """A walk through the program: its ops so far, and the buffers that are new or have other dims."""

    scene: Scene
    ops: dict[str, LoopOp] = field(default_factory=dict)
    made: dict[str, Buffer] = field(default_factory=dict)
    _copies: dict[Hashable, str] = field(default_factory=dict)
    _recipes: dict[Hashable, Recipe] = field(default_factory=dict)
    _layouts: dict[str, StickLayout] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        kinds: dict[Hashable, StickLayout | None] = {}
        for name, buffer in self.scene.buffers.items():
            kind = (buffer.shape, buffer.strides, buffer.dtype, buffer.kind)
            if kind not in kinds:
                kinds[kind] = assumed(self.scene, buffer)
            layout = kinds[kind]
            if layout is not None:
                self._layouts[name] = layout
        ops = {op.name for writers in self.scene.writers.values() for op in writers}
        self._taken = {*self.scene.buffers, *ops}

    def add(self, op: LoopOp) -> None:
        """The next op of the program, behind the copies it needs."""
        if op.kind is OpKind.OPAQUE or any(access.buffer not in self._layouts for access in op.accesses):
            self.ops[op.name] = op
            return
        recipe = self._recipe(op)
        if recipe.cut is not None:
            op = self._cut(op, recipe)
        reads = list(op.reads)
        for number, kind in recipe.copies:
            copy = view_copy(op, number, self.scene.buffers[reads[number].buffer], *kind)
            assert copy is not None, "ops of equal structure have equal copies"
            reads[number] = Access(self._name_of(copy, op), copy.read)
        self.ops[op.name] = replace(op, reads=tuple(reads)) if recipe.copies else op

    def buffers(self, program: LoopProgram) -> tuple[Buffer, ...]:
        """All buffers, in order of their writers."""
        given = [buffer for buffer in program.buffers if buffer.kind is not BufferKind.COMPUTED]
        known = {buffer.name: buffer for buffer in program.buffers} | self.made
        written = dict.fromkeys(access.buffer for op in self.ops.values() for access in op.writes)
        return (*given, *(known[name] for name in written))

    def _recipe(self, op: LoopOp) -> Recipe:
        """The answer for an op, which all of equal structure share."""
        layouts = {access.buffer: self._layouts[access.buffer] for access in op.reads}
        structure = self.scene.structure(op, layouts)
        if structure not in self._recipes:
            try:
                self._recipes[structure] = Trial(self.scene, op, layouts).recipe()
            except UnsupportedError:  # refused for its own sake, whatever its layouts
                self._recipes[structure] = Recipe()
        return self._recipes[structure]

    def _cut(self, op: LoopOp, recipe: Recipe) -> LoopOp:
        """The op with its loop cut; what it writes has a dim per piece."""
        assert recipe.cut is not None
        made, written = cut_write(self.scene, op, recipe.cut)
        assert made is not None, "ops of equal structure are cut alike"
        if written is not None:
            self._keep(written)
        return made

    def _name_of(self, copy: ViewCopy, op: LoopOp) -> str:
        """The buffer that holds a copy, made before `op` if there is none yet, behind the copy that it is made of."""
        if copy.before is not None:
            copy = replace(copy, buffer=copy.before.named(self._name_of(copy.before, op)), before=None)
        if copy.key not in self._copies:
            name = self._free(f"{op.name}.{_beside(copy.buffer.name, op.name)}")
            self._copies[copy.key] = name
            self._keep(copy.named(name))
            self.ops[name] = copy.op(name, op.origin)
        return self._copies[copy.key]

    def _keep(self, buffer: Buffer) -> None:
        """From here on there is such a buffer."""
        self.made[buffer.name] = buffer
        self.scene = with_buffers(self.scene, [buffer])
        layout = assumed(self.scene, buffer)
        assert layout is not None, "what is made here has at most six dims"
        self._layouts[buffer.name] = layout

    def _free(self, name: str) -> str:
        names = chain([name], (f"{name}.{number}" for number in count(2)))
        free = next(other for other in names if other not in self._taken)
        self._taken.add(free)
        return free


def _beside(buffer: str, op: str) -> str:
    """The name of a buffer without the part of the module path that it shares with the op's."""
    *path, leaf = buffer.replace("/", ".").split(".")
    for own in op.split("/", maxsplit=1)[0].split("."):
        if not path or path[0] != own:
            break
        path = path[1:]
    return ".".join((*path, leaf))
