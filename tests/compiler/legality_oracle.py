"""A slow oracle for stick legality: it enumerates every iteration of an op and applies the rules word by word.

Owns `step_fault(op, sights)` over what an access sees at each iteration under a layout.  Shares no code with the passes
or the checker; only for programs of a few thousand iterations.
"""

import json
import re
from collections.abc import Sequence

from compiler.device import load_device
from compiler.dtypes import DType
from compiler.layout import Arrangement, StickLayout
from compiler.loops import Buffer, Load, LoopOp, OpKind, Role
from compiler.plan import EditKind, Plan
from compiler.problem import Problem
from compiler.schedule import expand
from tests.oracle_layouts import layout_faults
from tests.oracle_sights import Sight, sight
from tests.oracle_tails import table_fault, tail_fault

WIDTH_PAIRS = {
    (64, Arrangement.STANDARD): (32, Arrangement.F16_TO_F32),
    (64, Arrangement.F32_TO_F16): (32, Arrangement.STANDARD),
}
DEVICE = load_device("spyre")
SEARCH = re.compile(r"aten\.((topk|kthvalue|mode)\.default|(arg)?sort\.(default|stable)|(nan)?median\.dim)")


def step_fault(op: LoopOp, sights: Sequence[Sight]) -> str:
    """Rules 1 to 6 for one step on the device; '' if it is legal.  Sights are the reads in order, then the write."""
    for one in sights:
        allowed = (32, 64, 128) if one.buffer.dtype is DType.BOOL else (DEVICE.lanes(one.buffer.dtype),)
        if one.lanes not in allowed:
            return f"{one.buffer.name} has {one.lanes} lanes"
    if any(name.startswith("gathered") for one in sights for name in one.lane_loops()):
        return "a gathered value moves the lane"
    if _turning(op, sights):
        return _turned(sights)
    values = [one for one in sights if one.value]
    return _contraction(op, values) if op.kind in (OpKind.MATMUL, OpKind.CONV) else _elementwise(op, values)


def _turning(op: LoopOp, sights: Sequence[Sight]) -> bool:
    """A pure copy: one load of the same dtype, with the stick on one loop here and on another one there."""
    if op.kind is not OpKind.POINTWISE or len(sights) != 2 or op.results != (0,):
        return False
    if any(one.columns.ndim > len(one.loops) or op.body != (Load(0, one.buffer.dtype),) for one in sights):
        return False
    here, there = (one.lane_loops() for one in sights)
    return len(here) == len(there) == 1 and here != there


def _turned(sights: Sequence[Sight]) -> str:
    """Each side is where its own loop is, within a stick."""
    for one in sights:
        (loop,) = one.lane_loops()
        if ((one.columns - one.values_of(loop)) % one.lanes).any():
            return f"{one.buffer.name} is not where {loop} is"
    return ""


def _elementwise(op: LoopOp, values: Sequence[Sight]) -> str:
    loops = frozenset[str]().union(*(one.lane_loops() for one in values))
    if len(loops) > 1:
        return f"{' and '.join(sorted(loops))} are both on sticks"
    stick = next(iter(loops), "")
    if op.kind is OpKind.REDUCTION:
        roles = {loop.name: loop.role for loop in op.loops}
        if stick and roles[stick] is Role.REDUCTION and op.combine in ("prod", "argmax", "argmin"):
            return f"{op.combine} along the stick"
    return _aligned(values, stick) or _widths([one for one in values if one.lane_loops()])


def _aligned(values: Sequence[Sight], stick: str) -> str:
    carriers = [one for one in values if stick in one.lane_loops()]
    modulus = max((one.lanes for one in carriers), default=1)
    for one in values:
        if one in carriers:
            ahead = (one.columns - one.values_of(stick)) % modulus
            if ahead[one.happens].any():
                return f"{one.buffer.name} is not where {stick} is"
            continue
        if stick and one.depends_on(stick):
            return f"{one.buffer.name} changes along {stick}"
        if (one.columns % one.lanes)[one.happens].any():
            return f"{one.buffer.name} is not in lane 0"
    return ""


def _widths(carriers: Sequence[Sight]) -> str:
    kinds = {(one.lanes, one.layout.arrangement) for one in carriers}
    others = {one.lanes for one in carriers if one.buffer.dtype is not DType.BOOL}
    if any(one.buffer.dtype is DType.BOOL and others and one.lanes not in others for one in carriers):
        return "a bool has other lanes than its operands"
    if len(kinds) <= 1:
        return ""
    wide = [kind for kind in kinds if kind[0] == 64]
    return "" if len(kinds) == 2 and len(wide) == 1 and WIDTH_PAIRS[wide[0]] in kinds else f"widths {sorted(kinds)}"


