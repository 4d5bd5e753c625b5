"""Slice maps: which part each core touches, against a walk over the iteration space."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from compiler.division import Division, Split
from compiler.loops import Access, LoopOp, LoopProgram
from spyre_studio.derived import schedule_of
from spyre_studio.slice_map import SliceMap, slice_map
from tests.programs import attention, chain, product, softmax
from tests.sketch import Sketch
from tests.spyre_studio.plans import compiled

PROGRAMS = {"softmax": softmax(64, 128), "attention": attention(2, 64, 64), "product": product(64, 64, 128)}


@dataclass(frozen=True)
class Case:
    """An access of a planned step with its map."""

    op: LoopOp
    access: Access
    made: SliceMap
    division: Division

    def touched(self, core: int) -> NDArray[np.int64]:
        """Host coordinates of every element that a core touches, (dims, elements), by walking its iterations."""
        bounds = self.division.bounds(self.op.loops, core)
        axes = np.meshgrid(*(np.arange(low, high) for low, high in bounds), indexing="ij")
        values = {loop.name: axis.ravel() for loop, axis in zip(self.op.loops, axes, strict=True)}
        offsets = np.unique(self.access.index.evaluate(values))
        return np.array(np.unravel_index(offsets, self.made.shape))


def cases(program: LoopProgram) -> list[Case]:
    """Every access of every step of a plan."""
    compilation = compiled(program=program)
    schedule, found = schedule_of(compilation), []
    for step in schedule.steps:
        division = compilation.plan.divisions[step.name]
        for access in (*step.op.reads, *step.op.writes):
            host, layout = schedule.buffers[access.buffer], compilation.plan.layouts[access.buffer]
            made = slice_map(step.op, access, host, layout, division)
            assert made is not None
            found.append(Case(step.op, access, made, division))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_parts_are_what_cores_touch(name: str) -> None:
    for case in cases(PROGRAMS[name]):
        lanes = 64  # whole sticks count as touched
        for core in range(case.division.cores):
            places = case.touched(core)
            low, high = case.made.low[core], case.made.high[core]
            assert (low <= places.min(axis=1)).all()
            assert (places.max(axis=1) < high).all()
            assert (places.min(axis=1) - low < lanes).all()
            assert (high - places.max(axis=1) <= lanes).all()


@pytest.mark.parametrize("name", PROGRAMS)
def test_rectangles_tile_the_picture_when_parts_tile_the_tensor(name: str) -> None:
    for case in cases(PROGRAMS[name]):
        made = case.made
        areas = (made.rects[:, 2] - made.rects[:, 0]) * (made.rects[:, 3] - made.rects[:, 1])
        whole = sum(made.elements(cores[0]) for cores in made.owners)
        assert whole == math.prod(made.shape)
        assert areas.sum() == pytest.approx(1)
        for tile, cores in enumerate(made.owners):
            share = made.elements(cores[0]) / math.prod(made.shape)
            assert areas[made.tiles == tile].sum() == pytest.approx(share)


def test_a_point_finds_its_part_and_the_part_its_cores() -> None:
    compilation = compiled(program=product(64, 128, 256))
    schedule = schedule_of(compilation)
    step = schedule.steps[0]
    division = Division((Split("i", 4, 16), Split("j", 2, 128)))
    read = step.op.reads[0]
    made = slice_map(step.op, read, schedule.buffers["x"], compilation.plan.layouts["x"], division)
    assert made is not None
    assert made.owners == ((0, 4), (1, 5), (2, 6), (3, 7)), "n does not move x"
    tile = made.tile_at(0.5, 0.6)
    assert made.owners[tile] == (2, 6)
    assert made.tile_of(6) == tile
    assert made.tile_of(9) == -1
    assert made.tile_at(1.5, 0.5) == -1
    assert made.words(2) == "x[32:48]"
    assert made.index_words(2) == "[32:48]"
    assert made.divided_words(2) == "32:48"
    assert made.words(9) == "nothing of x"
    assert made.names == ("i", "k")


def test_three_divided_dims_are_drawn_around_each_other() -> None:
    compilation = compiled(program=chain(4, 8, 128, primitives=("neg",)))
    schedule = schedule_of(compilation)
    step = schedule.steps[0]
    names = [loop.name for loop in step.op.loops]
    division = Division((Split(names[0], 2, 2), Split(names[1], 4, 2), Split(names[2], 2, 64)))
    layout = compilation.plan.layouts["x"]
    made = slice_map(step.op, step.op.reads[0], schedule.buffers["x"], layout, division)
    assert made is not None
    assert (made.across, made.down) == (2, (0, 1))
    assert (made.columns, made.rows) == (2, 8)
    assert len(made.rects) == 16
    assert made.words(15) == "x[2:4, 6:8, 64:128]"
    rects = made.rects_of([1, 0, 0], [3, 8, 128])
    assert len(rects) == 2, "it meets both parts of the outer dim"
    assert len(made.rects_of([0, 0, 0], [0, 8, 128])) == 0


def test_a_scalar_and_an_empty_tensor() -> None:
    sketch = Sketch("scalar")
    sketch.output(sketch.apply("mul", sketch.input("x", 64, 64), sketch.input("s")))
    compilation = compiled(program=sketch.program())
    schedule = schedule_of(compilation)
    step = schedule.steps[0]
    division = compilation.plan.divisions[step.name]
    read = next(read for read in step.op.reads if read.buffer == "s")
    made = slice_map(step.op, read, schedule.buffers["s"], compilation.plan.layouts["s"], division)
    assert made is not None
    assert made.rects.tolist() == [[0, 0, 1, 1]]
    assert made.words(0) == "all of s"
    hollow = replace(schedule.buffers["s"], shape=(0,))
    assert slice_map(step.op, read, hollow, compilation.plan.layouts["s"], division) is None


def test_bytes_are_those_of_whole_sticks() -> None:
    for case in cases(softmax(128, 256)):
        assert len(case.made.bytes_per_core) == case.division.cores
        assert (case.made.bytes_per_core % 128 == 0).all()
