"""Rows about the same op are told apart by their kind, also where the column of kinds has given way."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.insight import Insight
from spyre_studio.insights import KINDS
from spyre_studio.theme import Theme
from spyre_studio.views.insight_names import Named, ending, named, shown_name
from spyre_studio.views.insights import InsightsView
from tests.programs import chain
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings, staged

FIRST, SECOND, *_ = KINDS


def test_names_that_stand_once_are_as_they_were() -> None:
    found = (Insight(FIRST, "neg", "a"), Insight(SECOND, "relu", "b"))
    assert [one.shown for one in named(found, compiled(program=chain(64, 128)))] == ["neg", "relu"]


def test_names_that_stand_twice_say_their_kind() -> None:
    found = (Insight(FIRST, "neg", "a"), Insight(SECOND, "neg", "b"), Insight(FIRST, "relu", "c"))
    shown = [one.shown for one in named(found, compiled(program=chain(64, 128)))]
    assert shown == [f"neg · {KINDS[FIRST].title}", f"neg · {KINDS[SECOND].title}", "relu"]


def test_the_name_itself_stays_whole_for_sorting_and_saving() -> None:
    cell = Named("layers.0.mlp.gate_proj.linear/matmul", "gate_proj · idle cores")
    assert cell == "layers.0.mlp.gate_proj.linear/matmul"
    assert shown_name(cell) == "gate_proj · idle cores"
    assert shown_name("layers.0.mlp.gate_proj.linear/matmul") == ending("layers.0.mlp.gate_proj.linear/matmul")


def test_no_two_rows_of_a_narrow_table_read_the_same(qtbot: QtBot, tmp_path: Path, dark: Theme) -> None:
    stage = Stage(quiet_settings(str(tmp_path)))
    stage.put(compiled(program=chain(256, 512)))
    view, _ = staged(qtbot, stage, InsightsView, 760, 400)
    twice = view.found[0].name
    view._looked((Insight(FIRST, twice, "a", 2.0), Insight(SECOND, twice, "b", 1.0)))
    QApplication.processEvents()
    model = view.table.model()
    first = [model.index(row, 0).data(Qt.ItemDataRole.DisplayRole) for row in range(model.rowCount())]
    assert len(first) == 2
    assert len(set(first)) == 2
    assert view.table.as_csv().count(f"\n{twice},") == 2
