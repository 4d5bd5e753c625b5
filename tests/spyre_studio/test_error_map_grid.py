"""Error maps as grids: whose a cell is, its shade, its words, what surrounds it."""

import doctest
from dataclasses import replace

import numpy as np
import pytest

from compiler.division import Division
from compiler.loops import OutputView
from simulator.error_map import HOST, MOST, NO_NUMBER
from simulator.functional.deviation import BEYOND
from simulator.report import Agreement
from spyre_studio import error_map_grid, error_map_owners, error_map_subject
from spyre_studio.error_map_grid import EXPLAINED, border_of, cores_text, error_text, grid_of, range_text, shade
from spyre_studio.error_map_owners import UNKNOWN, cells_of, owners_of
from spyre_studio.error_map_subject import Subject, mapped, subjects
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.verified import clobbered, right, stopped, wrong


def subject_of(key: str) -> Subject:
    compilation, report = clobbered()
    return next(each for each in subjects(report, compilation.program) if each.key == key)


@pytest.mark.parametrize("module", [error_map_grid, error_map_owners, error_map_subject])
def test_examples(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_the_scale_turns_where_the_rule_of_the_report_does() -> None:
    assert EXPLAINED == BEYOND
    assert shade(EXPLAINED) == 127 < shade(EXPLAINED * 1.01)
    assert shade(MOST) == 255
    assert [shade(each) for each in (0.0, 1.5, 6.0, 10.0, 1e3, 1e6)] == sorted(
        {shade(e) for e in (0, 1.5, 6, 10, 1e3, 1e6)}
    )


def test_subjects_come_as_the_report_has_them_and_maps_by_urgency() -> None:
    compilation, report = wrong()
    found = subjects(report, compilation.program)
    assert [each.key for each in found] == ["output:out0", *(f"step:{s.step}:{s.buffer}" for s in report.steps)]
    assert [each.key for each in mapped(found)] == ["step:exp:exp", "output:out0"]
    assert found[0].step == "truediv", "an output belongs to the step that writes it"
    assert found[0].shape == found[3].shape == (128, 256)
    assert found[1].shape == (128,), "max is folded over columns"


def test_a_report_without_outputs_has_no_maps() -> None:
    compilation, report = stopped()
    assert mapped(subjects(report, compilation.program)) == ()


def test_every_cell_belongs_to_the_cores_that_write_its_elements() -> None:
    compilation, _ = clobbered()
    subject = subject_of("step:truediv:truediv")
    owners = owners_of(compilation.program, subject)
    assert tuple(owners.cells) == (0, 1, 2, 3)
    starts = cells_of(128)
    for row, start in enumerate(starts.tolist()):
        assert owners.at(row, 0) == owners.at(row, 63) == (start // 32,), "32 rows a core"
    of_output = owners_of(compilation.program, subject_of("output:out0"))
    assert all((of_output.cells[core] == mask).all() for core, mask in owners.cells.items())


def test_cells_with_several_cores_name_them_all() -> None:
    compilation, report = right()
    subject = subjects(report, compilation.program)[0]
    owners = owners_of(compilation.program, subject)
    assert {len(owners.at(row, 0)) for row in range(64)} == {1}
    narrow = compiled(cores=3)
    thirds = owners_of(narrow.program, subject)
    assert isinstance(narrow.plan.divisions["truediv"], Division)
    assert {core for row in range(64) for core in thirds.at(row, 0)} == set(
        range(narrow.plan.divisions["truediv"].cores)
    )


def test_views_that_do_not_follow_the_loops_have_no_owner() -> None:
    compilation, _ = clobbered()
    subject = subject_of("output:out0")
    (view,) = compilation.program.outputs
    turned = replace(view, shape=(256, 128), strides=(1, 256))
    known = owners_of(replace(compilation.program, outputs=(turned,)), replace(subject, shape=(256, 128)))
    assert known.at(0, 0) == (0,)
    assert known.at(0, 63) == (3,), "rows and columns are swapped"
    for odd in (
        replace(view, offset=1),
        replace(view, strides=(256, 2)),
        OutputView("out0", "truediv", (128,), (256,)),
    ):
        assert owners_of(replace(compilation.program, outputs=(odd,)), subject) is UNKNOWN


def test_elements_are_shaded_by_deviations_and_outlined_beyond_rounding() -> None:
    compilation, _ = clobbered()
    subject = subject_of("step:truediv:truediv")
    grid = grid_of(subject, "element", owners_of(compilation.program, subject))
    assert grid is not None
    assert subject.errors is not None
    assert grid.extent == (128, 256)
    assert grid.cells == (64, 64)
    assert (grid.beyond == (np.array(subject.errors.deviations) > 6)).all()
    assert grid.beyond[:, 0].all(), "the first element of every row was written over"
    assert not grid.beyond[:, 1:].any()
    words = grid.words[grid.number(16, 0)]
    assert words.startswith("[32–33, 0–3] · ")
    assert words.endswith(" · core 1")
    assert grid.owned(1).sum() == 16 * 64


def test_cores_and_sticks_are_tiles() -> None:
    subject = subject_of("step:truediv:truediv")
    cores, sticks = (grid_of(subject, by, UNKNOWN) for by in ("core", "stick"))
    assert cores is not None
    assert sticks is not None
    assert cores.labels[:5] == ("0", "1", "2", "3", "")
    assert cores.cores[:4] == ((0,), (1,), (2,), (3,))
    assert cores.present.sum() == 4
    assert "32 of 8,192 elements beyond rounding" in cores.words[0]
    assert sticks.present.sum() == 64, "the worst of 128"
    assert sticks.labels[0].startswith("[0,")


def test_what_no_core_wrote_is_called_so() -> None:
    compilation, report = wrong()
    subject = next(each for each in subjects(report, compilation.program) if each.key == "step:exp:exp")
    grid = grid_of(subject, "core", UNKNOWN)
    assert grid is not None
    assert (grid.labels[0], grid.cores[0]) == ("no core", (HOST,))
    assert grid.words[0].startswith("written by no core · 2,048 of 2,048 elements beyond rounding · NaN or infinity")
    elements = grid_of(subject, "element", owners_of(compilation.program, subject))
    assert elements is not None
    missing = [at for at in range(64) if not elements.cores[elements.number(at, 0)]]
    assert missing == [10, 11, 12, 13], "rows 20 to 27 of 128"
    assert (elements.shades[10:14] == 255).all()
    assert elements.beyond[10:14].all()


def test_equal_results_have_no_grid() -> None:
    assert subject_of("step:exp:exp").comparison.agreement is Agreement.EQUAL
    assert grid_of(subject_of("step:exp:exp"), "element", UNKNOWN) is None


def test_words() -> None:
    assert error_text(0.0, 0.0) == "equal"
    assert error_text(1e9, NO_NUMBER) == "NaN or infinity"
    assert error_text(1.0, 0.5) == "1 deviation, |d| 0.5"
    assert error_text(MOST, 2.0) == "more than 1e9 deviations, |d| 2"
    assert cores_text(()) == ""
    assert cores_text((2, 3, 4)) == "cores 2–4"
    assert cores_text((0, 4, 8, 12, 16)) == "cores 0, 4, 8, 12 and 1 more"
    assert range_text((), 0, 0) == "[0]"
    assert range_text((100,), 0, 1) == "[2–3]"
    assert range_text((2, 64, 128), 1, 63) == "[0,2, 126–127] to [0,3, 126–127]"


def test_borders_surround_what_is_set() -> None:
    mask = np.zeros((3, 3), np.bool_)
    assert len(border_of(mask)) == 0
    mask[1, 1] = True
    assert sorted(map(tuple, border_of(mask).tolist())) == [(1, 1, 1, 2), (1, 1, 2, 1), (1, 2, 2, 2), (2, 1, 2, 2)]
    mask[:] = True
    assert len(border_of(mask)) == 12, "nothing inside"
