"""The numbers that boxes are shaded by: what they are, how modules get theirs, and how they are said."""

from dataclasses import replace

import numpy as np
import pytest

from compiler.compilation import Compilation
from simulator.report import Agreement, Comparison, StepReport, Tolerance, VerifyReport
from spyre_studio.occupancy import occupancy_of
from spyre_studio.views.graph_measures import (
    MEASURES,
    WRONG,
    Measure,
    MeasureRow,
    Shade,
    errors_of,
    measures_of,
    number_text,
    shade_of,
)
from spyre_studio.views.graph_model import planned
from tests.programs import attention
from tests.spyre_studio.plans import compiled


@pytest.fixture(scope="module")
def plan() -> Compilation:
    return compiled(program=attention(2, 64, 64))


def test_nodes_have_the_numbers_of_their_steps(plan: Compilation) -> None:
    model, measures = planned(plan), measures_of(plan)
    for cost in plan.cost.steps:
        node = model.of_op[cost.step]
        assert measures.us[node] == cost.total_us
        assert measures.traffic[node] == cost.read_bytes + cost.write_bytes
        assert measures.working[node] == plan.plan.divisions[cost.step].cores
        step = occupancy_of(plan).steps.index(cost.step)
        assert measures.lx[node] == occupancy_of(plan).fill[:, step].max()
    given = model.of_buffer["q"]
    assert np.isnan(measures.us[given])
    assert measures.elements[given] == plan.plan.layouts["q"].size_bytes / plan.plan.layouts["q"].element_bytes
    assert (measures.padding[np.isfinite(measures.padding)] >= 0).all()
    assert measures.budget == occupancy_of(plan).budget


def boxed(key: Measure, plan: Compilation, box_of: list[int], report: VerifyReport | None = None) -> Shade | None:
    return shade_of(key, np.array(box_of), max(box_of) + 1, planned(plan), measures_of(plan), report)


def test_modules_add_up_take_the_most_or_the_share(plan: Compilation) -> None:
    model, measures = planned(plan), measures_of(plan)
    together = [0 if node.name else 1 for node in model.nodes]
    steps = np.array([bool(node.name) for node in model.nodes])
    sums: tuple[tuple[Measure, np.ndarray], ...] = (("time", measures.us), ("bytes", measures.traffic))
    for key, values in sums:
        shade = boxed(key, plan, together)
        assert shade is not None
        assert shade.values[0] == pytest.approx(np.nansum(values))
        assert np.isnan(shade.values[1])
        assert shade.top == shade.values[0]
    cores, lx, padding = (boxed(key, plan, together) for key in ("cores", "lx", "padding"))
    assert cores is not None
    assert (cores.values[0], cores.top) == (np.nanmax(measures.working), plan.plan.cores)
    assert lx is not None
    assert (lx.values[0], lx.top) == (np.nanmax(measures.lx), measures.budget)
    assert padding is not None
    share = measures.padding[steps].sum() / measures.elements[steps].sum()
    assert padding.values[0] == pytest.approx(share)
    assert padding.top == 1


def test_hubs_belong_to_no_box(plan: Compilation) -> None:
    nowhere = [-1] * len(planned(plan).nodes)
    shade = shade_of("time", np.array(nowhere), 1, planned(plan), measures_of(plan), None)
    assert shade is not None
    assert np.isnan(shade.values).all()
    assert shade.codes().tolist() == [-1]
    assert shade.text(0) == ""


def test_codes_go_from_nothing_to_full_colour() -> None:
    shade = Shade("time", np.array([0.0, 5.0, 10.0, np.nan, 20.0]), 10.0)
    assert shade.codes().tolist() == [0, 128, 255, -1, 255]
    assert Shade("time", np.zeros(2), 0.0).codes().tolist() == [0, 0]


def compared(agreement: Agreement, together: float = 1.0) -> Comparison:
    return Comparison(agreement, 4, 0, 0, 0.0, 0.0, 0.0, 1.0, False, Tolerance(0.0, together, 2.0))


def report(*steps: StepReport) -> VerifyReport:
    return VerifyReport("m", "spyre", 32, True, (), steps, "", 0.1)


def test_errors_come_from_the_report(plan: Compilation) -> None:
    found = report(
        StepReport("exp", "exp", "", compared(Agreement.ROUNDING)),
        StepReport("sub", "sub", "", compared(Agreement.EQUAL)),
        StepReport("max", "max", "", compared(Agreement.CORRUPTED, 0.0)),
        StepReport("gone", "gone", "", compared(Agreement.ROUNDING)),
    )
    model = planned(plan)
    errors = errors_of(model, found)
    assert [errors[model.of_op[name]] for name in ("exp", "sub", "max")] == [0.5, 0.0, WRONG]
    assert np.isnan(errors[model.of_op["sum"]])
    together = [0] * len(model.nodes)
    shade = boxed("error", plan, together, found)
    assert shade is not None
    assert (shade.text(0), shade.codes().tolist()) == ("≠", [255])
    assert boxed("error", plan, together, None) is None


def test_the_worst_write_of_a_step_counts(plan: Compilation) -> None:
    unwritten = replace(StepReport("exp", "exp", "", compared(Agreement.EQUAL)), unwritten="sub")
    model = planned(plan)
    assert errors_of(model, report(unwritten))[model.of_op["exp"]] == WRONG


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("time", 412.6, "412.6 µs"),
        ("bytes", 2048.0, "2 KiB"),
        ("lx", 1536.0, "1.50 KiB"),
        ("cores", 1.0, "1 core"),
        ("cores", 32.0, "32 cores"),
        ("padding", 0.5, "50 %"),
        ("error", 0.0, "="),
        ("error", 0.34, "≈ 34 %"),
        ("error", WRONG, "≠"),
    ],
)
def test_numbers_have_their_unit(key: Measure, value: float, text: str) -> None:
    assert number_text(key, value) == text


@pytest.mark.parametrize("row", MEASURES, ids=lambda row: row.key)
def test_a_legend_has_a_caption_and_two_ends_with_units(row: MeasureRow, plan: Compilation) -> None:
    key = row.key
    found = report(StepReport("exp", "exp", "", compared(Agreement.ROUNDING)))
    shade = boxed(key, plan, list(range(len(planned(plan).nodes))), found)
    assert shade is not None
    low, high = shade.ends
    assert low.startswith("0 ")
    assert high.split()[-1] in {"µs", "ms", "B", "KiB", "MiB", "cores", "%"}
    assert row.caption


def test_without_a_plan_nothing_is_known(plan: Compilation) -> None:
    assert shade_of("time", np.zeros(3, np.intp), 1, planned(plan), None, None) is None
