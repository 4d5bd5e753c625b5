"""Access maps: every way to find an element leads to the place its layout says."""

import random

import numpy as np
import pytest
import torch
from torch import Tensor

from compiler.layout import UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import Index, Loop, Term
from simulator.functional.address import AccessMap, Frame, OutsideError, access_map
from simulator.functional.block import Indexed, Strided, steps_of
from simulator.functional.space import Space
from tests.simulator.sketch import at, loops


def whole_frame(layout: StickLayout) -> Frame:
    return Frame(0, (0,) * len(layout.device_size), layout.device_size)


def space_of(frame: Frame) -> int:
    return frame.base + int(np.prod(frame.size))


def places(where: AccessMap, space: Space, frame: Frame) -> Tensor:
    """The positions of a block, read from a memory that holds its own addresses."""
    found = where.block(space, frame).load(torch.arange(space_of(frame)))
    return found.expand(space.shape)


def expected(index: Index, space: Space, layout: StickLayout) -> Tensor:
    offsets = np.broadcast_to(index.evaluate(space.grid()), space.shape)
    return torch.from_numpy(layout.positions(np.ascontiguousarray(offsets)))


def full(nest: tuple[Loop, ...]) -> Space:
    return Space(nest, tuple((0, loop.extent) for loop in nest))


