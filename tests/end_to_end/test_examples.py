"""The bundled examples compile, pass the checker and agree with PyTorch, on one core, four and all of them."""

from __future__ import annotations

import pytest
from frozendict import frozendict

from compiler.codec import from_json, to_json
from compiler.compilation import Compilation
from compiler.loops import OpKind
from compiler.pins import Pins, PinState
from compiler.text.document import from_text, to_text
from resources.examples import examples
from tests.end_to_end.harness import compiled, model, verified

NAMES = [example.name for example in examples()]


def test_all_seven_are_there() -> None:
    assert {"softmax", "mlp", "attention", "rmsnorm", "decoder", "convnet", "mismatch"} <= set(NAMES)


@pytest.mark.parametrize("cores", [1, 4, 32])
@pytest.mark.parametrize("name", NAMES)
def test_an_example_compiles_checks_and_verifies(name: str, cores: int) -> None:
    compilation = compiled(name, cores)
    assert compilation.ok
    report = verified(name, compilation)
    assert report.fault == ""
    assert report.ok, report.first_divergence


@pytest.mark.parametrize("cores", [3, 4, 32])
@pytest.mark.parametrize("name", NAMES)
def test_searched_divisions_are_right_and_never_slower(name: str, cores: int) -> None:
    compilation = compiled(name, cores, pipeline="searched")
    assert compilation.ok
    report = verified(name, compilation)
    assert report.ok, report.first_divergence
    assert compilation.cost.total_us <= compiled(name, cores).cost.total_us + 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_a_real_compilation_round_trips(name: str) -> None:
    compilation = compiled(name, 32)
    assert from_json(Compilation, to_json(compilation)) == compilation
    assert from_text(Compilation, to_text(compilation)) == compilation


@pytest.mark.parametrize("name", NAMES)
def test_two_runs_give_the_same_plan(name: str) -> None:
    assert to_text(compiled(name, 32).plan) == to_text(compiled(name, 32).plan)


@pytest.mark.parametrize("name", NAMES)
def test_a_pinned_split_is_honoured_and_still_right(name: str) -> None:
    program = model(name)[0].program
    op = max(program.ops, key=lambda op: (op.kind in (OpKind.MATMUL, OpKind.CONV), op.iterations))
    loop = next(loop for loop in reversed(op.output_loops[:-1] or op.output_loops) if loop.extent % 2 == 0)
    pins = Pins(division=frozendict({op.name: frozendict({loop.name: 2})}))
    compilation = compiled(name, 4, pins)
    assert compilation.plan.pins[f"division:{op.name}"].state is PinState.HONOURED
    assert compilation.plan.divisions[op.name].factors == frozendict({loop.name: 2})
    assert verified(name, compilation).ok
