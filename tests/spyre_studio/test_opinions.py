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
from simulator.timing.work_of import work_of
from simulator.trace import Trace
from spyre_studio.opinion_accounts import Part
from spyre_studio.opinion_words import Scope, words_of
from spyre_studio.opinions import Opinions, Sides, describe_opinions, opinions, opinions_document, parted
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
    assert kernel.reason.startswith(
        "11.9 µs less (−30 %): −12.0 µs, changing between reads and writes takes 0 µs where"
    )
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


@pytest.mark.parametrize(
    ("part", "times", "scope", "words"),
    [
        (Part.PATTERN, (-6.0, 0.0), Scope(1, 0, 150.0), "the cost model takes off 6.0 µs by the rates"),
        (Part.PATTERN, (2.0, 0.0), Scope(1, 0, 150.0), "the cost model adds 2.0 µs by the rates"),
        (
            Part.BYTES,
            (0.0, 7.0),
            Scope(1, 0, 150.0, again=True),
            "loads an input again that the cost",
        ),
        (Part.BYTES, (1.0, 7.0), Scope(1, 0, 150.0), "a part that several cores need is loaded by each of them"),
        (Part.BYTES, (1.0, 7.0), Scope(9, 0, 150.0, again=True), "what several steps read is loaded by each of them"),
        (Part.PRODUCT, (1.0, 7.0), Scope(1, 0, 150.0, fill=0.25), "; rows fill 25 % of the array, and every pass"),
        (
            Part.HIDDEN,
            (-43.7, 0.0),
            Scope(1, 0, 150.0),
            "no transfer overlaps work, the cost model hides 43.7 µs",
        ),
        (Part.REQUESTS, (0.0, 0.85), Scope(1, 0, 150.0), "take 850.0 ns longer than their bytes"),
        (Part.DELIVERY, (0.0, 25.8), Scope(1, 0, 150.0), "by 25.8 µs in the simulator, by 0 µs in the cost model"),
    ],
)
def test_words_name_what_it_is_about(part: Part, times: tuple[float, float], scope: Scope, words: str) -> None:
    assert words in words_of(part, *times, scope)


def test_full_rows_are_no_reason() -> None:
    assert "rows" not in words_of(Part.PRODUCT, 1.0, 7.0, Scope(1, 0, 150.0))


def test_what_a_step_before_has_loaded_is_told_at_the_step_that_loads_it_again() -> None:
    _, _, found = run(softmax())
    (sub,) = [step for step in found.steps if step.name == "sub"]
    assert "it loads an input again" in sub.reason
    assert "several cores" not in sub.reason


def test_rows_that_are_filled_up_are_named() -> None:
    sketch = Sketch("thin")
    sketch.output(sketch.matmul(sketch.input("a", 2, 1024), sketch.input("b", 1024, 1024)))
    compilation, trace, _ = run(sketch.program())
    work = work_of(compilation.program, compilation.problem.device)
    assert work[0].macs is not None
    wanted = 2 * 1024 * 1024
    share = wanted / int(work[0].macs.sum())
    assert share < 0.5
    sides = Sides(compilation, trace, work)
    assert sides.scope([0]).fill == pytest.approx(share)


def test_what_is_left_of_a_difference_is_told() -> None:
    _, _, found = run(softmax())
    whole = found.whole
    *named, (rest, words) = whole.told
    assert sum(size for size, _ in named) + rest == pytest.approx(whole.difference_us)
    assert abs(rest) > 0.1 * abs(whole.difference_us)
    assert "smaller differences" in words
    assert words in describe_opinions(found)[len(named) + 1]
    assert whole.reason.endswith(words)


def test_short_times_are_written_alike_on_both_sides() -> None:
    text = "\n".join(describe_opinions(run(softmax())[2]))
    assert " 0.0 µs" not in text
    assert "predicted 0 µs, simulated 74.9 ns" in text


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
