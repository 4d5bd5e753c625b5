"""Unfold trial: the least change with which an op has a legal way to run.

Owns the search over copies of what an op reads and cuts of its loops, for one op by itself: with all layouts its
buffers can have, as any of them can be restickified into any other.  Where two dims of a read start within a stick, a
copy of what is read cannot be made either; then copies of what is read of all dims but one are tried, and copies of
those; at last, copies as large as the result, for operands that share no loop.  Refuses to change the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from compiler.errors import UnsupportedError
from compiler.layout import StickLayout
from compiler.layout_rules import candidates, default_layout
from compiler.loop_cuts import LoopCut, cut_op, cuts_of
from compiler.loops import Access, Buffer, BufferKind, LoopOp, OpKind
from compiler.operands import default_order, dense_layout, spreads
from compiler.scene import Candidate, Layouts, Scene
from compiler.tails import CONTRACTIONS, tail_of
from compiler.view_copies import Form, ViewCopy, parted, view_copy

Kind = tuple[Form, str]
"""The form of a copy and the loop along which it is whole, '' where the form has none."""
Chosen = Mapping[int, tuple[ViewCopy, Kind]]
FORMS: tuple[Kind, ...] = tuple((form, "") for form in (Form.READ, Form.WHOLE, Form.SPACED))
_LAST: list[Kind] = [(Form.REPEATED, "")]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The loop of an op to cut, if any, and then its reads to serve from copies."""

    cut: LoopCut | None = None
    copies: tuple[tuple[int, Kind], ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """One op with layouts of what it reads from which a restickify reaches all others."""

    scene: Scene
    op: LoopOp
    layouts: Layouts
    cut: LoopCut | None = None

    def recipe(self) -> Recipe:
        """The least change; none if the op has a way to run as it is, or has none with any change."""
        if self._works({}):
            return Recipe()
        found = self._with_copies(FORMS)
        if found is not None:
            return found
        for cut in cuts_of(self.op, self.scene.buffers):
            op, written = cut_write(self.scene, self.op, cut)
            if op is not None:
                trial = Trial(with_buffers(self.scene, [written] if written else []), op, self.layouts, cut)
                found = Recipe(cut) if trial._works({}) else trial._with_copies(FORMS)
            if found is not None:
                return found
        kinds, loops = FORMS, [loop.name for loop in self.op.loops if loop.extent > 1]
        for more in ([(Form.TRIMMED, name) for name in loops], [(Form.THROUGH, name) for name in loops], _LAST):
            kinds = (*kinds, *more)
            found = self._with_copies(kinds)
            if found is not None:
                return found
        return Recipe()

    def _with_copies(self, kinds: tuple[Kind, ...]) -> Recipe | None:
        """The fewest copies with which the op has a way to run; None if it has none with any."""
        for chosen in self._choices(kinds):
            if self._works(chosen):
                needed = sorted(self._needed(chosen).items())
                return Recipe(self.cut, tuple((number, kind) for number, (_, kind) in needed))
        return None

    def _choices(self, kinds: tuple[Kind, ...]) -> Iterator[Chosen]:
        """A copy for every read that can have one: the smallest, then one kind throughout."""
        known = {number: copies for number in range(len(self.op.reads)) if (copies := self._copies(number, kinds))}
        smallest = {number: copies[0] for number, copies in known.items()}
        if smallest:
            yield smallest
            for kind in kinds:
                like = {number: min(copies, key=lambda copy: copy[1] != kind) for number, copies in known.items()}
                if like != smallest:
                    yield like

    def _needed(self, chosen: Chosen) -> Chosen:
        """The chosen copies without those that can be spared, the largest first."""
        needed = dict(chosen)
        for number in sorted(chosen, key=lambda number: (-chosen[number][0].elements, number)):
            fewer = {other: copy for other, copy in needed.items() if other != number}
            if fewer and self._works(fewer):
                needed = fewer
        return needed

    def _copies(self, number: int, kinds: tuple[Kind, ...]) -> list[tuple[ViewCopy, Kind]]:
        """The copies of a read that can be made in full sticks, the smallest first."""
        buffer = self.scene.buffers[self.op.reads[number].buffer]
        copies = [(copy, kind) for kind in kinds if (copy := view_copy(self.op, number, buffer, *kind)) is not None]
        return sorted((entry for entry in copies if self._can_be_made(entry[0])), key=lambda entry: entry[0].elements)

    def _can_be_made(self, copy: ViewCopy) -> bool:
        if copy.before is None:
            return self._copied(self.scene, copy, self.layouts)
        if not self._can_be_made(copy.before):
            return False
        source, scene = copy.buffer, with_buffers(self.scene, [copy.buffer])
        dims = [dim for dim, size in enumerate(source.shape) if size > 1]
        known = (dense_layout(source, default_order(source, dim), scene.lanes(source)) for dim in dims)
        return any(self._copied(scene, copy, {source.name: layout}) for layout in known)

    def _copied(self, scene: Scene, copy: ViewCopy, layouts: Layouts) -> bool:
        """True if the copy can be written in full sticks."""
        target, op = copy.named("?"), copy.op("?", self.op.origin)
        ways = candidates(with_buffers(scene, [target]), op, layouts)
        return any(way.loop is not None and not spreads(way.outputs[0], target) for way in ways)

    def _works(self, chosen: Chosen) -> bool:
        """True if the op has a way to run with these reads served from copies."""
        made = {number: copy.named(f"?{number}") for number, (copy, _) in chosen.items()}
        reads = tuple(
            Access(made[number].name, chosen[number][0].read) if number in chosen else read
            for number, read in enumerate(self.op.reads)
        )
        scene = with_buffers(self.scene, made.values())
        dense = {buffer.name: _inner(scene, buffer) for buffer in made.values()}
        op, layouts = replace(self.op, reads=reads), frozendict({**self.layouts, **dense})
        return any(_can_end(scene, op, way) for way in candidates(scene, op, layouts))


def cut_write(scene: Scene, op: LoopOp, cut: LoopCut) -> tuple[LoopOp | None, Buffer | None]:
    """The op with its loop cut, and what it writes with a dim per piece of the loop; None for what stays or cannot
    be.  What other ops write too, or the host reads as it is, keeps its dims."""
    made = cut_op(op, cut)
    if made is None or cut.loop not in op.write.index.loop_names:
        return made, None
    buffer = scene.buffers[op.write.buffer]
    hosted = any(reader.kind is OpKind.OPAQUE for reader in scene.readers.get(buffer.name, ()))
    if hosted or len(scene.writers.get(buffer.name, ())) > 1:
        return None, None
    written = parted(made, made.write, buffer)
    return (made, written) if written is not None else (None, None)


def assumed(scene: Scene, buffer: Buffer) -> StickLayout | None:
    """A layout from which a restickify reaches all others that the buffer can have; None if it can have none."""
    try:
        default = default_layout(scene, buffer)
    except UnsupportedError:
        return None
    if buffer.kind is BufferKind.COMPUTED and spreads(default, buffer) and buffer.elements > 1:
        return _inner(scene, buffer)
    return default


def with_buffers(scene: Scene, buffers: Iterable[Buffer]) -> Scene:
    """The scene with buffers that are new or have other dims; answers by structure stay valid."""
    more = {buffer.name: buffer for buffer in buffers}
    return replace(scene, buffers=scene.buffers | more) if more else scene


def _can_end(scene: Scene, op: LoopOp, way: Candidate) -> bool:
    """True unless a contraction reads its right operand beyond its loop, where no padding can put zeros."""
    if op.kind not in CONTRACTIONS:
        return True
    reads = tuple(Access(f"{number}", read.index) for number, read in enumerate(op.reads))
    buffers = {read.buffer: scene.buffers[known.buffer] for read, known in zip(reads, op.reads, strict=True)}
    needs = {read.buffer: need for read, need in zip(reads, way.needs, strict=True) if need is not None}
    tail = tail_of(replace(op, reads=reads), buffers, needs)
    return tail is None or not tail.fault


def _inner(scene: Scene, buffer: Buffer) -> StickLayout:
    """The last dim of more than one element on the stick."""
    dim = max(dim for dim, size in enumerate(buffer.shape) if size > 1)
    return dense_layout(buffer, default_order(buffer, dim), scene.lanes(buffer))
