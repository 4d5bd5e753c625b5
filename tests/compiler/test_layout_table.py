"""Facts 2.2 and 8.1, row by row: layouts with their bytes, the LX budget, and which core gets which slice."""

import math
from dataclasses import dataclass
from importlib import resources
from itertools import product as every

import numpy as np
import pytest

from compiler.device import load_device, parse_device
from compiler.division import Division, Split
from compiler.errors import InputError
from compiler.layout import Arrangement, StickLayout, stick_layout
from compiler.schedule import expand
from compiler.spaces import space_of
from tests.compiler.layout_cases import moved, solved
from tests.compiler.shapes import unplanned
from tests.programs import problem_of, product, transposed
from tests.random_draft import dense
from tests.sketch import Sketch

HALF, SINGLE = 64, 32
ELEMENTS_LOOKED_AT = 10_000


@dataclass(frozen=True, slots=True)
class Row:
    """A worked layout: host shape and dim order in, device sizes, host strides and bytes out."""

    shape: tuple[int, ...]
    order: tuple[int, ...] | None
    lanes: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    size_bytes: int

    def layout(self) -> StickLayout:
        """The layout as the compiler builds it."""
        return stick_layout(self.shape, dense(self.shape), self.lanes, self.order)


ROWS = (
    Row((1024, 256), None, HALF, (4, 1024, 64), (64, 256, 1), 524_288),
    Row((1024, 256), (1, 0), HALF, (16, 256, 64), (16384, 1, 256), 524_288),
    Row((5, 100, 150), None, HALF, (100, 3, 5, 64), (150, 64, 15000, 1), 192_000),
    Row((5, 100, 150), (1, 0, 2), HALF, (5, 3, 100, 64), (15000, 64, 150, 1), 192_000),
    Row((50, 10, 200), None, HALF, (10, 4, 50, 64), (200, 64, 2000, 1), 256_000),
    Row((128, 256, 512), None, HALF, (256, 8, 128, 64), (512, 64, 131072, 1), 33_554_432),
    Row((8, 256, 512), None, HALF, (256, 8, 8, 64), (512, 64, 131072, 1), 2_097_152),
    Row((8192, 32768), None, HALF, (512, 8192, 64), (64, 32768, 1), 536_870_912),
    Row((67,), None, HALF, (2, 64), (64, 1), 256),
    Row((512,), (0, -1), HALF, (1, 512, 64), (-1, 1, -1), 65_536),
    Row((512, 1), (0, 1, -1), HALF, (1, 1, 512, 64), (-1, -1, 1, -1), 65_536),
    Row((33, 768), None, SINGLE, (24, 33, 32), (32, 768, 1), 101_376),
    Row((), None, HALF, (1, 64), (-1, -1), 128),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.shape} {row.order or 'default'}")
def test_l1_worked_layouts(row: Row) -> None:
    layout = row.layout()
    assert (layout.device_size, layout.stride_map, layout.size_bytes) == (row.sizes, row.strides, row.size_bytes)
    assert layout.size_bytes == 128 * math.prod(row.sizes[:-1])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.shape} {row.order or 'default'}")
def test_l1_strides_lead_back_from_the_device_to_the_host(row: Row) -> None:
    """Host offset = device coordinate times stride map, and no two elements share a place."""
    layout, count = row.layout(), math.prod(row.shape)
    offsets = np.unique(np.linspace(0, count - 1, min(count, ELEMENTS_LOOKED_AT)).astype(np.int64))
    coordinates = layout.coordinates(offsets)
    sizes = np.array(layout.device_size).reshape(-1, 1)
    assert ((coordinates >= 0) & (coordinates < sizes)).all()
    walked = np.array([max(stride, 0) for stride in layout.stride_map]).reshape(-1, 1)
    assert ((coordinates * walked).sum(axis=0) == offsets).all()
    positions = layout.positions(offsets)
    assert len(np.unique(positions)) == len(offsets)
    assert positions.max() < layout.sticks * layout.elements_per_stick


