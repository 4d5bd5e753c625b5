"""Layout rules: per op the ways to run it, as candidate layouts of its result with the layout each operand must have.

Owns the table from op kind to rule, host ops, and the refusal when no way is left.  A needed layout that differs from
the present one means a restickify.  Refuses to choose: candidates come in order of preference at equal cost.
"""

from __future__ import annotations

from compiler.contraction_rules import contraction_options
from compiler.elementwise_rules import elementwise_options
from compiler.errors import UnsupportedError
from compiler.layout import MAX_DIM_ORDER, Arrangement, StickLayout, stick_layout
from compiler.loops import Buffer, BufferKind, LoopOp, OpKind
from compiler.operands import dense_layout
from compiler.scene import Candidate, Layouts, Scene

CONTRACTIONS = (OpKind.MATMUL, OpKind.CONV)
RULES = {
    OpKind.POINTWISE: elementwise_options,
    OpKind.REDUCTION: elementwise_options,
    OpKind.MATMUL: contraction_options,
    OpKind.CONV: contraction_options,
}


def candidates(scene: Scene, op: LoopOp, layouts: Layouts) -> tuple[Candidate, ...]:
    """All ways to run an op, in order of preference at equal cost.

    `layouts` holds what is decided so far; an operand without a layout suits everything.  Ops of equal structure share
    the answer.
    """
    if op.kind is OpKind.OPAQUE:
        return (_host_candidate(scene, op, layouts),)
    structure = scene.structure(op, layouts)
    if structure not in scene.known:
        scene.known[structure] = RULES[op.kind](scene, op, layouts).found
    return scene.known[structure]


def obstacles(scene: Scene, op: LoopOp, layouts: Layouts) -> tuple[tuple[str, str], ...]:
    """Per way that is barred to an op its name (a loop, an operand) and the clause that says why."""
    return () if op.kind is OpKind.OPAQUE else RULES[op.kind](scene, op, layouts).obstacles


def _host_candidate(scene: Scene, op: LoopOp, layouts: Layouts) -> Candidate:
    """A host op: whatever it touches has its elements in standard order, its results the default layout."""
    needs = []
    for access in op.reads:
        layout = layouts.get(access.buffer)
        if layout is not None and layout.arrangement is not Arrangement.STANDARD:
            layout = dense_layout(scene.buffers[access.buffer], layout.dim_order, layout.elements_per_stick)
        needs.append(layout)
    outputs = tuple(
        layouts.get(access.buffer) or default_layout(scene, scene.buffers[access.buffer]) for access in op.writes
    )
    return Candidate(None, outputs, tuple(needs))


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


def refusal(scene: Scene, op: LoopOp, layouts: Layouts) -> UnsupportedError:
    """The error for an op without any candidate: op, source line, tensors and what is in the way per loop."""
    where = f" ({op.origin.source})" if op.origin.source else ""
    clauses = dict[str, list[str]]()
    for loop, clause in obstacles(scene, op, layouts):
        clauses.setdefault(clause, []).append(loop)
    reasons = "; ".join(f"{' and '.join(dict.fromkeys(loops))}: {clause}" for clause, loops in clauses.items())
    return UnsupportedError(
        f"{op.name}{where}", f"no stick suits all its tensors ({reasons or 'it has none'})", _remedy(op, reasons)
    )


def _remedy(op: LoopOp, reasons: str) -> str:
    if "one value per stick" in reasons:
        return "pin the layout of the reduced tensor to one of its dims, so that it is not reduced along the stick"
    if "inside a" in reasons:
        return "start the slice at a whole stick, or slice along another dim"
    if op.combine:
        return "reduce along another dim, or give the tensor a dim that can go on the sticks"
    return "write it so that its tensors share one dim of equal walk, for example after .contiguous()"
