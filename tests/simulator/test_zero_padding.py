"""Zero padding: who writes the zeros behind the end of a padded dim, and that every one of them is written once."""

import random as chance
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
import torch

from compiler.division import Division, Split
from compiler.layout import UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import Loop
from simulator.errors import DeviceError
from simulator.functional.execute import Execution
from simulator.functional.memory import Memories, Spot
from simulator.functional.padding import Box, Share, zeros
from tests.simulator.padded import copied, judge, layout, raw, with_layout
from tests.simulator.programs import matmul
from tests.simulator.sketch import dense, split
from tests.simulator.test_broken_programs import restep, wrong_step


def test_the_host_fills_a_weight_up_with_zeros_and_leaves_the_lanes_beyond_alone() -> None:
    case = matmul(k=100, n=96, k_split=1)
    execution = Execution(case.sketch.program(), case.inputs)
    found = raw(execution, "w")  # [2 sticks of n, 128 rows, 64 lanes]
    assert found.shape == (2, 128, 64)
    assert torch.equal(found[:, :100].transpose(0, 1).reshape(100, 128)[:, :96], case.inputs["w"])
    assert (found[:, 100:] == 0).all()
    assert found[1, :100, 32:].isnan().all()


DIVISIONS = [
    split(),
    split(d0=(4, 25)),
    split(d1=(3, 64)),
    split(d0=(3, 40), d1=(2, 128)),
    split(d1=(2, 128), d0=(2, 64)),
]


@pytest.mark.parametrize("division", DIVISIONS, ids=str)
@pytest.mark.parametrize("order", [None, (UNIT, 0, 1), (0, 1, -1)])
def test_a_copy_into_a_padded_layout_writes_the_zeros(order: tuple[int, ...] | None, division: Division) -> None:
    case = copied(layout((100, 150), order, (0, 128)), division, split(n=(3, 64)))
    report = judge(case)
    assert report.ok, report
    for missing in ((0, 127), (0, 101)):
        assert wrong_step(judge(with_layout(case, "p", layout((100, 150), order, missing)))) == "mm"


def test_no_core_writes_the_zeros_if_the_last_one_is_missing() -> None:
    case = copied(layout((100, 150), None, (0, 128)), split(d0=(2, 64), d1=(2, 128)))
    program = restep(case.sketch.program(), "fill", lambda op: replace(op, slices=op.slices[:-1]))
    assert wrong_step(judge(case, program)) == "fill"
    execution = Execution(program, case.inputs)
    execution.run()
    execution.run(lambda _: None)
    found = raw(execution, "p")  # [3 sticks, 128 rows, 64 lanes]
    assert (found[:2, 100:] == 0).all()
    assert found[2, 64:].isnan().all(), "rows 64 to 128 of the last stick were the fourth core's"


def test_without_the_zeros_of_a_copy_the_result_is_corrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_memories: Memories, _spot: Spot, _box: Box) -> None:
        return

    case = copied(layout((100, 150), None, (0, 128)))
    assert judge(case).ok
    monkeypatch.setattr(Memories, "zero", nothing)
    report = judge(case)
    assert wrong_step(report) == "mm"
    assert wrong_step(judge(matmul(k=100, k_split=1))) == "mm"


def test_a_restickify_that_fills_up_too_may_be_divided_along_both_sticks() -> None:
    """The source has K on its sticks, the target N: both loops are cut in whole sticks."""
    case = copied(layout((100, 150), None, (0, 128)), split(d0=(2, 64), d1=(3, 64)))
    turned = with_layout(case, "a", layout((100, 150), (1, 0)))
    assert judge(turned).ok
    assert wrong_step(judge(with_layout(turned, "p", layout((100, 150))))) == "mm"


def test_what_no_core_holds_cannot_be_filled_up() -> None:
    case = copied(layout((100, 150), None, (0, 128)))
    resident = replace(case, sketch=replace(case.sketch, lx={"p": 0}))
    report = judge(resident)
    assert report.fault.startswith("step fill: LX write outside what core 0 holds of p")


