"""Dim orders around indices: what is picked from comes first on the device, whoever fills it."""

from dataclasses import replace

import pytest

from compiler.dim_orders import comes_first
from compiler.dtypes import DType
from compiler.errors import UnsupportedError
from compiler.layout import UNIT
from compiler.passes.order_dims import OrderDims
from compiler.plan import EditKind
from tests.compiler.layout_cases import solved
from tests.compiler.order_cases import embedding, ordered, orders, priced
from tests.programs import problem_of
from tests.sketch import Sketch


@pytest.mark.parametrize("rule", ["search", "public", "default"])
@pytest.mark.parametrize("kind", ["parameter", "computed"])
def test_what_is_picked_by_an_index_comes_first(kind: str, rule: str) -> None:
    plan = ordered(embedding(kind), rule)
    name = "neg" if kind == "computed" else "table"
    assert plan.layouts[name].dim_order == (UNIT, 0, 1)
    assert plan.layouts[name].device_size == (1000, 2, 1, 64)
    assert plan.edits == ()
    assert plan.reasons[f"layout:{name}"].endswith("dim order unit, 0, 1, dim 0 first, because gather picks along it")


@pytest.mark.parametrize("rule", ["search", "public", "default"])
def test_a_table_that_the_host_fills_on_every_call_is_copied(rule: str) -> None:
    plan = ordered(embedding("input"), rule)
    assert [(edit.name, edit.kind, edit.readers) for edit in plan.edits] == [
        ("table@orderu01", EditKind.REORDER, ("gather",))
    ]
    assert plan.layouts["table"].dim_order == (0, 1)
    assert plan.layouts["table@orderu01"].device_size == (1000, 2, 1, 64)
    assert "dim 0 first, because gather picks along it" in plan.reasons["edit:table@orderu01"]
    assert plan.claims["order-dims"].objective == priced(embedding("input"), plan) > 0


def test_a_table_of_one_stick_per_row_is_right_as_it_is() -> None:
    plan = ordered(embedding("input", width=64))
    assert plan.edits == ()
    assert orders(plan) == {}


def test_a_table_of_three_dims_has_room_without_a_unit_dim() -> None:
    sketch = Sketch()
    table, chosen = sketch.parameter("table", 100, 16, 128), sketch.input("chosen", 40, dtype=DType.I64)
    sketch.output(sketch.apply("neg", sketch.rows_of(table, chosen)))
    plan = ordered(sketch.program())
    assert plan.layouts["table"].dim_order == (1, 0, 2)
    assert plan.layouts["table"].device_size == (100, 2, 16, 64)


def test_a_table_and_a_product_of_the_same_buffer() -> None:
    """Rows of dim 0 are picked, and dim 1 holds the batches of a product: dim 2 goes just before the stick."""
    sketch = Sketch()
    table = sketch.apply("neg", sketch.input("table", 64, 4, 128, 64))
    picked = sketch.rows_of(table, sketch.input("chosen", 8, dtype=DType.I64))
    right = sketch.parameter("right", 64, 4, 64, 512)
    sketch.output(picked, sketch.matmul(table, right))
    plan = ordered(sketch.program())
    assert plan.layouts["neg"].dim_order == (2, 0, 1, 3)
    assert comes_first(plan.layouts["neg"], frozenset({0}))
    assert plan.edits == ()


def test_a_write_at_picked_places_into_what_the_host_laid_out_is_refused() -> None:
    program = embedding("input")
    gather = next(op for op in program.ops if op.name == "gather")
    scatter = replace(gather, writes=(replace(gather.reads[1], buffer="table"),), name="scatter")
    broken = replace(program, ops=(*program.ops, scatter))
    with pytest.raises(UnsupportedError) as caught:
        OrderDims()(problem_of(broken), solved(program))
    assert caught.value.sentence == (
        "scatter (model.py:1): it picks from table [1000, 128] along dim 0, which must come first on the device, but "
        "table keeps its order, device sizes [2, 1000, 64]; clone table in a step of its own before it is indexed."
    )
