"""Occupancy: rectangles, fill and holes, against a count step by step and core by core."""

from functools import lru_cache

import numpy as np
import pytest

from compiler.compilation import Compilation
from compiler.errors import UnsupportedError
from compiler.plan import Slot
from spyre_studio.occupancy import KINDS, Hole, Occupancy, occupancy_of
from tests.programs import attention, chain
from tests.random_programs import random_program
from tests.spyre_studio.plans import compiled, divided


@lru_cache(maxsize=2)
def plans(cores: int) -> tuple[Compilation, ...]:
    """Plans of the first six random programs that can be laid out and that keep something in LX."""
    found: list[Compilation] = []
    for seed in range(60):
        try:
            made = compiled(cores=cores, program=random_program(seed, size=10))
        except UnsupportedError:
            continue
        if any(isinstance(place, Slot) for place in made.plan.placement.values()):
            found.append(made)
        if len(found) == 6:
            break
    assert len(found) == 6
    return tuple(found)


def used_bytes(data: Occupancy, core: int, step: int) -> int:
    """Bytes of the union of all ranges, one stick at a time."""
    taken = set()
    for row in data.on_core(core).tolist():
        one = data.residents[row]
        if one.first <= step <= one.last:
            taken |= set(range(one.address, one.address + one.size, data.stick_bytes))
    return len(taken) * data.stick_bytes


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("cores", [1, 4])
def test_fill_counts_every_byte_once(number: int, cores: int) -> None:
    data = occupancy_of(plans(cores)[number])
    expected = [[used_bytes(data, core, step) for step in range(len(data.steps))] for core in range(data.cores)]
    assert data.fill.tolist() == expected


@pytest.mark.parametrize("number", range(6))
def test_holes_and_fill_make_the_budget(number: int) -> None:
    data = occupancy_of(plans(4)[number])
    for core in range(data.cores):
        for step in range(len(data.steps)):
            free = sum(hole.size for hole in data.holes(core, step))
            assert free + data.fill[core, step] == data.budget


def test_every_buffer_is_in_one_of_the_two_lists() -> None:
    compilation = compiled(program=attention(2, 64, 64))
    data = occupancy_of(compilation)
    names = [one.name for one in data.residents] + [one.name for one in data.outside]
    assert sorted(names) == sorted(compilation.plan.placement)
    assert {one.name for one in data.outside} >= {"q", "k", "v"}
    inside = {name for name, place in compilation.plan.placement.items() if isinstance(place, Slot)}
    assert {one.name for one in data.residents} == inside


def test_rectangles_are_those_of_the_plan() -> None:
    compilation = compiled(program=attention(2, 64, 64))
    data = occupancy_of(compilation)
    for name, row in data.resident_map.items():
        place = compilation.plan.placement[name]
        assert isinstance(place, Slot)
        end = place.address + place.size_bytes
        assert data.rects[row].tolist() == [place.first_step, place.address, place.last_step + 1, end]


def test_kinds_and_users_come_from_the_steps() -> None:
    data = occupancy_of(compiled(program=attention(4, 512, 512), pins=divided("scores", j=32)))
    scores = data.residents[data.resident_map["scores"]]
    assert KINDS[data.kinds[data.resident_map["scores"]]] == "matmul"
    assert scores.producer == "scores"
    assert set(scores.consumers) == {"max", "sub"}
    copied = data.residents[data.resident_map["q@order102"]]
    assert (copied.kind, copied.producer, copied.consumers) == ("move", "q@order102", ("scores",))
    assert {one.kind for one in data.residents} == {"matmul", "reduction", "pointwise", "move"}


def test_chains_join_parents_and_children() -> None:
    data = occupancy_of(compiled(program=chain(128, 256, primitives=("neg", "exp", "relu", "abs"))))
    pairs = {(data.residents[parent].name, data.residents[child].name) for parent, child in data.chains()}
    assert ("neg", "exp") in pairs
    for parent, child in data.chains():
        assert data.residents[parent].address == data.residents[child].address


def test_an_idle_core_has_one_hole() -> None:
    data = occupancy_of(compiled(program=chain(2, 64)))
    idle = data.cores - 1
    assert data.on_core(idle).size == 0
    assert data.peak(idle) == (0, 0)
    assert data.holes(idle, 0) == (Hole(0, data.budget),)
    assert data.largest_hole(idle, 0).size == data.budget


def test_peak_names_the_first_fullest_step() -> None:
    data = occupancy_of(plans(4)[3])
    used, step = data.peak(0)
    assert used == data.fill[0].max()
    assert step == int(np.flatnonzero(data.fill[0] == used)[0])