def test_a_box_outside_of_a_tensor_is_not_filled_up() -> None:
    execution = Execution(matmul().sketch.program(), matmul().inputs)
    spot = Spot(execution.tensors["w"], 3, "test", write=True)
    with pytest.raises(DeviceError, match="step test: write of w outside the tensor on core 3"):
        execution.memories.zero(spot, ((0, 1), (0, 257), (0, 64)))


# Every place once


def shares(made: StickLayout, shape: tuple[int, ...], division: Division) -> list[tuple[Box, ...]]:
    """The boxes of zeros of every core, from the coordinates of the elements it writes, one by one."""
    nest = tuple(Loop(f"d{dim}", size) for dim, size in enumerate(shape))
    parts = []
    for core in range(division.cores):
        axes = np.ix_(*(np.arange(*bound, dtype=np.int64) for bound in division.bounds(nest, core)))
        offsets = sum(axis * step for axis, step in zip(axes, dense(shape), strict=True))
        found = made.coordinates(np.asarray(offsets).reshape(-1))
        parts.append((found.min(axis=1), found.max(axis=1)))
    last = np.max([high for _, high in parts], axis=0)
    return [zeros(made, shape, Share(low, high, last)) for low, high in parts]


def padded_sticks(made: StickLayout, shape: tuple[int, ...]) -> np.ndarray:
    """True for sticks where some padded dim is beyond its host size, from the layout of a tensor that is so long."""
    longer = tuple(dict(made.padding).get(dim, size) for dim, size in enumerate(shape))
    grown = stick_layout(longer, dense(longer), made.elements_per_stick, made.dim_order, made.arrangement)
    assert grown.device_size == made.device_size
    inside = np.zeros(made.device_size, dtype=bool)
    outside = np.zeros(made.device_size, dtype=bool)
    for offset, place in enumerate(np.ndindex(*longer)):
        where = tuple(grown.coordinates(np.array([offset]))[:, 0])
        beyond = any(at >= size for at, size in zip(place, shape, strict=True))
        (outside if beyond else inside)[where] = True
    assert not (inside & outside).any()
    return np.asarray(outside.any(axis=-1))


SHAPES: Mapping[str, tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...]]] = {
    "rows": ((5, 70), (0, 1), ((0, 8),)),
    "unit": ((5, 70), (UNIT, 0, 1), ((0, 8),)),
    "middle": ((2, 5, 70), (0, 1, 2), ((1, 8),)),
    "first": ((2, 5, 70), (0, 1, 2), ((0, 3),)),
    "both": ((2, 5, 70), (1, 0, 2), ((1, 8), (0, 4))),
    "one row": ((1, 70), (0, 1), ((0, 3),)),
    "alone": ((5, 3), (0, 1, -1), ((1, 4), (0, 7))),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_every_padded_place_is_written_once_and_nothing_else(name: str, seed: int) -> None:
    shape, order, padding = SHAPES[name]
    made = stick_layout(shape, dense(shape), 64, order, padding=padding)
    rng = chance.Random(f"{name} {seed}")
    splits = []
    for dim, size in enumerate(shape):
        step = 64 if dim == made.stick_dim else rng.randint(1, size)
        splits.append(Split(f"d{dim}", -(-size // step), step))
    division = Division(tuple(splits))
    written = np.zeros(made.device_size, dtype=int)
    for boxes in shares(made, shape, division):
        for box in boxes:
            written[tuple(slice(*ends) for ends in box)] += 1
    expected = padded_sticks(made, shape)
    assert (written[expected] == 1).all(), "all lanes of them"
    assert not written[~expected].any(), "rows of the host keep the lanes behind their end"


def test_the_second_stick_of_a_pair_is_filled_up_too() -> None:
    made = stick_layout((3, 33), (33, 1), 32, None, Arrangement.F16_TO_F32, padding=((0, 4),))
    assert made.device_size == (2, 4, 32)
    assert shares(made, (3, 33), Division()) == [(((0, 2), (3, 4), (0, 32)),)]
    single = stick_layout((3, 3), (3, 1), 32, None, Arrangement.F16_TO_F32, padding=((0, 4),))
    assert shares(single, (3, 3), split(d0=(3, 1)))[2] == (((0, 2), (3, 4), (0, 32)),)
