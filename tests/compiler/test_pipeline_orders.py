"""Pipelines that people write: passes left out, moved, repeated.  Each is refused, or gives a proved plan."""

from __future__ import annotations

import random

import pytest

from compiler.audit import audit
from compiler.device import load_device
from compiler.errors import StudioError
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram
from compiler.pipeline import PASSES, compile_problem
from compiler.problem import Problem
from tests.programs import chain, transposed
from tests.sketch import Sketch

GRAPH = ModelGraph("m", (), (), ())
OPTIONS = {"co-optimize": "{solver=greedy seconds=0.2}"}
PLACERS = ("place-scratchpad", "place-scratchpad{moves=yes}", "co-optimize{solver=greedy seconds=0.2}")
NAMES = tuple(name + OPTIONS.get(name, "") for name in PASSES)
BEFORE = NAMES[:-2]


def mismatch() -> LoopProgram:
    """The program of the example of that name."""
    return chain(8, 256, 512)


def turned() -> LoopProgram:
    """A sum of a tensor and its transpose, one of which has to be copied."""
    sketch = Sketch()
    x = sketch.apply("neg", sketch.input("x", 128, 128))
    sketch.apply("add", x, transposed(x))
    return sketch.program()


def written(draw: random.Random) -> str:
    """The passes in their order, with up to three of them left out, moved, repeated or added anywhere."""
    spec = [*BEFORE, draw.choice(PLACERS)]
    for _ in range(draw.choice((1, 1, 2, 3))):
        at, to = draw.randrange(len(spec)), draw.randrange(len(spec) + 1)
        change = draw.choice(("leave out", "move", "repeat", "add"))
        if change == "repeat":
            spec.insert(to, spec[at])
        elif change == "add":
            spec.insert(to, draw.choice((*NAMES, *PLACERS)))
        else:
            moved = spec.pop(at)
            spec[to:to] = [moved] if change == "move" else []
    return ",".join(spec)


@pytest.mark.parametrize("program", [mismatch(), turned()], ids=["mismatch", "turned"])
@pytest.mark.parametrize("batch", range(2))
def test_any_order_is_refused_or_gives_a_proved_plan(program: LoopProgram, batch: int) -> None:
    draw = random.Random(batch)
    problem = Problem(program, load_device("spyre"))
    ends = {"refused": 0, "compiled": 0}
    for tried, spec in enumerate({written(draw): None for _ in range(40)}, 1):
        said = ""
        try:
            made = compile_problem(GRAPH, problem, pipeline=spec)
        except StudioError as error:
            said = error.sentence
            ends["refused"] += said.startswith("the pipeline: ")
        else:
            ends["compiled"] += all(verdict.ok for verdict in audit(made))
        assert sum(ends.values()) == tried, f"{spec}: {said}"
    assert all(ends.values()), "both ends are met"


@pytest.mark.parametrize("placer", PLACERS)
def test_passes_without_which_a_plan_fails_are_named(placer: str) -> None:
    sketch = Sketch()
    sketch.matmul(sketch.input("x", 64, 70), sketch.input("w", 70, 64))
    problem = Problem(sketch.program(), load_device("spyre"))
    named = "co-optimized" if placer.startswith("co") else "staged"
    spec = f"assign-layouts,insert-restickify,order-dims,divide-rest,{placer}"
    with pytest.raises(StudioError, match=f"it leaves out pad-operands, .*; add pad-operands, or use '{named}'"):
        compile_problem(GRAPH, problem, pipeline=spec)


def test_what_has_no_division_yet_names_the_pass_that_wants_it() -> None:
    spec = "assign-layouts,insert-restickify,divide-matmul,co-optimize"
    with pytest.raises(StudioError, match="has no division yet; put divide-rest before co-optimize"):
        compile_problem(GRAPH, Problem(mismatch(), load_device("spyre")), pipeline=spec)