def test_l2_a_host_copy_is_three_nested_loops() -> None:
    layout = stick_layout((1024, 256), (256, 1), HALF)
    loops, device, host = layout.device_size, layout.device_strides, layout.stride_map
    assert (loops, device, host) == ((4, 1024, 64), (65536, 64, 1), (64, 256, 1))
    copied = np.full(1024 * 256, -1, dtype=np.int64)
    steps = np.indices(loops).reshape(3, -1)
    copied[np.array(device) @ steps] = np.array(host) @ steps
    assert (copied[layout.positions(np.arange(1024 * 256))] == np.arange(1024 * 256)).all()


def test_l3_a_restickify_to_the_other_dim() -> None:
    sketch = Sketch("turned")
    x, y = sketch.input("x", 1024, 256), sketch.input("y", 1024, 64)
    sketch.output(sketch.matmul(transposed(x), y))
    program = sketch.program()
    plan = solved(program)
    copy = plan.layouts["x@d0"]
    assert (copy.device_size, copy.stride_map) == ((16, 256, 64), (16384, 1, 256))
    assert moved(program, plan) == 262_144


@pytest.mark.parametrize("columns", [64, 100, 1024])
def test_l4_a_sum_along_the_stick_leaves_one_value_per_stick(columns: int) -> None:
    sketch = Sketch("sums")
    sketch.output(sketch.reduce("sum", sketch.input("x", 512, columns), -1, keep=False))
    layout = solved(sketch.program()).layouts["sum"]
    assert layout.sparse
    assert (layout.device_size, layout.stride_map) == ((1, 512, 64), (-1, 1, -1))
    assert (layout.sticks, layout.size_bytes) == (512, 64 * 1024)


@pytest.mark.parametrize(("fraction", "budget"), [(0.0, 2_031_616), (0.2, 1_625_344), (1.0, 0)])
def test_l5_the_budget_follows_the_back_ends_fraction(fraction: float, budget: int) -> None:
    assert load_device("spyre").with_number("lx_backend_fraction", fraction).lx_budget_bytes == budget


@pytest.mark.parametrize("fraction", ["-0.01", "1.01", "nan"])
def test_l5_a_fraction_outside_of_0_to_1_is_refused(fraction: str) -> None:
    text = resources.files("resources").joinpath("devices", "spyre.toml").read_text("utf-8")
    head, tail = text.split("[lx_backend_fraction]\nvalue = ")
    broken = f"{head}[lx_backend_fraction]\nvalue = {fraction}\n{tail.split(chr(10), 1)[1]}"
    with pytest.raises(InputError, match="lx_backend_fraction"):
        parse_device(broken, "broken.toml")


def test_l6_column_70_after_a_cast_to_fp32() -> None:
    layout = stick_layout((1, 128), (128, 1), SINGLE, None, Arrangement.F16_TO_F32)
    stick, _, lane = layout.coordinates(np.array([70]))[:, 0].tolist()
    assert (stick, lane) == (3, 2)


def test_l7_the_grid_of_two_splits_repeats() -> None:
    division = Division((Split("a", 2, 1), Split("b", 3, 1)))
    grid = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]
    assert [tuple(division.slots(core).values()) for core in range(12)] == grid * 2


@pytest.mark.parametrize("contiguous", ["a", "b", "c"])
def test_l8_a_contiguous_dim_is_enumerated_first(contiguous: str) -> None:
    """Listed first, its slices belong to neighbouring cores; together the cores still cover the whole grid."""
    splits = [Split("a", 2, 1), Split("b", 3, 1), Split("c", 4, 1)]
    splits.sort(key=lambda split: split.loop != contiguous)
    division = Division(tuple(splits))
    first = [dict(division.slots(core)) for core in range(division.factor(contiguous))]
    others = {name: 0 for name in "abc" if name != contiguous}
    assert first == [{**others, contiguous: place} for place in range(division.factor(contiguous))]
    grid = {tuple(sorted(division.slots(core).items())) for core in range(24)}
    assert grid == {(("a", a), ("b", b), ("c", c)) for a, b, c in every(range(2), range(3), range(4))}


def test_l9_a_split_k_varies_fastest() -> None:
    problem = problem_of(product(512, 512, 512))
    plan = unplanned(problem)
    schedule = expand(problem.program, plan)
    division = space_of(schedule.step_map["matmul"].op, schedule, plan.layouts).division({"i": 2, "j": 4, "k": 4})
    for core in range(32):
        assert dict(division.slots(core)) == {"k": core % 4, "i": core // 4 % 2, "j": core // 8}
