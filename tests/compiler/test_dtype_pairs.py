"""Conversions: every pair of element types has a legal plan or is refused by name, with a remedy."""

import pytest

from compiler.dtypes import DType
from compiler.errors import UnsupportedError
from compiler.layout import Arrangement
from tests.compiler.layout_cases import legal, names, solved
from tests.dtype_pairs import DTYPES, LANES, PAIRS, conversion, has_step
from tests.sketch import Sketch

SHAPE = (4, 128)


@pytest.mark.parametrize(("source", "target"), [pair for pair in PAIRS if has_step(*pair)])
def test_a_conversion_with_a_step_has_a_legal_plan(source: DType, target: DType) -> None:
    sketch = Sketch()
    x = sketch.input("x", *SHAPE, dtype=source)
    sketch.output(x if source is target else sketch.cast(x, target))
    plan = legal(sketch)
    for name, dtype in (("x", source), ("cast", target)):
        if name in plan.layouts and dtype is not DType.BOOL:
            assert plan.layouts[name].elements_per_stick == LANES[dtype]
    changed = {LANES.get(source), LANES.get(target)} == {64, 32}
    assert len(plan.edits) == changed, "a result in standard order takes one copy where the width changes"


@pytest.mark.parametrize(("source", "target"), [pair for pair in PAIRS if not has_step(*pair)])
def test_a_conversion_without_a_step_is_refused_by_name(source: DType, target: DType) -> None:
    with pytest.raises(UnsupportedError) as caught:
        solved(conversion(source, target, *SHAPE))
    sentence = caught.value.sentence
    assert sentence.startswith("cast (model.py:1): given x [4, 128], ")
    assert f"no step converts {LANES[source]}-lane {source} x to {LANES[target]}-lane {target} cast" in sentence
    remedy = f"convert x to {target.torch_name} before it enters the model"
    if LANES[source] != 128:
        remedy = "leave x as it is and convert it after it leaves the model"
    assert remedy in caught.value.remedy
    assert "candidates for x: sticks of dim 0 (i) or 1 (j)" in caught.value.remedy


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_single_values_convert_into_anything(source: DType, target: DType) -> None:
    assert solved(conversion(source, target, 4, 1)).edits == ()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_copy_of_any_type_turns_its_sticks(dtype: DType) -> None:
    sketch = Sketch()
    x, y = sketch.input("x", 96, 160, dtype=dtype), sketch.input("y", 160, 96, dtype=dtype)
    turned = sketch.cat(0, x.permuted((1, 0)))
    sketch.output(sketch.apply("eq", turned, y))
    plan = legal(sketch)
    assert names(plan) == []
    assert plan.layouts["cat"].stick_dim == 1


@pytest.mark.parametrize(
    ("source", "target"), [(DType.F16, DType.F32), (DType.BF16, DType.I32), (DType.I64, DType.F16)]
)
def test_there_and_back_needs_no_copy(source: DType, target: DType) -> None:
    sketch = Sketch()
    wide = sketch.apply("neg", sketch.cast(sketch.input("x", *SHAPE, dtype=source), target))
    sketch.output(sketch.cast(wide, source))
    plan = legal(sketch)
    assert names(plan) == []
    assert plan.layouts["neg"].arrangement is not Arrangement.STANDARD
    assert plan.layouts["cast_1"].arrangement is Arrangement.STANDARD


def test_a_bool_takes_the_lanes_of_each_reader() -> None:
    """Made from bytes, used with halves: one copy to other lanes."""
    sketch = Sketch()
    x, y = sketch.input("x", *SHAPE, dtype=DType.I8), sketch.input("y", *SHAPE)
    sketch.output(sketch.apply("where", sketch.apply("gt", x, x), y, y))
    plan = legal(sketch)
    assert names(plan) == ["gt@d1x64"]
    assert plan.layouts["gt"].elements_per_stick == 128