def _contraction(op: LoopOp, values: Sequence[Sight]) -> str:
    first, second = (op.body[place] for place in op.results)
    assert isinstance(first, Load)
    assert isinstance(second, Load)
    left, right, write = values[first.read], values[second.read], values[-1]
    roles = {loop.name: loop.role for loop in op.loops}
    depths = [name for name, role in roles.items() if role is Role.REDUCTION and left.depends_on(name)]
    columns = [n for n, role in roles.items() if role is Role.OUTPUT and right.depends_on(n) and not left.depends_on(n)]
    own = left.lane_loops()
    if len(own) > 1 or not own <= set(depths):
        return f"the first operand has {sorted(own)} on its stick"
    if not own and depths and (op.kind is OpKind.MATMUL or not _single(left)):
        return "the first operand has no reduced loop on its stick"
    if left.layout.arrangement is not Arrangement.STANDARD and own:
        return "the first operand is staggered"
    pair = [right, write]
    if right.lane_loops() != write.lane_loops() or len(right.lane_loops()) != bool(columns):
        return "the second operand and the result differ"
    if not right.lane_loops() <= set(columns):
        return "the second operand has no column on its stick"
    stick = next(iter(right.lane_loops()), "")
    if stick and right.layout.arrangement is not Arrangement.STANDARD:
        return "the second operand is staggered"
    return _aligned([left], next(iter(own), "")) or _aligned(pair, stick) or _widths(pair if stick else [])


def _single(left: Sight) -> bool:
    dim = left.layout.stick_dim
    return dim >= 0 and left.buffer.shape[dim] == 1


def plan_faults(problem: Problem, plan: Plan, finished: bool = False) -> list[str]:
    """Every breach of the stick rules in layouts and edits of a plan; tails and tables only if it is finished."""
    schedule = expand(problem.program, plan)
    faults = []
    for step in schedule.steps:
        accesses = [*enumerate(step.op.reads), *((-1, write) for write in step.op.writes)]
        if step.op.kind is OpKind.OPAQUE:
            layouts = [(schedule.buffers[access.buffer], plan.layouts[access.buffer]) for _, access in accesses]
            fault = host_fault(step.op, layouts)
            faults += [f"{step.name}: {fault}"] if fault else []
            continue
        sights = [
            sight(step.op, access, number, schedule.buffers[access.buffer], plan.layouts[access.buffer])
            for number, access in accesses
        ]
        fault = edit_fault(step.edit.kind, *sights) if step.edit else step_fault(step.op, sights)
        if finished and not fault:
            fault = tail_fault(step.op, sights) or table_fault(sights)
        faults += [f"{step.name}: {fault}"] if fault else []
    for output in schedule.outputs:
        if plan.layouts[output.buffer].arrangement is not Arrangement.STANDARD:
            faults.append(f"{output.buffer} leaves the model staggered")
    return faults + layout_faults(problem.program, dict(schedule.buffers), plan)


def host_fault(op: LoopOp, layouts: Sequence[tuple[Buffer, StickLayout]]) -> str:
    """Operands of a host op are not staggered; a search never runs along sticks, nor do its results."""
    if any(layout.arrangement is not Arrangement.STANDARD for _, layout in layouts):
        return "staggered on the host"
    call = op.call
    if call is None:
        return ""
    if SEARCH.fullmatch(call.target):
        place = 2 if "topk" in call.target or "kthvalue" in call.target else 1
        arguments = [*map(json.loads, call.arguments), *[-1] * 3]
        dim = json.loads(dict(call.keywords).get("dim", str(arguments[place])))
        first = layouts[arguments[0]["read"]][0]
        rank = len(first.shape)
        for buffer, layout in (layouts[arguments[0]["read"]], *layouts[len(op.reads) :]):
            if rank and len(buffer.shape) == rank and layout.stick_dim == dim % rank and buffer.shape[dim % rank] > 1:
                return f"{buffer.name} is searched along its stick"
    return ""


def edit_fault(kind: EditKind, source: Sight, target: Sight) -> str:
    """Rule 9: no copy gathers single values out of many sticks.  And it is what it is called."""
    if source.spread and not target.spread:
        return "single values cannot be gathered"
    old, new = source.layout, target.layout
    equal = {
        "stick": old.stick_dim == new.stick_dim,
        "lanes": old.elements_per_stick == new.elements_per_stick,
        "arrangement": old.arrangement is new.arrangement,
    }
    if kind is EditKind.RESTICKIFY:
        return "" if not all(equal.values()) else "a restickify that changes no stick"
    if not all(equal.values()):
        return f"a {kind} that changes the stick"
    if kind in (EditKind.RELAYOUT, EditKind.CLONE_IN, EditKind.CLONE_OUT):
        staggered = kind is EditKind.RELAYOUT and old.arrangement is not Arrangement.STANDARD
        return "" if old == new and not staggered else f"a {kind} that changes the layout, or moves staggered sticks"
    if kind is EditKind.REORDER:
        return "" if old.dim_order != new.dim_order else "a reorder that keeps the order"
    if old.dim_order != new.dim_order:
        return "a pad that changes the order"
    grown = all(new_size >= size for size, new_size in zip(old.device_size, new.device_size, strict=True))
    return "" if grown and old.device_size != new.device_size else "a pad that adds nothing, or takes away"