SHAPES = [(150,), (5, 150), (3, 4, 70), (2, 3, 5, 64), (1, 7, 9), (100, 100)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("lanes", [32, 64, 128])
def test_dense_walks_in_every_stick_dim(shape: tuple[int, ...], lanes: int) -> None:
    strides = tuple(int(np.prod(shape[dim + 1 :])) for dim in range(len(shape)))
    nest = tuple(Loop(f"d{dim}", size) for dim, size in enumerate(shape))
    index = Index(0, tuple(Term(step, ((loop.name, 1),)) for loop, step in zip(nest, strides, strict=True)))
    rng = random.Random(f"{shape} {lanes}")
    for last in (*range(len(shape)), -1):
        order = [dim for dim in range(len(shape)) if dim != last]
        rng.shuffle(order)
        ranges = [sorted(rng.sample(range(size + 1), 2)) for size in shape]
        part = Space(nest, tuple((low, high) for low, high in ranges))
        for first in ((), (UNIT,)):
            layout = stick_layout(shape, strides, lanes, (*first, *order, last))
            where = AccessMap(index, nest, layout)
            for space in (full(nest), part):
                assert where.separable
                assert torch.equal(places(where, space, whole_frame(layout)), expected(index, space, layout))


@pytest.mark.parametrize("arrangement", list(Arrangement))
def test_rearranged_lanes(arrangement: Arrangement) -> None:
    lanes = 32 if arrangement is Arrangement.F16_TO_F32 else 64
    layout = stick_layout((3, 200), (200, 1), lanes, None, arrangement)
    nest = loops(i=3, j=200)
    index = at("x", i=200, j=1).index
    for ends in ((0, 200), (64, 128), (64, 200)):
        space = Space(nest, ((0, 3), ends))
        assert torch.equal(
            places(AccessMap(index, nest, layout), space, whole_frame(layout)), expected(index, space, layout)
        )


@pytest.mark.parametrize(
    ("index", "extents"),
    [
        (at("x", a=48, b=1).index, (12, 48)),  # carries from lane to stick
        (at("x", 30, a=64, b=1).index, (8, 64)),  # starts in the middle of a stick
        (at("x", 575, a=-48, b=-1).index, (12, 48)),  # backwards
        (Index(0, (Term(24, (("a", 1),), 0, 24, 0), Term(1, (("a", 1),), 0, 1, 24), Term(24, (("b", 1),)))), (48, 22)),
        (Index(0, (Term(1, (("a", 48), ("b", 1)), 0, 1, 0),)), (12, 48)),  # several loops in one plain term
        (Index(0, (Term(8, (("a", 48), ("b", 1)), 0, 8, 0),)), (12, 48)),  # several loops below one floor
        (Index(0, (Term(2, (), 5, 2, 0), Term(1, (("b", 1),)))), (1, 64)),  # a term without loops
    ],
)
def test_indices_that_carry_divide_or_run_backwards(index: Index, extents: tuple[int, int]) -> None:
    layout = stick_layout((24, 24), (24, 1), 64, (1, 0))
    flat = stick_layout((576,), (1,), 64)
    nest = loops(a=extents[0], b=extents[1])
    for each in (layout, flat):
        space = full(nest)
        assert torch.equal(places(AccessMap(index, nest, each), space, whole_frame(each)), expected(index, space, each))


def test_a_part_of_a_tensor_in_lx_counts_from_its_own_start() -> None:
    layout = stick_layout((4, 150), (150, 1), 64)
    nest = loops(i=4, j=150)
    where = AccessMap(at("x", i=150, j=1).index, nest, layout)
    box = Frame(512, (0, 2, 0), (3, 2, 64))
    found = places(where, Space(nest, ((2, 4), (0, 150))), box)
    assert found[0, 0] == 512
    assert found[1, 0] == 512 + 64
    assert found[0, 64] == 512 + 128
    for outside in (((1, 4), (0, 150)), ((2, 4), (0, 150))):
        small = Frame(512, (0, 2, 0), (3 if outside[0][0] < 2 else 2, 2, 64))
        with pytest.raises(OutsideError):
            where.block(Space(nest, outside), small)


def test_negative_offsets_are_outside() -> None:
    layout = stick_layout((4, 64), (64, 1), 64)
    nest = loops(i=4, j=64)
    with pytest.raises(OutsideError):
        AccessMap(at("x", -64, i=64, j=1).index, nest, layout).block(full(nest), whole_frame(layout))


def test_whole_sticks_reach_into_padding() -> None:
    nest = loops("j", i=2, j=70)
    layout = stick_layout((2, 70), (70, 1), 64)
    where = AccessMap(at("x", i=70, j=1).index, nest, layout)
    assert (where.lanes_of("j"), where.lanes_of("i")) == (64, 0)
    found = places(where, Space(nest, ((0, 2), (0, 128))), whole_frame(layout))
    assert found.flatten().sort().values.tolist() == list(range(256)), "every element of every stick, once"


def test_whole_sticks_of_rearranged_lanes_reach_into_padding() -> None:
    nest = loops("j", i=2, j=70)
    layout = stick_layout((2, 70), (70, 1), 32, None, Arrangement.F16_TO_F32)
    where = AccessMap(at("x", i=70, j=1).index, nest, layout)
    found = places(where, Space(nest, ((0, 2), (64, 96))), whole_frame(layout))
    valid = places(where, Space(nest, ((0, 2), (0, 70))), whole_frame(layout))
    padding = set(found[:, 6:].flatten().tolist())
    assert len(padding) == 52
    assert not padding & set(valid.flatten().tolist())


def beyond(where: AccessMap, space: Space, frame: Frame, gathered: Tensor | None = None) -> Tensor:
    """Positions of three more iterations of the first loop."""
    found = where.beyond(space, 0, 3, frame, gathered).load(torch.arange(space_of(frame)))
    return found.expand(3, *space.shape[1:])


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (UNIT, 0, 1, 2), (0, 2, 1)])
def test_more_iterations_lie_where_a_longer_tensor_has_them(order: tuple[int, ...]) -> None:
    dim = 1 if order[-1] == 2 else 2
    shape = (3, 5, 70) if dim == 1 else (3, 70, 5)
    longer = (3, 9, 70) if dim == 1 else (3, 70, 9)
    strides = {
        name: tuple(int(np.prod(size[place + 1 :])) for place in range(3))
        for name, size in (("short", shape), ("long", longer))
    }
    layout = stick_layout(shape, strides["short"], 64, order, padding=((dim, 9),))
    grown = stick_layout(longer, strides["long"], 64, order)
    others = [place for place in range(3) if place != dim]
    nest = loops(k=5, a=3, n=70)
    moves = {"k": strides["short"][dim], "a": strides["short"][others[0]], "n": strides["short"][others[1]]}
    far = {"k": strides["long"][dim], "a": strides["long"][others[0]], "n": strides["long"][others[1]]}
    where = AccessMap(at("x", **moves).index, nest, layout)
    space = Space(nest, ((0, 5), (1, 3), (10, 70)))
    more = Space(loops(k=9, a=3, n=70), ((5, 8), (1, 3), (10, 70)))
    want = expected(at("x", **far).index, more, grown)
    assert torch.equal(beyond(where, space, whole_frame(layout)), want)
    assert torch.equal(beyond(where, space, whole_frame(layout), torch.zeros(1, 1, 1, dtype=torch.int64)), want)


