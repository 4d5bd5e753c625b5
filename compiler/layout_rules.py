"""Layout rules: per op the ways to run it, as candidate layouts of its result with the layout each operand must have.

Owns the table from op kind to rule, host ops, and the refusal when no way is left.  A needed layout that differs from
the present one means a restickify.  Refuses to choose: candidates come in order of preference at equal cost.
"""

from __future__ import annotations

from compiler.contraction_rules import contraction_options
from compiler.copy_rules import pointwise_options
from compiler.default_layouts import default_layout
from compiler.elementwise_rules import NO_LOOP, elementwise_options
from compiler.errors import UnsupportedError
from compiler.loops import LoopOp, OpKind
from compiler.opaque_rules import opaque_options
from compiler.operand_offers import LISTED, offers
from compiler.operands import ROWS
from compiler.scene import Candidate, Layouts, Obstacle, Scene
from compiler.spread_causes import spread_remedy

__all__ = ["CONTRACTIONS", "RULES", "candidates", "default_layout", "obstacles", "refusal"]

CONTRACTIONS = (OpKind.MATMUL, OpKind.CONV)
RULES = {
    OpKind.POINTWISE: pointwise_options,
    OpKind.REDUCTION: elementwise_options,
    OpKind.MATMUL: contraction_options,
    OpKind.CONV: contraction_options,
    OpKind.OPAQUE: opaque_options,
}


def candidates(scene: Scene, op: LoopOp, layouts: Layouts) -> tuple[Candidate, ...]:
    """All ways to run an op, in order of preference at equal cost.

    `layouts` holds what is decided so far; an operand without a layout suits everything.  Ops of equal structure share
    the answer.
    """
    if op.kind is OpKind.OPAQUE:
        return opaque_options(scene, op, layouts).found
    structure = scene.structure(op, layouts)
    if structure not in scene.known:
        scene.known[structure] = RULES[op.kind](scene, op, layouts).found
    return scene.known[structure]


def obstacles(scene: Scene, op: LoopOp, layouts: Layouts) -> tuple[Obstacle, ...]:
    """What bars the ways an op cannot go."""
    return RULES[op.kind](scene, op, layouts).obstacles


def refusal(scene: Scene, op: LoopOp, layouts: Layouts) -> UnsupportedError:
    """The error for an op without any candidate: op, source line, operands, what it needs of them, what bars each way;
    then what would help, and the layouts each operand could have by itself."""
    where = f" ({op.origin.source})" if op.origin.source else ""
    barred = _telling(obstacles(scene, op, layouts))
    clauses = dict[str, list[str]]()
    for obstacle in barred:
        clauses.setdefault(obstacle.clause, []).append(obstacle.way)
    reasons = "; ".join(f"{' and '.join(dict.fromkeys(ways))}: {clause}" for clause, ways in clauses.items())
    remedies = _remedies(scene, layouts, barred)
    why = f"{_given(scene, op)}{_demand(scene, op, layouts, barred)} ({reasons or 'no loop can be on a stick'})"
    remedy = "; ".join(part for part in (_remedy(op, remedies), offers(scene, op, layouts)) if part)
    return UnsupportedError(f"{op.name}{where}", why, remedy)


def _helps(scene: Scene, obstacle: Obstacle, layouts: Layouts) -> str:
    return obstacle.remedy or (spread_remedy(scene, obstacle.spread, layouts) if obstacle.spread else "")


def _telling(barred: tuple[Obstacle, ...]) -> tuple[Obstacle, ...]:
    """Without the way that has no stick at all, which is never what somebody wants, where there are others."""
    ways = tuple(obstacle for obstacle in barred if obstacle.way != NO_LOOP)
    return ways or barred


def _remedies(scene: Scene, layouts: Layouts, barred: tuple[Obstacle, ...]) -> list[str]:
    """What helps, each once; first what gives a tensor of single values full sticks, as other ways follow from that."""
    ordered = sorted(barred, key=lambda obstacle: not obstacle.spread)
    return list(dict.fromkeys(remedy for obstacle in ordered if (remedy := _helps(scene, obstacle, layouts))))


def _given(scene: Scene, op: LoopOp) -> str:
    """`given a [64, 128] and b [64], `."""
    names = list(dict.fromkeys(access.buffer for access in op.reads))
    listed = [f"{name} {list(scene.buffers[name].shape)}" for name in names[:LISTED]]
    listed += [f"{len(names) - LISTED} more"] if len(names) > LISTED else []
    return f"given {' and '.join([', '.join(listed[:-1]), listed[-1]] if listed[1:] else listed)}, " if listed else ""


def _demand(scene: Scene, op: LoopOp, layouts: Layouts, barred: tuple[Obstacle, ...]) -> str:
    """What the hardware needs of the tensors of an op that is not given."""
    if op.kind is OpKind.OPAQUE:
        return "a dim that is searched cannot be on a stick"
    if op.kind not in CONTRACTIONS:
        return "no loop can be on the sticks of all its tensors, in each one value per lane"
    lanes = scene.operands(op, layouts)[0][0].lanes
    deep = [loop.name for loop in op.reduction_loops if loop.extent > 1]
    which, along = "second", "one column loop of the result"
    if any(obstacle.way in (*deep, "first tensor") for obstacle in barred):
        which, along = "first", " or ".join(deep) or "the contracted dim"
    return f"in a {op.kind} the {lanes} values of one stick of the {which} tensor must be {lanes} neighbours of {along}"


def _remedy(op: LoopOp, remedies: list[str]) -> str:
    """The remedies of a contraction are needed together, of another op any one will do."""
    if op.kind in CONTRACTIONS and remedies:
        return " and ".join(remedies) + _in_attention(op, remedies) + (", or use groups=1" if _grouped(op) else "")
    if remedies:
        return remedies[0]
    return "keep a dim of at least one stick that all its tensors share as their last dim"


def _in_attention(op: LoopOp, remedies: list[str]) -> str:
    """What the sizes in the remedies are called there."""
    if "attention" not in op.origin.target or not any(remedy.startswith("make ") for remedy in remedies):
        return ""
    rows = any(ROWS in remedy for remedy in remedies)
    return " (the size of a head, and a row is a token)" if rows else " (the size of a head)"


def _grouped(op: LoopOp) -> bool:
    """True for a convolution some output loop of which runs through both operands."""
    if op.kind is not OpKind.CONV:
        return False
    first, second = (read.index.loop_names for read in op.reads[:2])
    return any(loop.extent > 1 and loop.name in first and loop.name in second for loop in op.output_loops)
