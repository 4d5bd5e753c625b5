"""Routes through the machines of device files: bundled ones, one with a memory more, and ones that lack a way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import resources

import pytest

from compiler.device import Device, load_device, parse_device
from compiler.errors import InputError
from compiler.machine import NO_MACHINE, DataPath, MachineUnit, UnitKind
from simulator.timing.routes import Route, Routes, routes_of

MATRIX, VECTOR = UnitKind.MATRIX, UnitKind.VECTOR
SPYRE = resources.files("resources").joinpath("devices", "spyre.toml").read_text("utf-8")
DIRECT = '    ["hbm", "dma_in"],\n    ["dma_in", "lx"],\n'
BACK = '    ["lx", "dma_out"],\n    ["dma_out", "hbm"],\n'
STAGED = """    ["hbm", "dma_in"], ["dma_in", "l2"], ["l2", "l2_in"], ["l2_in", "lx"],
    ["lx", "l2_out"], ["l2_out", "l2"], ["l2", "dma_out"], ["dma_out", "hbm"],
"""
L2 = """
[machine.memories.l2]
title = "Second level"
scope = "core"
size = "l2_bytes"

[machine.units.l2_in]
title = "From the second level"
kind = "move"
rate = "l2_bytes_per_ns"

[machine.units.l2_out]
title = "To the second level"
kind = "move"
rate = "l2_bytes_per_ns"

[l2_bytes]
value = 8388608
unit = "B"
kind = "choice"
source = "made up"

