"""Unfold in a compilation: what the log tells, and that the problem of a compilation has what was put in."""

from __future__ import annotations

from frozendict import frozendict

from compiler.graph import ModelGraph
from compiler.pins import Pins, PinState
from compiler.pipeline import compile_problem
from compiler.unfold import changes, unfold
from tests.compiler.test_unfold import flattened
from tests.compiler.unfold_proofs import SPYRE
from tests.programs import problem_of, reshaped, softmax
from tests.sketch import Sketch

GRAPH = ModelGraph("views", (), (), ())


def test_the_log_tells_what_was_put_in_and_the_problem_has_it() -> None:
    found = compile_problem(GRAPH, problem_of(flattened(32, 8, 8)))
    record = found.log[0]
    assert record.spec == "unfold"
    assert record.decided == ("matmul.picture: a copy of picture as [32,64] for matmul",)
    assert found.ok
    assert "matmul.picture" in found.problem.program.op_map
    assert "matmul.picture" in found.plan.layouts


def test_cuts_and_new_dims_are_told() -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("relu", reshaped(sketch.input("x", 128, 96), 128 * 96)))
    program = sketch.program()
    assert changes(program, unfold(program, SPYRE)) == (
        "relu: loop i of 12288 is cut into i0 of 128 and i1 of 96",
        "relu: kept as [128,96], not [12288]",
    )


def test_nothing_is_logged_where_nothing_was_needed() -> None:
    problem = problem_of(softmax(64, 128))
    found = compile_problem(GRAPH, problem)
    assert all(record.spec != "unfold" for record in found.log)
    assert found.problem is problem


def test_a_compilation_is_compiled_again_from_its_own_program() -> None:
    first = compile_problem(GRAPH, problem_of(flattened(32, 8, 8)))
    again = compile_problem(GRAPH, first.problem)
    assert again.problem is first.problem
    assert again.plan == first.plan


def test_the_layout_of_a_copy_can_be_pinned() -> None:
    pins = Pins(layout=frozendict({"matmul.picture": 0}))
    plan = compile_problem(GRAPH, problem_of(flattened(32, 8, 8), pins)).plan
    assert plan.pins["layout:matmul.picture"].state is PinState.HONOURED
    assert plan.layouts["matmul.picture"].stick_dim == 0
