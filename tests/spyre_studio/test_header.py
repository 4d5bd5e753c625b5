"""Header and status line: the verdict in words, what fits into a width, progress and what was done last."""

from dataclasses import replace
from itertools import pairwise

import pytest
from frozendict import frozendict
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.compilation import SolverStatus, Verdict
from compiler.dtypes import DType
from compiler.pins import PinState, PinStatus
from compiler.pipelines import PIPELINES
from compiler.plan import Claim, Edit, EditKind
from compiler.watch import Finding
from simulator.report import Agreement, Comparison, OutputReport, Tolerance, VerifyReport
from spyre_studio.check_words import OF_FILES
from spyre_studio.header import Header
from spyre_studio.lights import Light, VerdictLights
from spyre_studio.phases import phase_words, spoken_name
from spyre_studio.solver_words import bound_text, missing_note, solver_hint
from spyre_studio.status_line import StatusLine
from spyre_studio.theme import Theme
from spyre_studio.verdicts import (
    change_text,
    copies_text,
    counts_text,
    gathered,
    light_of,
    lights_of,
    made_text,
    numerics_light,
)
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage


def report(agreement: Agreement) -> VerifyReport:
    found = Comparison(agreement, 4, 1, 0, 0.1, 0.1, 0.1, 1.0, False, Tolerance(1e-3, 2e-3, 1e-3))
    output = OutputReport("out", "y", DType.F16, (2, 2), found)
    return VerifyReport("m", "spyre", 4, True, (output,), (), "" if agreement != "corrupted" else "it stopped.", 0.1)


# Words


def test_a_bound_is_named_where_one_is_known() -> None:
    assert bound_text(SolverStatus("cp-sat", "optimal", 412.6, 410.9, 0.004, 2.1)) == "bound 410.9 µs · gap 0.4 %"
    assert bound_text(SolverStatus("staged", "heuristic", 412.6, -1, -1, 0.1)) == "no bound known"


def test_lights_are_green_or_say_what_is_wrong() -> None:
    assert light_of(Verdict("overlap", ok=True)).tone == "ok"
    broken = light_of(Verdict("overlap", ok=False, violations=("a and b share 128 B at step 3.", "c", "d")))
    assert (broken.tone, broken.hint) == ("bad", "a and b share 128 B at step 3. And 2 more.")


def test_a_plan_has_as_many_lights_when_it_is_opened_as_before_it_was_saved() -> None:
    plan = compiled()
    of_file = tuple(Verdict(check, ok=True) for check in sorted(OF_FILES))
    opened = replace(plan, verdicts=(*plan.verdicts, *of_file))
    assert lights_of(opened, None) == lights_of(plan, None)
    wrong = replace(plan, verdicts=(*plan.verdicts, Verdict("cost", ok=False, violations=("it costs more",))))
    assert [light.name for light in lights_of(wrong, None) if light.tone == "bad"] == ["cost"]


@pytest.mark.parametrize(
    ("found", "tone"),
    [
        (None, "mute"),
        (report(Agreement.EQUAL), "ok"),
        (report(Agreement.ROUNDING), "ok"),
        (report(Agreement.CORRUPTED), "bad"),
    ],
)
def test_numerics_are_grey_until_verified(found: VerifyReport | None, tone: str) -> None:
    assert numerics_light(found).tone == tone


def test_gathered_lights_keep_the_loud_ones_by_name() -> None:
    lights = (Light("a", "ok"), Light("b", "bad"), Light("c", "ok"), Light("d", "mute"))
    assert [light.name for light in gathered(lights)] == ["2 checks", "b", "d"]
    assert gathered(lights[:2]) == lights[:2]


def test_inserted_copies_are_counted_by_kind() -> None:
    edits = tuple(
        Edit(f"e{place}", kind, "x", f"x@{place}", "op", ("op",))
        for place, kind in enumerate((EditKind.REORDER, EditKind.RESTICKIFY, EditKind.REORDER))
    )
    assert copies_text(edits) == ("1 restickify", "2 reorders")
    assert copies_text(()) == ("no copies",)
    assert counts_text(compiled()).endswith(" · no copies")


