"""Both opinions on small plans whose times can be computed by hand."""

from __future__ import annotations

import json

import pytest

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from simulator.timing.simulate import simulate
from simulator.trace import Trace
from spyre_studio.opinion_accounts import Part
from spyre_studio.opinions import Opinions, describe_opinions, opinions, opinions_document, parted
from tests.programs import softmax
from tests.sketch import Sketch
from tests.spyre_studio.plans import captured, compiled


def run(program: LoopProgram, cores: int = 32) -> tuple[Compilation, Trace, Opinions]:
    compilation = compiled(program=program, cores=cores)
    trace = simulate(compilation.program, compilation.problem.device)
    return compilation, trace, opinions(compilation, trace)


def negated() -> LoopProgram:
    """relu(neg(x)) of 2 MiB, which both steps load and store unless it stays in LX."""
    sketch = Sketch("negated")
    sketch.output(sketch.apply("relu", sketch.apply("neg", sketch.input("x", 8, 256, 512))))
    return sketch.program()


def on_host() -> LoopProgram:
    """Two kernels with a call on the host between them."""
    sketch = Sketch("on_host")
    first = sketch.apply("neg", sketch.input("x", 512, 1024))
    sketch.output(sketch.apply("relu", sketch.opaque("sort", first)))
    return sketch.program()


def test_turnaround_is_what_tells_them_apart_where_one_step_reads_and_another_writes() -> None:
    _, _, found = run(negated())
    (kernel,) = found.kernels
    assert kernel.predicted_us == pytest.approx(40.0, abs=0.01)  # 27.96 of bytes, 12.04 of turnaround
    assert kernel.simulated_us == pytest.approx(28.1, abs=0.1)
    assert [one.part for one in kernel.named] == [Part.TURNAROUND]
    assert kernel.named[0].difference_us == pytest.approx(-12.04, abs=0.01)
    assert kernel.reason.startswith("11.9 µs less (−30 %): −12.0 µs, changing between reads and writes takes 0.0 µs")
    assert kernel.ratio == pytest.approx(0.70, abs=0.01)


def test_an_input_of_two_steps_is_charged_once_and_loaded_twice() -> None:
    _, _, found = run(softmax())
    parts = {one.part: one for one in found.whole.contributions}
    assert parts[Part.BYTES].predicted_us == pytest.approx(2 * 2**20 / 150e3)
    assert parts[Part.BYTES].simulated_us == pytest.approx(3 * 2**20 / 150e3)
    assert "moves 3 MiB, the cost model counts 2 MiB" in parts[Part.BYTES].words
    assert parts[Part.REDUCTION].predicted_us == pytest.approx(512 * 1024 / 32 / 1.5e3)


def test_a_step_without_a_share_has_no_ratio_and_says_so() -> None:
    _, _, found = run(softmax())
    idle = [step for step in found.steps if step.predicted_us == 0 and step.parts]
    assert idle
    for step in idle:
        assert step.ratio is None
        assert step.reason.startswith("the cost model gives it no share of its kernel’s time: +")


def test_where_they_agree_there_is_no_reason() -> None:
    assert [parted(10.0, time) for time in (7.4, 7.5, 10.0, 12.5, 12.6)] == [True, False, False, False, True]
    sketch = Sketch("product")
    sketch.output(sketch.matmul(sketch.input("a", 1024, 1024), sketch.input("b", 1024, 1024)))
    _, _, found = run(sketch.program())
    assert not found.whole.parts
    assert (found.whole.reason, found.whole.named) == ("", ())
    (line,) = describe_opinions(found)
    assert line.startswith("  compared   kernel0: predicted ")


def test_calls_on_the_host_end_kernels_and_are_compared_too() -> None:
    compilation, trace, found = run(on_host())
    assert [one.name for one in found.kernels] == [kernel.name for kernel in compilation.program.kernels]
    assert len(found.kernels) > 1
    assert sum(one.simulated_us for one in found.kernels) == pytest.approx(trace.total_us)
    lines = describe_opinions(found)
    assert lines[0].startswith("  compared   on_host: predicted"), "several kernels have a sum"


def test_steps_that_differ_alike_are_told_once() -> None:
    _, _, found = run(negated())
    compared, why, apart, steps, reason = describe_opinions(found)
    assert compared == "  compared   kernel0: predicted 40.0 µs, simulated 28.1 µs, 11.9 µs less (−30 %)"
    assert why == f"               −12.0 µs, {found.kernels[0].named[0].words}"
    assert apart == "  apart      2 of 2 steps by more than 25 %"
    assert steps.startswith("             neg and 1 more like it: predicted 20.0 µs, simulated 14.0 µs, 6.0 µs less")
    assert reason == f"               −6.0 µs, {found.steps[0].named[0].words}"
    assert len(describe_opinions(run(softmax())[2], most=1)) < len(describe_opinions(run(softmax())[2], most=2))


def test_the_trace_of_another_program_is_refused() -> None:
    compilation, _, _ = run(negated())
    other = run(softmax())[1]
    with pytest.raises(ValueError, match="one of the compilation's program"):
        opinions(compilation, other)


def test_a_document_has_both_times_and_what_they_are_made_of() -> None:
    _, _, found = run(negated())
    document = json.loads(json.dumps(opinions_document(found)))
    assert [len(document[key]) for key in ("kernels", "steps")] == [1, 2]
    whole = document["whole"]
    assert (whole["name"], whole["parts"], whole["reason"]) == ("negated", True, found.whole.reason)
    assert whole["contributions"]["turnaround"] == {"predicted_us": pytest.approx(12.04, abs=0.01), "simulated_us": 0.0}
    (first, *_) = json.loads(json.dumps(opinions_document(run(softmax())[2])))["steps"]
    assert {"name", "ratio", "predicted_us", "simulated_us"} <= first.keys()


def test_another_device_is_compared_as_well() -> None:
    program = negated()
    problem = Problem(program, load_device("sample"), Pins())
    compilation = compile_problem(captured(program).graph, problem, pipeline="staged")
    trace = simulate(compilation.program, compilation.problem.device)
    found = opinions(compilation, trace)
    assert found.whole.simulated_us == trace.total_us
    assert sum(one.difference_us for one in found.whole.contributions) == pytest.approx(found.whole.difference_us)


def test_two_readings_are_equal() -> None:
    compilation, trace, found = run(softmax(), cores=3)
    assert opinions(compilation, trace) == found
