"""Spread causes: why a tensor has one value per stick, and what the owner of the model can do about it.

Owns the way back from a tensor to the op or the input that left it so, and the remedies.  Refuses to judge whether one
value per stick is in the way: a rule has found that before.
"""

from __future__ import annotations

from compiler.default_layouts import default_layout
from compiler.loops import Access, Buffer, BufferKind, LoopOp, OpKind
from compiler.operands import Setting, spreads
from compiler.scene import Layouts, Scene, value_reads
from compiler.walks import walk_of

CONTRACTIONS = (OpKind.MATMUL, OpKind.CONV)
WHY = "so that its values fill sticks"
PIN = "pin the layout of the reduced tensor to one of its dims, so that {} is not reduced along the stick"


def spread_remedy(scene: Scene, name: str, layouts: Layouts) -> str:
    """What helps against one value per stick in this tensor; '' if nothing is known."""
    dims = frozenset(dim for dim, size in enumerate(scene.buffers[name].shape) if size > 1)
    return _remedy(scene, name, dims, layouts)


def _remedy(scene: Scene, name: str, dims: frozenset[int], layouts: Layouts) -> str:
    """The same for these dims of the tensor; '' too if it has full sticks."""
    buffer, layout = scene.buffers[name], layouts.get(name)
    if layout is not None and not spreads(layout, buffer):
        return ""
    writers = scene.writers.get(name, ())
    if not writers:
        return _of_input(scene, buffer, dims)
    op = writers[0]
    if op.kind is OpKind.OPAQUE:
        return ""
    if op.kind in CONTRACTIONS:
        return _of_product(scene, op)
    moved = _loops(op, op.write, buffer, dims)
    for number in sorted(value_reads(op)):
        read = op.reads[number]
        entered = _dims(op, read, scene.buffers[read.buffer], moved)
        found = _remedy(scene, read.buffer, entered, layouts) if entered else ""
        if found:
            return found
    return PIN.format(name) if op.kind is OpKind.REDUCTION else _of_mixture(scene, op, moved, layouts)


def _of_mixture(scene: Scene, op: LoopOp, loops: frozenset[str], layouts: Layouts) -> str:
    """An op none of whose loops can be on a stick leaves one value per stick too."""
    given = {read.buffer: scene.buffers[read.buffer] for read in op.reads if read.buffer not in scene.writers}
    known = {name: default_layout(scene, buffer) for name, buffer in given.items()} | dict(layouts)
    reads, _ = scene.operands(op, known)
    inner = sorted(loops, key=lambda name: (op.write.index.coefficient(name), name))
    remedies = (read.remedy(Setting(loop, read.lanes), op.extents) for loop in inner for read in reads)
    return next((remedy for remedy in remedies if remedy), "")


def _loops(op: LoopOp, access: Access, buffer: Buffer, dims: frozenset[int]) -> frozenset[str]:
    """Loops that move an access through some of these dims."""
    parts = walk_of(op, access, buffer).parts
    return frozenset(
        name for part in parts for name in part.loops if _moves(part.steps, dims) or part.table is not None
    )


def _moves(steps: tuple[int, ...], dims: frozenset[int]) -> bool:
    return any(step and dim in dims for dim, step in enumerate(steps))


def _dims(op: LoopOp, access: Access, buffer: Buffer, loops: frozenset[str]) -> frozenset[int]:
    """Dims of a buffer that some of these loops move an access through."""
    parts = [part for part in walk_of(op, access, buffer).parts if loops & set(part.loops)]
    return frozenset(
        dim
        for part in parts
        for dim, step in enumerate(part.steps)
        if (step or part.table is not None) and buffer.shape[dim] > 1
    )


def _of_input(scene: Scene, buffer: Buffer, dims: frozenset[int]) -> str:
    """The host fills an input along its last dim: that should not be one of size 1, but one of these."""
    if buffer.kind is not BufferKind.INPUT or not dims or not spreads(default_layout(scene, buffer), buffer):
        return ""
    last = max(dims)
    shape = [size for dim, size in enumerate(buffer.shape) if dim != last] + [buffer.shape[last]]
    return f"pass {buffer.name} as {shape}, not {list(buffer.shape)}, {WHY}"


def _of_product(scene: Scene, op: LoopOp) -> str:
    """A product has its sticks along the columns of the second factor; with one column only it has none."""
    left, right = (scene.buffers[read.buffer] for read in op.reads[:2])
    columns = [
        loop
        for loop in op.output_loops
        if loop.extent > 1
        and _dims(op, op.reads[1], right, frozenset({loop.name}))
        and not _dims(op, op.reads[0], left, frozenset({loop.name}))
    ]
    if columns:
        return ""
    if op.kind is OpKind.CONV:
        return f"give {op.name} at least 2 output channels, {WHY}"
    if "linear" in op.origin.target:
        return f"write {op.name} as weight @ x.mT + bias[:, None], not as a Linear, {WHY}"
    passed = _of_input(scene, right, frozenset(dim for dim, size in enumerate(right.shape) if size > 1))
    turned = f"write {op.name} as y.mT @ x.mT, not as x @ y, {WHY}"
    return f"{turned}, and {passed.partition(f', {WHY}')[0]}" if passed else turned
