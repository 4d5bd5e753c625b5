"""What the layout passes promise: reasons with figures, the same answer every time, one sentence for a refusal."""

import re

from frozendict import frozendict

from tests.compiler.layout_cases import refusal, solved
from tests.programs import attention
from tests.sketch import Sketch


def test_reasons_give_figures() -> None:
    plan = solved(attention())
    assert plan.reasons["layout:q"] == "sticks of dim 2; the host fills an input in the default layout"
    assert "131,072 device elements restickified" in plan.reasons["layout:scores"]
    assert plan.reasons["layout:sub"].startswith("sticks of dim 2 (l); keeps the layout of scores; nothing")
    assert "131,072 elements moved" in plan.reasons["edit:k@d1"]
    assert plan.reasons["layout:max"].endswith("no other way")
    assert "with sticks of dim 1 instead 2,097,152 device elements more" in plan.reasons["layout:exp"]


# What the passes promise


def test_passes_are_deterministic_and_leave_the_rest_alone() -> None:
    program = attention()
    first, second = solved(program), solved(program)
    assert first == second
    assert (first.divisions, first.placement, first.kernels) == (frozendict(), frozendict(), ())


def test_refusals_are_one_sentence() -> None:
    sketch = Sketch()
    sketch.output(sketch.reduce("prod", sketch.input("x", 64, 128), 0, 1))
    assert re.fullmatch(r"[^\n]+\.", refusal(sketch))