def test_counts_and_changes_are_those_of_the_plan() -> None:
    plan = compiled()
    assert counts_text(plan).startswith("5 ops · 6 buffers · ")
    assert change_text(plan, None) == ""
    slower = replace(plan, cost=replace(plan.cost, total_us=plan.cost.total_us + 3))
    assert change_text(slower, plan) == "+3.0 µs"
    assert change_text(plan, slower) == "−3.0 µs"
    assert change_text(plan, plan) == "±0 µs"
    refused = replace(plan, plan=replace(plan.plan, pins=frozendict({"a": PinStatus(PinState.REFUSED, "no")})))
    assert made_text(refused).endswith("; 1 pin refused")
    both = refused.plan.pins | {"b": PinStatus(PinState.HONOURED)}
    assert made_text(replace(refused, plan=replace(plan.plan, pins=both))).endswith("; 1 of 2 pins refused")


def test_phases_are_spoken() -> None:
    assert phase_words("trace") == "Tracing the model"
    assert phase_words("assign-layouts") == "Assign layouts"
    assert spoken_name("/some/where/decoder.pt2") == "decoder.pt2"
    assert spoken_name("") == "the model"


# Header


def test_the_header_shows_model_device_time_and_lights(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    header = Header(stage)
    show(qtbot, header, 1800, 48)
    stage.put(compiled(cores=4))
    assert header.name.text() == "softmax"
    assert header.device_chip.text() == "spyre · 4 cores"
    assert header.time.text().endswith("µs")
    assert not header.pins_chip.isVisible()
    names = [light.name for light in header.lights.lights]
    assert names[0] == "coverage"
    assert names[-1] == "numerics"
    assert header.solver.text().startswith("first plan · "), "as its variant is called, also after it was saved"


def test_a_second_plan_says_what_changed(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    header = Header(stage)
    show(qtbot, header, 1800, 48)
    first = compiled()
    stage.put(first)
    assert not header.change.isVisible()
    pinned = compiled(divided("sum", i=2), program=first.problem.program)
    stage.put(pinned)
    assert header.change.text() == change_text(pinned, first)
    assert header.pins_chip.text() == "1 pin"
    assert header.pins_chip.isVisible()


def test_in_little_room_lights_gather_and_nothing_overlaps(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    header = Header(stage)
    show(qtbot, header, 1800, 48)
    stage.put(compiled())
    wide = len(header.lights.lights)
    header.resize(1000, 48)
    assert len(header.lights.lights) == 2 < wide
    header.resize(800, 48)
    assert not header.solver.isVisible()
    shown = [header.name, header.device_chip, header.resolve, header.time, header.lights]
    edges = [(widget.geometry().left(), widget.geometry().right()) for widget in shown]
    assert all(left > before for (_, before), (left, _) in pairwise(edges))
    header.resize(1800, 48)
    assert len(header.lights.lights) == wide


def test_the_device_menu_changes_cores(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    header = Header(stage)
    show(qtbot, header, 1800, 48)
    stage.put(compiled())
    menu = header.device_chip.menu()
    menu.aboutToShow.emit()
    entries = {entry.text(): entry for entry in menu.actions() if not entry.isSeparator()}
    assert entries["spyre · 32 cores"].isChecked()
    entries["spyre · 8 cores"].trigger()
    assert stage.options.cores == 8
    assert header.device_chip.text() == "spyre · 8 cores"


def test_clicks_are_told(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    header = Header(stage)
    show(qtbot, header, 1800, 48)
    stage.put(compiled(divided("sum", i=2)))
    told: list[str] = []
    header.asked.connect(told.append)
    header.resolve.click()
    header.pins_chip.click()
    header.lights.buttons[-1].click()
    assert told == ["resolve", "pins", "verify"]


def test_the_header_says_who_made_the_plan_and_what_a_gap_is(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    header = Header(stage)
    show(qtbot, header, 1280, 48)
    plan = compiled()
    stage.put(replace(plan, solver=SolverStatus("co-optimized", "within gap", 56.2, 55.9, 0.0053, 10.04)))
    assert header.solver.text() == "first plan · within gap in 10.0 s · co-optimized"
    assert header.solver.isVisible()
    assert header.bound.text() == "bound 55.9 µs · gap 0.5 %"
    for label in (header.solver, header.bound):
        assert "The gap is the share of the predicted time that a better plan could save at most." in label.toolTip()


@pytest.mark.parametrize(
    ("status", "bound_us", "words"),
    [
        ("optimal", 10.0, "No plan is quicker"),
        ("within gap", 10.0, "small enough"),
        ("heuristic", -1.0, "is not known"),
        ("stopped", 9.0, "Re-solve goes on from it"),
        ("of another kind", 9.0, "The bound is a time below which no plan goes."),
    ],
)
def test_every_status_is_explained(status: str, bound_us: float, words: str) -> None:
    hint = solver_hint(SolverStatus("s", status, 10.0, bound_us, 0.1, 1.0))
    assert words in hint
    assert ("gap is" in hint) is (bound_us >= 0)


def searching(stage: Stage, *figures: tuple[float, float]) -> None:
    """Let a search have found these objectives and bounds, a tenth of a second apart."""
    for number, (objective, bound) in enumerate(figures):
        stage._found(Finding("cp-sat", objective, bound, number / 10))


def test_a_plan_says_that_it_is_the_old_one_while_another_is_searched_for(
    qtbot: QtBot, stage: Stage, dark: Theme
) -> None:
    header = Header(stage)
    show(qtbot, header, 1280, 48)
    stage.put(compiled())
    stage._enter("work", "co-optimize")
    assert not header.old.isVisible(), "most plans are there before one could read it"
    searching(stage, (300.0, -1.0))
    assert header.old.isVisible()
    assert header.old.text == "old plan"
    edges = [widget.geometry() for widget in (header.resolve, header.old, header.time, header.lights)]
    assert all(left.right() < right.left() for left, right in pairwise(edges))
    stage._leave("work")
    assert not header.old.isVisible()


# Without OR-Tools


def test_a_stand_in_for_cp_sat_is_said_with_what_to_do() -> None:
    plan = compiled()
    assert missing_note(plan) == ""
    told = replace(plan.plan, reasons=frozendict({"pass:co-optimize": "greedy in place of cp-sat: OR-Tools is gone"}))
    named = replace(plan.solver, name="greedy-without-or-tools")
    claim = Claim("best-fit-without-or-tools", "bytes", 1, 1, 1)
    claimed = replace(plan.plan, claims=frozendict({"place-scratchpad": claim}))
    for whole, stand_in in (
        (replace(plan, plan=told), "greedy"),
        (replace(plan, solver=named), "greedy"),
        (replace(plan, plan=claimed), "best-fit"),
    ):
        assert missing_note(whole).startswith(f"CP-SAT is not available, {stand_in} was used instead")
        assert "`pip install ortools`" in missing_note(whole)


def test_what_a_search_says_of_its_own_accord_is_no_lack() -> None:
    plan = compiled()
    told = replace(plan.plan, reasons=frozendict({"pass:co-optimize": "56.2 µs counted by the search"}))
    assert missing_note(replace(plan, plan=told)) == ""


# Status line


def test_the_status_line_follows_a_search(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    line = StatusLine(stage)
    show(qtbot, line, 960, 32)
    stage.put(compiled())
    stage._enter("work", "co-optimize")
    assert line.bar.isVisible()
    assert not line.stop.isVisible(), "there is nothing to keep yet"
    searching(stage, (300.0, -1.0))
    assert line.figures.text() == "objective 300.0 µs · no bound yet"
    searching(stage, (240.0, 200.0), (234.3, 232.0))
    assert line.figures.text() == "objective 234.3 µs · bound 232.0 µs · gap 1.0 %"
    qtbot.waitUntil(lambda: line.figures.width() >= line.figures.sizeHint().width())  # figures are never cut
    assert "cp-sat" in line.figures.toolTip()
    assert len(line.curve.points()) == 4
    assert len(line.curve.bound_points()) == 3
    assert not line.bar.isVisible()
    assert not line.counts.isVisible()
    assert line.words.text() == "Searching divisions, places and moves…"
    with qtbot.waitSignal(line.stopped):
        line.stop.click()
    stage._search = replace(stage.search, ending=True) if stage.search else None
    stage.searched.emit()
    assert not line.stop.isEnabled()
    assert line.words.text() == "Ending with the best plan so far…"
    stage.progressed.emit(0.9, "co-optimize", "")
    assert line.words.text() == "Ending with the best plan so far…"
    stage._leave("work")
    shown = [part.isVisible() for part in (line.curve, line.figures, line.stop, line.cancel, line.bar)]
    assert not any(shown)
    assert line.counts.isVisible()


def test_the_status_line_tells_progress_and_offers_to_stop(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    line = StatusLine(stage)
    show(qtbot, line, 900, 28)
    assert line.words.text() == ""
    assert not line.cancel.isVisible()
    stage._enter("work", "compile")
    assert line.words.text() == "Planning…"
    assert line.cancel.isVisible()
    stage.progressed.emit(0.25, "divide-matmul", "3 of 12")
    assert line.words.text() == "Divide matmul…  3 of 12"
    assert (line.bar.value(), line.bar.maximum()) == (250, 1000)
    with qtbot.waitSignal(line.cancelled):
        line.cancel.click()
    stage._leave("work")
    assert not line.bar.isVisible()


def test_the_status_line_says_what_was_done_last(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    line = StatusLine(stage)
    show(qtbot, line, 900, 28)
    stage.put(compiled())
    assert line.words.text().startswith("Planned 5 ops in ")
    assert line.counts.text().startswith("5 ops")
    stage.saved.emit("plan.json")
    assert line.words.text() == "Wrote plan.json"
    stage.pin_division("sum", {"i": 2})
    assert line.words.text().startswith("Pins changed since this plan")


def test_pipelines_are_chosen_by_name_and_purpose(qtbot: QtBot, stage: Stage) -> None:
    header = Header(stage)
    qtbot.addWidget(header)
    menu = header.pipeline_chip.menu()
    assert menu is not None
    menu.aboutToShow.emit()
    entries = {entry.text().partition(" ")[0]: entry for entry in menu.actions()}
    assert entries.keys() == PIPELINES.keys()
    assert [name for name, entry in entries.items() if entry.isChecked()] == ["staged"]
    entries["searched"].trigger()
    assert stage.options.pipeline == "searched"
    menu.aboutToShow.emit()
    assert [entry.text().partition(" ")[0] for entry in menu.actions() if entry.isChecked()] == ["searched"]


def test_what_does_not_fit_goes_in_order_and_nothing_is_cut(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.put(compiled())
    header = Header(stage)
    show(qtbot, header, 1800, 48)
    shown: list[int] = []
    for width in range(1800, 380, -20):
        header.resize(width, 48)
        QApplication.processEvents()
        parts = (header.solver, header.note, header.pipeline_chip, header.device_chip)
        shown.append(sum(part.isVisibleTo(header) for part in parts) + header.lights.buttons[0].wordy)
        seen = [*header.lights.buttons, header.resolve, header.time, header.bound, header.device_chip]
        if header._needed() > width:
            break
        assert all(each.width() >= each.sizeHint().width() for each in seen if each.isVisible()), width
    assert shown == sorted(shown, reverse=True), "nothing comes back while it gets narrower"
    assert shown[0] == 5
    assert shown[-1] < 3


def test_quiet_lights_leave_their_word_to_the_tooltip_and_loud_ones_do_not(qtbot: QtBot, dark: Theme) -> None:
    lights = VerdictLights()
    show(qtbot, lights)
    lights.set_lights((Light("good one", "ok", "All is well."), Light("bad one", "bad", "It is not.")))
    lights.set_wordy(False)
    good, bad = lights.buttons
    assert (good.wordy, bad.wordy) == (False, True)
    assert good.toolTip() == "good one: All is well."
    assert good.accessibleName() == "good one: good"
    assert good.sizeHint().width() < bad.sizeHint().width() / 2


def test_a_long_name_is_cut_before_anything_beside_it_goes(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    long = compiled()
    stage.put(replace(long, graph=replace(long.graph, name="a very long name of a model " * 5)))
    header = Header(stage)
    show(qtbot, header, 1400, 48)
    assert header.solver.isVisible()
    assert header.name.width() < header.name.fontMetrics().horizontalAdvance(header.name.text())
    assert header.name.toolTip() == header.name.text()
