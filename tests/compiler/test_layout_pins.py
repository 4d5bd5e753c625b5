"""Layout pins: kept, or refused with a sentence that says why."""

import pytest
from frozendict import frozendict

from compiler.pins import Pins, PinState
from compiler.plan import Plan
from tests.compiler.layout_cases import legal, names, refusal, solved, total
from tests.programs import chain
from tests.sketch import Sketch


def status(plan: Plan, name: str) -> tuple[PinState, str]:
    found = plan.pins[f"layout:{name}"]
    return found.state, found.detail


def test_a_pin_is_kept_and_paid_for() -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.apply("relu", sketch.input("x", 64, 128))))
    plan = legal(sketch, {"relu": 0})
    assert status(plan, "relu") == (PinState.HONOURED, "")
    assert plan.layouts["relu"].stick_dim == 0
    assert names(plan) == ["x@d0"]
    assert plan.reasons["layout:relu"].endswith(
        "pinned; 8,192 device elements restickified for it; with sticks of dim 1 instead as much"
    )


def test_a_pinned_reduction_leaves_sticks() -> None:
    """What is refused without the pin: one value per stick against a matrix in sticks."""
    sketch = Sketch()
    a, b = sketch.input("a", 8, 64, 16), sketch.input("b", 8, 64)
    sketch.output(total(sketch, sketch.reduce("min", a, -1, keep=False), b))
    assert "min has one value per stick" in refusal(sketch)
    plan = legal(sketch, {"min": 1})
    assert status(plan, "min")[0] is PinState.HONOURED
    assert names(plan) == ["a@d1"]


@pytest.mark.parametrize(
    ("name", "dim", "words"),
    [
        ("rel", 0, "there is no buffer rel; the nearest name is relu"),
        ("relu", 2, "relu has no dim 2; its dims are 0 to 1"),
        ("relu", -1, "relu has no dim -1"),
        ("relu", True, "True, not a whole number"),
        ("relu", "j", "'j', not a whole number"),
        ("x", 0, "x is filled by the host, which cuts its last dim, 1"),
    ],
)
def test_a_pin_that_cannot_be_tried_is_refused(name: str, dim: int, words: str) -> None:
    plan = solved(chain(64, 128), Pins(layout=frozendict({name: dim})))
    state, detail = status(plan, name)
    assert state is PinState.REFUSED
    assert words in detail
    unpinned = solved(chain(64, 128))
    assert (plan.layouts, plan.edits) == (unpinned.layouts, unpinned.edits)


def test_a_pin_on_an_input_that_asks_for_what_it_has_is_kept() -> None:
    plan = solved(chain(64, 128), Pins(layout=frozendict({"x": 1})))
    assert status(plan, "x") == (PinState.HONOURED, "")


def test_a_pin_that_its_op_cannot_write_is_refused() -> None:
    sketch = Sketch()
    sketch.output(sketch.matmul(sketch.input("x", 64, 64), sketch.input("y", 64, 128)))
    plan = legal(sketch, {"matmul": 0})
    state, detail = status(plan, "matmul")
    assert state is PinState.REFUSED
    assert detail.startswith("matmul cannot write matmul in sticks of dim 0; it can cut dim 1")


def test_a_pin_that_leaves_a_later_op_without_a_way_is_refused() -> None:
    """On its dim of size 1 the sum has one value per stick, and those cannot meet a matrix."""
    sketch = Sketch()
    a, b = sketch.input("a", 8, 16, 64), sketch.input("b", 8, 1, 64)
    sketch.output(total(sketch, sketch.reduce("sum", a, 1), b))
    plan = legal(sketch, {"sum": 1})
    state, detail = status(plan, "sum")
    assert state is PinState.REFUSED
    assert detail.startswith(
        "then add (model.py:2): given sum [8, 1, 64] and b [8, 1, 64], no loop can be on the sticks of all its tensors"
    )
    assert "sum has one value per stick" in detail
    assert plan.layouts["sum"].stick_dim == 2
    assert plan.edits == ()


def test_every_layout_pin_comes_back_with_a_status() -> None:
    pins = {"relu": 0, "neg": 1, "x": 0, "missing": 3}
    plan = solved(chain(64, 128), Pins(layout=frozendict(pins)))
    assert set(plan.pins) == {f"layout:{name}" for name in pins}