[l2_bytes_per_ns]
value = 300
unit = "B/ns/core"
kind = "choice"
source = "made up"
"""


def names(units: tuple[MachineUnit, ...]) -> str:
    return " ".join(unit.name for unit in units)


def stages(route: Route) -> list[tuple[str, int]]:
    return [(unit.name, level) for unit, level in zip(route.units, route.levels, strict=True)]


def three_levels() -> Device:
    assert DIRECT in SPYRE
    assert BACK in SPYRE
    return parse_device(SPYRE.replace(DIRECT, STAGED).replace(BACK, "") + L2, "l2.toml")


def with_paths(device: Device, change: Callable[[tuple[DataPath, ...]], tuple[DataPath, ...]]) -> Device:
    return replace(device, machine=replace(device.machine, paths=change(device.machine.paths)))


def without(device: Device, *ends: tuple[str, str]) -> Device:
    return with_paths(device, lambda paths: tuple(path for path in paths if (path.source, path.target) not in ends))


@pytest.mark.parametrize(("kind", "unit"), [(MATRIX, "pt"), (VECTOR, "sfp")])
def test_load_compute_store_through_device_memory_has_five_stages(kind: UnitKind, unit: str) -> None:
    routes = routes_of(load_device("spyre"))
    route = routes.through(routes.card_memory, kind, routes.card_memory)
    assert stages(route) == [("dma_in", 0), ("lx_load", 1), (unit, 1), ("lx_store", 1), ("dma_out", 0)]
    assert (routes.card_memory, routes.core_memory) == ("hbm", "lx")


def test_what_stays_in_the_scratchpad_does_without_dma() -> None:
    routes = routes_of(load_device("spyre"))
    assert names(routes.load("lx", MATRIX)) == "lx_load"
    assert names(routes.store(VECTOR, "lx")) == "lx_store"
    assert names(routes.load("hbm", MATRIX)) == "dma_in lx_load"
    assert names(routes.store(MATRIX, "hbm")) == "lx_store dma_out"
    assert stages(routes.through("hbm", VECTOR, "lx")) == [("dma_in", 0), ("lx_load", 1), ("sfp", 1), ("lx_store", 1)]
    assert routes.compute(MATRIX).instances == "corelets"
    assert routes.ring().name == routes.ring_name == "ring"
    assert routes.level(routes.ring()) == 1
    assert routes.lanes() == ("dma_in", "lx_load", "pt", "sfp", "lx_store", "dma_out", "ring")


def test_copies_take_the_movers_alone_where_they_can() -> None:
    routes = routes_of(load_device("spyre"))
    assert stages(routes.copying("hbm", "lx")) == [("dma_in", 0)]
    assert names(routes.copy("lx", "hbm")) == "dma_out"
    assert names(routes.copy("hbm", "hbm")) == "dma_in dma_out"
    assert names(routes.copy("lx", "lx")) == "lx_load sfp lx_store"


def test_another_shape_of_machine_has_other_stages() -> None:
    routes = routes_of(load_device("sample"))
    assert (routes.card_memory, routes.core_memory) == ("dram", "pad")
    route = routes.through("dram", MATRIX, "dram")
    assert stages(route) == [("fetch", 0), ("mac", 1), ("drain", 1), ("flush", 0)]
    assert routes.load("pad", VECTOR) == ()
    assert names(routes.copy("pad", "pad")) == "alu drain"
    assert routes.ring().name == "loop"


def test_a_memory_more_makes_seven_stages_on_three_levels() -> None:
    device = three_levels()
    routes = routes_of(device)
    inner = [("lx_load", 2), ("pt", 2), ("lx_store", 2)]
    assert stages(routes.through("hbm", MATRIX, "hbm")) == [
        *(("dma_in", 0), ("l2_in", 1)),
        *inner,
        *(("l2_out", 1), ("dma_out", 0)),
    ]
    assert stages(routes.through("lx", MATRIX, "lx")) == inner
    assert stages(routes.copying("hbm", "lx")) == [("dma_in", 0), ("l2_in", 1)]
    assert names(routes.copy("hbm", "hbm")) == "dma_in dma_out"
    assert names(routes.copy("lx", "lx")) == "l2_out l2_in"
    assert routes.level(routes.ring()) == 2
    assert device.number(routes.copy("l2", "lx")[0].rate) == 300


def second_loader(device: Device, place: int) -> Routes:
    """A unit as good as `lx_load`, whose paths stand before (0) or after (-1) those of `lx_load`."""
    twin = replace(device.machine.units[1], name="twin")
    added = tuple(DataPath(*ends) for ends in (("lx", "twin"), ("twin", "pt"), ("twin", "sfp")))
    paths = device.machine.paths
    machine = replace(
        device.machine,
        units=(*device.machine.units, twin),
        paths=(*added, *paths) if place == 0 else (*paths, *added),
    )
    return routes_of(replace(device, machine=machine))


def test_of_equal_ways_the_one_listed_first_is_taken() -> None:
    spyre = load_device("spyre")
    assert names(second_loader(spyre, 0).load("hbm", MATRIX)) == "dma_in twin"
    assert names(second_loader(spyre, -1).load("hbm", MATRIX)) == "dma_in lx_load"


def test_of_several_units_of_a_kind_the_nearest_computes() -> None:
    spyre = load_device("spyre")
    near = replace(spyre.machine.units[3], name="near")
    far = replace(spyre.machine.units[3], name="far")
    machine = replace(spyre.machine, units=(far, *spyre.machine.units, near))
    more = (("lx_load", "far"), ("far", "lx_store"), ("lx", "near"), ("near", "lx_store"))
    device = replace(spyre, machine=machine)
    assert routes_of(device).compute(VECTOR).name == "sfp"  # the others cannot be reached
    device = with_paths(device, lambda paths: (*paths, *(DataPath(*ends) for ends in more)))
    assert routes_of(device).compute(VECTOR).name == "near"
    device = without(device, ("near", "lx_store"))
    assert routes_of(device).compute(VECTOR).name == "far"  # as near as sfp, and listed before it


def test_no_way_leads_through_the_memory_of_the_card_or_a_unit_that_computes() -> None:
    spyre = load_device("spyre")
    around = (DataPath("dma_in", "sfp"), DataPath("sfp", "pt"))
    routes = routes_of(with_paths(without(spyre, ("lx_load", "pt")), lambda paths: (*paths, *around)))
    with pytest.raises(InputError, match="no paths lead from 'lx' to the matrix unit 'pt' and back"):
        routes.load("hbm", MATRIX)
    routes = routes_of(
        with_paths(without(spyre, ("lx", "lx_load")), lambda paths: (*paths, DataPath("hbm", "lx_load")))
    )
    with pytest.raises(InputError, match="no paths lead from 'lx' to the vector unit 'sfp' and back"):
        routes.load("lx", VECTOR)


def test_a_way_that_is_missing_is_named() -> None:
    spyre = load_device("spyre")
    no_ring = replace(spyre, machine=replace(spyre.machine, units=spyre.machine.units[:-1]))
    asked: list[tuple[Device, Callable[[Routes], object], str]] = [
        (no_ring, Routes.ring, 'device spyre: it has no ring; add a unit of kind "ring" to its machine, or compile'),
        (without(spyre, ("ring", "lx")), Routes.ring, "no path leads from 'ring' to 'lx'; add one to machine.paths"),
        (without(spyre, ("dma_out", "hbm")), lambda routes: routes.store(MATRIX, "hbm"), "no path leads from 'pt' to"),
        (without(spyre, ("dma_in", "lx")), lambda routes: routes.copy("hbm", "lx"), "no path leads from 'hbm' to"),
        (spyre, lambda routes: routes.load("attic", MATRIX), "no path leads from 'attic' to 'pt'"),
        (without(spyre, ("lx", "dma_out"), ("dma_in", "lx")), lambda routes: routes, "no path joins the memory 'lx'"),
    ]
    for device, ask, words in asked:
        with pytest.raises(InputError) as caught:
            ask(routes_of(device))
        assert words in caught.value.sentence
    units = tuple(unit for unit in spyre.machine.units if unit.kind is not VECTOR)
    routes = routes_of(replace(spyre, machine=replace(spyre.machine, units=units)))
    assert routes.compute(MATRIX).name == "pt"
    with pytest.raises(InputError, match='it has no vector unit; add a unit of kind "vector" to its machine'):
        routes.compute(VECTOR)
    assert routes_of(no_ring).ring_name == ""


def test_a_device_without_a_machine_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        routes_of(replace(load_device("spyre"), machine=NO_MACHINE))
    assert caught.value.sentence == (
        "device spyre: it describes no memories, units and paths, without which nothing can be timed; "
        "compile for a device whose file has a [machine]."
    )
