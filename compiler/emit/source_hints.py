"""Source hints: pinned divisions as torch-spyre's hints, to be pasted into the model's source.

Owns the text: names for the dims of inputs, and for every source line the `spyre_hint` that goes round it.  Refuses
pins that torch-spyre has no hint for, by name: layouts, placements, moves and tiles are decided by its own passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiler.emit.named_dims import NamedDims
from compiler.loops import LoopOp
from compiler.plan import Plan
from compiler.problem import Problem

PINNED, ALL = "pinned", "all"


def hint_lines(problem: Problem, plan: Plan, ops: str) -> Iterator[str]:
    """The text, line by line, for the ops that are `pinned` or for `all`."""
    dims = NamedDims(problem.program)
    wanted = {name: hint for name, hint in _hints(problem, plan, ops, dims).items() if hint is not None}
    used = {name for hint in wanted.values() for name in hint}
    yield f"# Divisions of {plan.model} for {plan.cores} cores as hints of torch-spyre.\n"
    yield "from torch_spyre._inductor import spyre_hint\n"
    yield "from torch_spyre._inductor.wsr.propagate_named_dims import declare_tensor_dim, name_tensor_dims\n\n"
    yield "# Before the model is compiled: the dims that the hints speak of, and the tensors that have them.\n"
    yield from (f'declare_tensor_dim("{name}", {dims.size[name]})\n' for name in sorted(used, key=_number))
    for buffer, names in dims.of_input.items():
        if used & set(names):
            listed = ", ".join(f'"{name}"' if name in used else "None" for name in names)
            yield f"# {buffer} = name_tensor_dims({buffer}, [{listed}])\n"
    for source, blocks in _by_source(problem, wanted).items():
        apart = f"; take it apart into {len(blocks)} statements, one for each hint" if len(blocks) > 1 else ""
        yield f"\n# {source}{apart}\n"
        for hint, op_names in blocks.items():
            yield f"with spyre_hint(work_div={{{hint}}}):\n"
            yield from (f"    ...  # {name}\n" for name in op_names)


def nothing_to_hint(problem: Problem, plan: Plan, ops: str) -> str:
    """Why there is not a single hint; '' if there is one."""
    if any(hint is not None for hint in _hints(problem, plan, ops, NamedDims(problem.program)).values()):
        return ""
    return "no op has a pinned division" if ops == PINNED else "no op is divided in a way that has a hint"


def hint_limits(problem: Problem, plan: Plan, ops: str) -> tuple[str, ...]:
    """Pins and divisions that cannot be said, a sentence each."""
    dims, found = NamedDims(problem.program), []
    hints = _hints(problem, plan, ops, dims)
    for name, hint in hints.items():
        if hint is None:
            found.append(f"{name}: a loop that is divided walks no dim of an input")
    for key in problem.pins.keys:
        kind, _, name = key.partition(":")
        if kind not in {"division", "same"}:
            found.append(f"{name}: torch-spyre has no hint for its pinned {kind}")
    return tuple(found)


def _hints(problem: Problem, plan: Plan, ops: str, dims: NamedDims) -> dict[str, Mapping[str, int] | None]:
    """Slices by name of a dim for every op, None where they have no names."""
    pinned = {*problem.pins.division, *problem.pins.same}
    return {
        op.name: _hint(op, plan, dims)
        for op in problem.program.ops
        if op.name in plan.divisions and (op.name in pinned or (ops == ALL and plan.divisions[op.name].splits))
    }


def _hint(op: LoopOp, plan: Plan, dims: NamedDims) -> Mapping[str, int] | None:
    found: dict[str, int] = {}
    for split in plan.divisions[op.name].splits:
        name = dims.of_loop(op.name, split.loop)
        if name is None or name in found:
            return None
        found[name] = split.factor
    return found


def _by_source(problem: Problem, wanted: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, list[str]]]:
    """Ops by source line and by what their hint says."""
    found: dict[str, dict[str, list[str]]] = {}
    for op in problem.program.ops:
        if op.name in wanted:
            inside = ", ".join(f'"{dim}": {count}' for dim, count in wanted[op.name].items())
            found.setdefault(op.origin.source or "the model", {}).setdefault(inside, []).append(op.name)
    return found


def _number(name: str) -> int:
    return int(name[1:])
