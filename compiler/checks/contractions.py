"""Contractions: the sticks of matmul and convolution operands.

Owns which loop each operand must have its stick along.  Refuses everything that is not a product of two loads.
"""

from __future__ import annotations

from compiler.checks.case import Operand
from compiler.checks.image import Image
from compiler.checks.lanes import alignment_fault, width_fault
from compiler.layout import Arrangement
from compiler.loops import Load, LoopOp, OpKind


def contraction_fault(op: LoopOp, values: tuple[Operand, ...]) -> str:
    """Why the operands of a contraction do not meet; '' if they do."""
    results = [op.body[place] for place in op.results]
    loads = [result for result in results if isinstance(result, Load)]
    if len(loads) != 2 or len(results) != 2:
        return "does not multiply exactly two loaded operands"
    reads = {value.number: value for value in values if not value.write}
    write = next(value for value in values if value.write)
    left, right = reads[loads[0].read], reads[loads[1].read]
    return _left_fault(op, left) or _right_fault(op, left, right, write)


def _left_fault(op: LoopOp, left: Operand) -> str:
    """The first operand: its stick along a reduced loop, in natural order, or all of its stick unused."""
    name, image = left.buffer.name, left.image
    if not isinstance(image, Image):
        return ""
    reduced = {loop.name for loop in op.reduction_loops}
    if not left.lane_loops:
        if reduced and (op.kind is OpKind.MATMUL or not _single(left)):
            return f"{name} has no stick along the reduced {' or '.join(sorted(reduced))}"
        fault = alignment_fault(image, "", left.lanes)
        return f"{name} {fault}" if fault else ""
    if len(left.lane_loops) > 1 or not left.lane_loops <= reduced:
        return f"{name} has its stick along {' and '.join(sorted(left.lane_loops))}, which is not reduced"
    if left.layout.arrangement is not Arrangement.STANDARD:
        return f"{name} is arranged {left.layout.arrangement}, the reduced loop needs its elements in order"
    fault = alignment_fault(image, next(iter(left.lane_loops)), left.lanes)
    return f"{name} {fault}" if fault else ""


def _single(left: Operand) -> bool:
    """True if the stick dim has one element, such as the channel of a grey picture."""
    dim = left.layout.stick_dim
    return dim >= 0 and left.buffer.shape[dim] == 1


def _right_fault(op: LoopOp, left: Operand, right: Operand, write: Operand) -> str:
    """The second operand and the result: their stick along one output loop that the first does not follow."""
    if not isinstance(left.image, Image) or not isinstance(right.image, Image) or not isinstance(write.image, Image):
        return ""
    outputs = {loop.name for loop in op.output_loops}
    own = (right.loops & outputs) - left.loops
    if not own:
        for operand in (right, write):
            if operand.lane_loops:
                along = " and ".join(sorted(operand.lane_loops))
                return f"{operand.buffer.name} has its stick along {along}, but the result has no column loop"
        return _placed(right, "", right.lanes) or _placed(write, "", write.lanes)
    if len(right.lane_loops) != 1 or not right.lane_loops <= own:
        along = " and ".join(sorted(right.lane_loops)) or "nothing"
        return f"{right.buffer.name} has its stick along {along}, not along {' or '.join(sorted(own))}"
    if write.lane_loops != right.lane_loops:
        along = " and ".join(sorted(write.lane_loops)) or "nothing"
        return (
            f"{write.buffer.name} has its stick along {along}, {right.buffer.name} along {next(iter(right.lane_loops))}"
        )
    stick, modulus = next(iter(right.lane_loops)), max(right.lanes, write.lanes)
    return _placed(right, stick, modulus) or _placed(write, stick, modulus) or width_fault([right, write])


def _placed(operand: Operand, stick: str, modulus: int) -> str:
    assert isinstance(operand.image, Image)
    fault = alignment_fault(operand.image, stick, modulus)
    return f"{operand.buffer.name} {fault}" if fault else ""
