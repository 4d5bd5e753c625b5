"""Contractions that end within a stick: what they read behind the last row of their right operand."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from compiler.dtypes import DType
from compiler.layout import UNIT, StickLayout
from compiler.loops import OpKind
from simulator.functional.address import AccessMap
from simulator.functional.execute import Execution
from simulator.functional.memory import Memories, Spot
from simulator.functional.space import Space
from simulator.functional.tail import tail_of
from tests.simulator.padded import BF16, F16, F32, batched, convolved, experts, judge, layout, put, sliced, with_layout
from tests.simulator.programs import Case, matmul, random
from tests.simulator.sketch import Sketch, at, buffer, contraction, given, loops, split
from tests.simulator.test_broken_programs import retensor, wrong_step

I32 = DType.I32


@pytest.mark.parametrize("dtype", [F16, F32, BF16])
@pytest.mark.parametrize("order", [None, (1, 0, 2), (UNIT, 0, 1, 2), (UNIT, 1, 0, 2)])
def test_a_padded_weight_in_any_order_is_right(order: tuple[int, ...] | None, dtype: DType) -> None:
    for division in (None, split(b=(3, 1)), split(k=(2, 64), n=(2, 64)), split(m=(2, 5), b=(3, 1))):
        for poison in (True, False):
            report = judge(batched(order, dtype, division), poison=poison)
            assert report.ok, (division, report)


@pytest.mark.parametrize("k_split", [1, 2])
@pytest.mark.parametrize(
    "made",
    [
        layout((100, 128)),
        layout((100, 128), None, (0, 112)),
        layout((100, 128), None, (0, 127)),
        layout((100, 128), (UNIT, 0, 1)),
        layout((100, 128), (1, 0)),  # K on the sticks of the right operand, which end with poison
        layout((100, 128), (0, 1, -1)),
    ],
)
def test_padding_too_short_or_missing_is_corruption_not_a_crash(made: StickLayout, k_split: int) -> None:
    case = matmul(k=100, k_split=1)
    if k_split > 1:
        case = replace(case, sketch=replace(case.sketch, divisions={"mm": split(k=(2, 64), n=(2, 64))}))
    assert judge(case).ok
    wrong = with_layout(case, "w", made)
    report = judge(wrong)
    assert not report.ok
    assert wrong_step(report) == "mm"
    assert report.outputs[0].comparison.got == "nan"
    assert judge(wrong, poison=False).ok, "without poison what lies beyond happens to be 0"


def test_padding_of_another_dim_is_no_padding() -> None:
    case = batched()
    wrong = with_layout(case, "w", layout((3, 70, 96), None, (0, 128)))
    assert wrong_step(judge(wrong)) == "mm"


def test_only_cores_with_the_last_slice_of_k_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    read = Memories.beyond

    def note(self: Memories, spot: Spot, where: AccessMap, space: Space, place: int, count: int, _: None) -> Tensor:
        seen.append(spot.core)
        return read(self, spot, where, space, place, count, None)

    monkeypatch.setattr(Memories, "beyond", note)
    case = matmul(k=100, k_split=1)
    divided = replace(case, sketch=replace(case.sketch, divisions={"mm": split(k=(2, 64), n=(2, 64))}))
    assert judge(divided).ok
    assert seen == [1, 3]


def test_whole_sticks_need_no_padding() -> None:
    case = matmul(k=128, k_split=2)
    assert not case.sketch.program().tensor_map["w"].layout.padding
    assert judge(case).ok


# What lies beyond is read from the bytes


def spoiled(case: Case, row: int, column: int, value: float) -> Tensor:
    """The result where one element behind the last row of the weight holds a value."""
    execution = Execution(case.sketch.program(), case.inputs)
    put(execution, "w", (column // 64, row, column % 64), value)
    execution.run()
    return execution.tensor("y")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("row", [100, 127])
def test_one_bad_place_behind_the_last_row_spoils_its_column(value: float, row: int) -> None:
    case = matmul(k=100, k_split=1)
    found = spoiled(case, row, 77, value)
    assert found[:, 77].isnan().all()
    assert int(found.isnan().sum()) == len(found)


def test_a_number_behind_the_last_row_does_no_harm() -> None:
    case = matmul(k=100, k_split=1)
    assert torch.equal(spoiled(case, 100, 77, 1000.0), spoiled(case, 100, 77, 0.0))


def test_the_stick_ends_where_reading_ends() -> None:
    case = with_layout(matmul(k=100, k_split=1), "w", layout((100, 128), None, (0, 200)))
    assert spoiled(case, 128, 77, math.nan).isfinite().all()


def test_rows_of_the_same_tensor_behind_a_slice_are_read_too() -> None:
    assert judge(sliced(3.0)).ok
    assert wrong_step(judge(sliced(math.inf))) == "mm"


def test_a_convolution_reads_every_tap_to_the_end_of_the_stick() -> None:
    assert judge(convolved()).ok
    for wrong in (layout((5, 40, 3), (1, 2, 0), (1, 63)), layout((5, 40, 3), (1, 2, 0), (2, 64))):
        assert wrong_step(judge(with_layout(convolved(), "w", wrong))) == "conv"


def test_chosen_weights_are_read_to_the_end_of_the_stick() -> None:
    assert judge(experts(layout((4, 70, 64), (1, 0, 2), (1, 128)))).ok
    assert wrong_step(judge(experts(layout((4, 70, 64), (1, 0, 2), (1, 120))))) == "mm"
    assert wrong_step(judge(experts(layout((4, 70, 64), (1, 0, 2))))) == "mm"


def test_integers_times_zero_are_zero() -> None:
    x, w = torch.arange(40).reshape(4, 10).int(), torch.arange(320).reshape(10, 32).int()
    nest = loops("k", m=4, n=32, k=10)
    op = contraction("mm", nest, at("x", m=10, k=1), at("w", k=32, n=1), at("y", m=32, n=1), I32)
    sketch = Sketch((given("x", (4, 10), I32), given("w", (10, 32), I32), buffer("y", (4, 32), I32)), (op,), ("y",))
    assert judge(Case(sketch, {"x": x, "w": w}, (x @ w,))).ok


def test_what_does_not_move_with_k_is_not_read_beyond() -> None:
    x, w = random(8, 100), random(1, 64, seed=1)
    op = contraction("mm", loops("k", m=8, n=64, k=100), at("x", m=100, k=1), at("w", n=1), at("y", m=64, n=1))
    sketch = Sketch((given("x", (8, 100)), given("w", (1, 64)), buffer("y", (8, 64))), (op,), ("y",))
    assert judge(Case(sketch, {"x": x, "w": w}, ((x.float().sum(1, keepdim=True) * w.float()).half(),))).ok


def test_only_contractions_whose_left_operand_ends_within_a_stick_have_a_tail() -> None:
    program = matmul(k=100, k_split=1).sketch.program()
    execution = Execution(program, matmul(k=100, k_split=1).inputs)
    (step,) = execution.steps
    found = tail_of(step.op, lambda read: execution.read_map(step, read))
    assert found is not None
    assert (step.op.loops[found.place].name, found.extent, found.count, found.read) == ("k", 100, 28, 1)
    across = retensor(program, "x", lambda t: replace(t, layout=layout((32, 100), (1, 0))))
    other = Execution(across, matmul(k=100, k_split=1).inputs)
    assert tail_of(step.op, lambda read: other.read_map(other.steps[0], read)) is None, "K lies across the sticks"
    added = replace(step.op, kind=OpKind.REDUCTION, results=(0,))
    assert tail_of(added, lambda read: execution.read_map(step, read)) is None
