"""Exported plans come back as the plans that they were, from op specifications, from JSON and from kernel folders."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from compiler.codec import from_json, to_json
from compiler.compilation import Compilation
from compiler.diff import ChangeKind, diff
from compiler.emit.op_specs import Specified, op_specs
from compiler.emit.opspec_json import opspec_lines
from compiler.read.imported import Imported, imported
from compiler.read.kernel_folder import read_programs
from compiler.read.opspec_json import read_opspecs
from compiler.schedule import Step
from tests.compiler.formats.exported import example
from tests.compiler.formats.imports import divisions, kernels, layouts, moves, places, steps_of, violations
from tests.compiler.formats.kernel_files import write_kernel
from tests.compiler.formats.written_wrapper import wrapper_text

STAGED = [(name, "staged") for name in ("softmax", "mlp", "attention", "rmsnorm", "decoder", "mismatch")]
MOVED = [(name, "co-optimized") for name in ("softmax", "attention", "mismatch")]
PLANS = [*STAGED, *MOVED]
CONVOLUTIONS = ("stem.conv.conv", "narrow.conv.conv", "wide.conv.conv")


@cache
def specified(name: str, pipeline: str) -> Specified:
    return op_specs(example(name, pipeline=pipeline))


@cache
def from_specs(name: str, pipeline: str) -> Imported:
    made = example(name, pipeline=pipeline)
    return imported(specified(name, pipeline).kernels, made.problem.program.name, made.problem.device)


@pytest.mark.parametrize(("name", "pipeline"), PLANS)
def test_op_specifications_come_back_as_the_plan(name: str, pipeline: str) -> None:
    ours, theirs = example(name, pipeline=pipeline), from_specs(name, pipeline).compilation
    assert from_specs(name, pipeline).findings == ()
    assert not violations(theirs)
    assert [step.name for step in steps_of(theirs)] == [step.name for step in steps_of(ours)]
    for alike in (moves, divisions, layouts, places, kernels):
        assert alike(theirs) == alike(ours)
    assert theirs.cost.total_us == pytest.approx(ours.cost.total_us, rel=1e-12)


@pytest.mark.parametrize(("name", "pipeline"), PLANS)
def test_a_comparison_with_our_plan_finds_nothing_that_was_decided(name: str, pipeline: str) -> None:
    found = diff(example(name, pipeline=pipeline), from_specs(name, pipeline).compilation)
    assert not found.unlike
    assert not found.edits
    assert not found.costs
    assert not found.of_kind(ChangeKind.DIVISION, ChangeKind.ADDRESS, ChangeKind.PLACEMENT)


@pytest.mark.parametrize(("name", "pipeline"), PLANS)
def test_json_comes_back_as_the_specifications_do(name: str, pipeline: str) -> None:
    made = example(name, pipeline=pipeline)
    text = "".join(opspec_lines(specified(name, pipeline).kernels, name))
    read, back, _ = read_opspecs(text, "a file")
    assert read == name
    again = imported(back, made.problem.program.name, made.problem.device).compilation
    assert again.plan == from_specs(name, pipeline).compilation.plan
    assert again.problem == from_specs(name, pipeline).compilation.problem


@pytest.mark.parametrize(("name", "pipeline"), PLANS)
def test_kernel_folders_come_back_as_the_plan(name: str, pipeline: str, tmp_path: Path) -> None:
    ours = example(name, pipeline=pipeline)
    for kernel in specified(name, pipeline).kernels:
        write_kernel(tmp_path / kernel.name, kernel)
    made = imported(read_programs(tmp_path).kernels, ours.problem.program.name, ours.problem.device)
    theirs = made.compilation
    assert made.findings == ()
    assert not violations(theirs)
    for alike in (moves, divisions, places, kernels):
        assert alike(theirs) == alike(ours)
    assert layouts(theirs, whole=False) == layouts(ours, whole=False)
    _only_constants_cost_more(ours, theirs, specified(name, pipeline))


def _only_constants_cost_more(ours: Compilation, theirs: Compilation, said: Specified) -> None:
    """Files hold no values: what an op has as a number in our plan, it reads as a tensor in theirs."""
    reading = [any(arg.name in said.constants for arg in op.args) for kernel in said.kernels for op in kernel.ops()]
    steps = {step.name for step, op in zip(_one_per_op(ours, said), reading, strict=True) if op}
    pairs = zip(ours.cost.steps, theirs.cost.steps, strict=True)
    more = {mine.step for mine, other in pairs if other.read_bytes != mine.read_bytes}
    assert more <= steps
    assert theirs.cost.total_us == pytest.approx(ours.cost.total_us, rel=0.002)
    if not steps:
        assert theirs.cost.total_us == pytest.approx(ours.cost.total_us, rel=1e-12)


def _one_per_op(compilation: Compilation, said: Specified) -> list[Step]:
    """The step of every op of the specifications."""
    steps = {step.name: step for step in steps_of(compilation)}
    handles = [op.handle for kernel in said.kernels for op in kernel.ops()]
    return [steps[handle.ir_chain[-1]] for handle in handles if handle]


@pytest.mark.parametrize(("name", "pipeline"), PLANS)
def test_an_imported_plan_is_exported_and_comes_back(name: str, pipeline: str) -> None:
    once = from_specs(name, pipeline).compilation
    said = op_specs(once)
    assert not said.limits
    twice = imported(said.kernels, once.problem.program.name, once.problem.device)
    assert twice.findings == ()
    assert twice.compilation.plan == once.plan


@pytest.mark.parametrize(("name", "pipeline"), STAGED)
def test_wrappers_come_back_as_the_plan(name: str, pipeline: str, tmp_path: Path) -> None:
    ours, path = example(name, pipeline=pipeline), tmp_path / "output_code.py"
    path.write_text(wrapper_text(specified(name, pipeline).kernels), "utf-8")
    read = read_programs(path)
    made = imported(read.kernels, ours.problem.program.name, ours.problem.device, read.results)
    assert made.findings == ()
    assert not violations(made.compilation)
    assert tuple(view.name for view in made.compilation.problem.program.outputs) == read.results
    for alike in (moves, divisions, layouts, places, kernels):
        assert alike(made.compilation) == alike(ours)


@pytest.mark.parametrize(("name", "pipeline"), PLANS)
def test_an_imported_plan_can_be_kept(name: str, pipeline: str) -> None:
    made = from_specs(name, pipeline).compilation
    assert from_json(Compilation, to_json(made), "a file") == made


def test_what_is_imported_says_so() -> None:
    made = from_specs("softmax", "staged").compilation
    assert made.plan.pipeline == made.solver.name == "imported"
    assert made.solver.bound_us == -1
    assert made.log[0].decided[0] == "1 kernel of 5 ops: 5 steps, 0 moves"
    assert [node.name for node in made.graph.nodes] == [op.name for op in made.problem.program.ops]
    assert made.graph.inputs[0].name == "x"
    assert made.problem.program.ops[0].origin.source


def test_ops_that_were_not_exported_are_missed_by_name() -> None:
    made = from_specs("convnet", "staged")
    assert len(made.findings) == len(CONVOLUTIONS)
    for name, finding in zip(CONVOLUTIONS, made.findings, strict=True):
        assert f"reads {name} " in finding
    left_out = {limit.partition(":")[0] for limit in specified("convnet", "staged").limits}
    ours, theirs = example("convnet"), made.compilation
    names = [step.name for step in steps_of(ours) if step.name not in left_out]
    assert [step.name for step in steps_of(theirs)] == names
    assert not violations(theirs)
    kept = [own for step, own in zip(steps_of(ours), divisions(ours), strict=True) if step.name not in left_out]
    assert divisions(theirs) == kept