@pytest.mark.parametrize(
    ("index", "extents", "order"),
    [
        (at("x", k=70, n=1).index, (7, 70), (0, 1)),  # two rows are left, three are wanted
        (at("x", k=1, n=70).index, (70, 5), (0, 1)),  # the lanes of a stick go on, but not in equal steps
        (at("x", 4 * 70, k=-70, n=1).index, (5, 70), (0, 1)),  # backwards beyond the start
        (Index(0, (Term(70, (("k", 1),), 0, 2, 0), Term(1, (("n", 1),)))), (6, 70), (0, 1)),  # every row twice
        (Index(0, (Term(1, (("k", 70), ("n", 1)), 0, 1, 0), Term(64, (("k", 1),), 0, 3, 0))), (6, 6), (0, 1)),
    ],
)
def test_what_does_not_go_on_in_equal_steps_or_leaves_the_tensor_is_outside(
    index: Index, extents: tuple[int, int], order: tuple[int, ...]
) -> None:
    layout = stick_layout((9, 70), (70, 1), 64, order)
    nest = loops(k=extents[0], n=extents[1])
    where = AccessMap(index, nest, layout)
    assert places(where, full(nest), whole_frame(layout)).shape == extents
    for gathered in (None, torch.zeros(1, 1, dtype=torch.int64)):
        with pytest.raises(OutsideError):
            where.beyond(full(nest), 0, 3, whole_frame(layout), gathered)


def test_what_a_value_chooses_anew_each_time_does_not_go_on() -> None:
    layout = stick_layout((9, 70), (70, 1), 64, padding=((0, 16),))
    nest = loops(k=5, n=70)
    where = AccessMap(at("x", k=70, n=1).index, nest, layout)
    with pytest.raises(OutsideError):
        where.beyond(full(nest), 0, 3, whole_frame(layout), torch.zeros(5, 1, dtype=torch.int64))


@pytest.mark.parametrize(
    "index", [at("x", i=70, j=1).index, Index(0, (Term(1, (("i", 70), ("j", 1)), 0, 1, 0),)), at("x", 70, j=1).index]
)
def test_the_hull_of_an_access(index: Index) -> None:
    layout = stick_layout((4, 150), (150, 1), 64)
    nest = loops(i=4, j=70)
    space = Space(nest, ((1, 4), (3, 66)))
    found = layout.coordinates(np.broadcast_to(index.evaluate(space.grid()), space.shape).reshape(-1))
    low, high = AccessMap(index, nest, layout).hull(space)
    assert low.tolist() == found.min(axis=1).tolist()
    assert high.tolist() == found.max(axis=1).tolist()


def test_only_a_loop_that_walks_lanes_one_by_one_has_lanes() -> None:
    sparse = stick_layout((4, 70), (70, 1), 64, (0, 1, -1))
    nest = loops("j", i=4, j=70)
    index = at("x", i=70, j=1).index
    assert AccessMap(index, nest, sparse).lanes_of("j") == 0
    assert AccessMap(index, nest, None).lanes_of("j") == 0
    assert AccessMap(at("x", j=2).index, loops("j", j=70), stick_layout((140,), (1,), 64)).lanes_of("j") == 0


def test_regular_places_become_views_and_ragged_ones_tables() -> None:
    nest = loops(i=4, j=128)
    layout = stick_layout((4, 150), (150, 1), 64)
    frame = whole_frame(layout)
    index = at("x", i=150, j=1).index
    assert isinstance(AccessMap(index, nest, layout).block(full(nest), frame), Strided)
    ragged = loops(i=4, j=150)
    assert isinstance(AccessMap(index, ragged, layout).block(full(ragged), frame), Indexed)


def test_equal_accesses_share_their_map() -> None:
    layout = stick_layout((4, 150), (150, 1), 64)
    maps = [access_map(at("x", i=150, j=1).index, loops(i=4, j=150), layout) for _ in range(2)]
    assert maps[0] is maps[1]


@pytest.mark.parametrize(
    ("positions", "steps"),
    [
        ([7], ((1, 0),)),
        ([3, 3, 3], ((3, 0),)),
        ([0, 2, 4], ((3, 2),)),
        ([0, 1, 64, 65, 256, 257, 320, 321], ((2, 256), (2, 64), (2, 1))),
        ([0, 1, 64], None),
        ([0, 1, 64, 66], None),
        ([2, 1, 0], None),
        ([0, 64, 1, 65], ((2, 1), (2, 64))),
        ([0, 64, 3, 1], None),
    ],
)
def test_steps_of_positions(positions: list[int], steps: object) -> None:
    assert steps_of(np.array(positions, dtype=np.int64)) == steps


def test_the_last_value_stays_where_several_go_to_one_place() -> None:
    memory = torch.zeros(8, dtype=torch.int64)
    Strided(2, (3, 2), (((3, 0),), ((2, 1),))).store(memory, torch.arange(6).reshape(3, 2))
    assert memory.tolist() == [0, 0, 4, 5, 0, 0, 0, 0]


def test_a_view_is_not_overwritten_while_it_is_read() -> None:
    memory = torch.arange(8)
    moved = Strided(0, (7,), (((7, 1),),)).load(memory)
    Strided(1, (7,), (((7, 1),),)).store(memory, moved)
    assert memory.tolist() == [0, 0, 1, 2, 3, 4, 5, 6]
