"""The stick view driven as a user would: header, both ways to lay a tensor flat, copies side by side, previews."""

from dataclasses import replace

import pytest
from frozendict import frozendict
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from compiler.dtypes import DType
from compiler.layout import stick_layout
from compiler.loops import LoopProgram
from compiler.schedule import Schedule, expand
from spyre_studio.selection import Selection
from spyre_studio.stick_words import memory_sentence
from spyre_studio.theme import Theme
from spyre_studio.views.sticks import HINT, SticksView
from tests.programs import attention
from tests.sketch import Sketch
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import DEFAULT_ORDERS, compiled
from tests.spyre_studio.stage import Stage, all_texts

NARROW, WIDE = (300, 900), (900, 700)


@pytest.fixture
def view(qtbot: QtBot, stage: Stage, dark: Theme) -> SticksView:
    stage.put(compiled(program=attention(4, 512, 64), pipeline=DEFAULT_ORDERS))
    made = SticksView(stage, Selection())
    show(qtbot, made, *NARROW)
    return made


def shown(stage: Stage) -> tuple[Compilation, Schedule]:
    compilation = stage.compilation
    assert compilation is not None
    return compilation, expand(compilation.problem.program, compilation.plan)


def look(view: SticksView, stage: Stage, name: str | None) -> None:
    view.show_buffer(*shown(stage), name)


def put(view: SticksView, stage: Stage, program: LoopProgram, name: str) -> None:
    stage.put(compiled(program=program))
    look(view, stage, name)


def words(view: SticksView) -> list[str]:
    return [one.word for one in view.pictures.pictures]


# States


def test_without_a_buffer_it_teaches(view: SticksView, stage: Stage) -> None:
    look(view, stage, None)
    assert "What is a stick?" in all_texts(view)
    assert "128 bytes" in all_texts(view)
    assert view.lesson.isVisible()
    look(view, stage, "exp")
    assert not view.lesson.isVisible()


def test_a_tensor_without_elements_says_so(view: SticksView, stage: Stage) -> None:
    compilation, schedule = shown(stage)
    buffers = schedule.buffers.set("q", replace(schedule.buffers["q"], shape=(4, 0, 64)))
    tensors = tuple(replace(one, shape=(4, 0, 64)) if one.name == "q" else one for one in compilation.program.tensors)
    whole = replace(compilation, program=replace(compilation.program, tensors=tensors))
    view.show_buffer(whole, replace(schedule, buffers=frozendict(buffers)), "q")
    assert "It has no elements" in all_texts(view)
    view.show_buffer(whole, schedule, "nobody")
    assert "It is not on the device" in all_texts(view)


@pytest.mark.parametrize("shape", [(), (1,), (67,), (2, 2, 2, 2, 70)])
def test_any_rank_is_shown(view: SticksView, stage: Stage, shape: tuple[int, ...]) -> None:
    sketch = Sketch("small")
    sketch.output(sketch.apply("neg", sketch.input("x", *shape)))
    put(view, stage, sketch.program(), "neg")
    assert len(view.pictures.pictures) == 1
    QTest.keyClick(view.pictures.first, Qt.Key.Key_Home)
    where = ",".join("0" for _ in shape)
    assert view.line.text().startswith(f"[{where}] → stick 0 → lane 0 → ")


# Header


def test_the_header_explains_the_layout(view: SticksView, stage: Stage) -> None:
    look(view, stage, "scores")
    assert (view.name.text(), view.tensor.text()) == ("scores", "f16[4,512,512]")
    assert "512 d1" in view.dims.accessibleName()
    assert "8 d2 sticks, host stride 64" in view.dims.accessibleName()
    assert "its 512 values make 8 sticks of 64 lanes" in view.words.text()
    compilation, _ = shown(stage)
    assert view.words.text().endswith(memory_sentence(compilation.plan.layouts["scores"]))
    assert view.figures.text() == "16,384 sticks · 2 MiB · no padding"


def test_the_legend_names_what_is_in_the_picture(view: SticksView, stage: Stage) -> None:
    look(view, stage, "max")
    assert "padding" in view.legend.accessibleName()
    assert not view.letters.isVisible()
    look(view, stage, "k@d1")
    assert "filled by the host" in view.legend.accessibleName(), "the side before the copy"
    assert "written by core 0" in view.ramp.accessibleName()
    sketch = Sketch("cast")
    wide = sketch.cast(sketch.input("x", 512, 256), DType.F32)
    sketch.output(sketch.apply("mul", wide, wide))
    put(view, stage, sketch.program(), "x")
    assert view.ramp.accessibleName() == "Legend: filled by the host"
    look(view, stage, "cast")
    assert "first stick of a pair" in view.letters.accessibleName()


# One element


def test_the_way_of_an_element_is_told_on_hover_and_by_keys(view: SticksView, stage: Stage) -> None:
    look(view, stage, "exp")
    canvas = view.pictures.first
    assert view.line.text() == HINT
    at = QPoint(round(canvas.x_axis.to_px(9.5)), round(canvas.y_axis.to_px(1.5)))
    QTest.mouseMove(canvas, at)
    assert view.line.text().startswith("[0,1,9] → stick ")
    assert " → lane 9 → core " in view.line.text()
    assert " → LX 0x" in view.line.text()
    assert "of 16,384\nheld by core " in view.line.toolTip()
    pointed = view.ramp.grab().toImage()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(canvas, QPoint(1, 1))
    assert view.ramp.grab().toImage() == pointed, "a lane stays marked when the pointer leaves"
    canvas.clicked.emit(None, Qt.KeyboardModifier.NoModifier)
    assert view.line.text() == HINT
    assert view.ramp.grab().toImage() != pointed
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=at)
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Down)
    assert view.line.text().startswith("[0,2,9] → ")


def test_the_same_element_stays_marked_when_memory_is_shown(view: SticksView, stage: Stage) -> None:
    look(view, stage, "exp")
    canvas = view.pictures.first
    canvas.setFocus()
    for _ in range(3):
        QTest.keyClick(canvas, Qt.Key.Key_Down)
    assert view.line.text().startswith("[0,2,0]")
    before = view.line.text()
    view.lies.click()
    assert view.pictures.memory
    assert canvas.scene is not None
    assert canvas.scene.grid.in_memory_order
    assert view.line.text() == before
    assert canvas.cursor_lane == canvas.scene.grid.find((0, 2, 0))
    view.looks.click()
    assert view.line.text() == before


def test_padding_is_pointed_at_too(view: SticksView, stage: Stage) -> None:
    look(view, stage, "max")
    canvas = view.pictures.first
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_End)
    assert view.line.text().startswith("padding → stick 0 → lane 63")


# Copies


def test_a_restickify_is_shown_before_and_after(view: SticksView, stage: Stage) -> None:
    look(view, stage, "k@d1")
    assert view.both
    assert view.copy.text().startswith("restickify before scores · 131,072 elements · ")
    first, second = view.pictures.first, view.pictures.second
    assert first.scene is not None
    assert second.scene is not None
    assert second.scene.grid.upright
    view.pictures._marked(first, first.scene.grid.find((0, 3, 5)))
    before, after = view.line.text().splitlines()
    assert before.startswith("before: [0,3,5] → stick ")
    assert " → lane 5 → device 0x" in before
    assert after.startswith("after: [0,3,5] → ")
    there = second.cursor_lane
    assert there is not None
    assert second.scene.grid.place(*there).index == (0, 3, 5)
    at = QPoint(round(second.x_axis.to_px(2.5)), round(second.y_axis.to_px(27.5)))
    QTest.mouseMove(second, at)
    assert second.shown_lane == second.item_at(at.toPointF())
    elements = {line.split(" ")[1] for line in view.line.text().splitlines()}
    assert len(elements) == 1
    assert elements.pop().endswith(",2]")
    assert first.shown_lane is not None
    assert first.shown_lane != first.cursor_lane


def test_the_source_of_a_copy_shows_it_as_well_and_one_of_several_at_a_time(view: SticksView, stage: Stage) -> None:
    look(view, stage, "k")
    assert view.both
    assert not view.other.isVisible()
    compilation, schedule = shown(stage)
    edit = compilation.plan.edits[0]
    more = replace(compilation.plan, edits=(edit, replace(edit, name="again", before="context")))
    view.show_buffer(replace(compilation, plan=more), schedule, "k")
    assert view.copy.text().endswith("1 of 2")
    view.other.click()
    assert view.copy.text().startswith("restickify before context")
    assert view.copy.text().endswith("2 of 2")


def test_pictures_stand_beside_each_other_where_there_is_room(view: SticksView, stage: Stage) -> None:
    look(view, stage, "k@d1")
    narrow = view.pictures.split.orientation()
    view.resize(*WIDE)
    QApplication.processEvents()
    wide = view.pictures.split.orientation()
    assert (narrow, wide) == (Qt.Orientation.Vertical, Qt.Orientation.Horizontal)
    left, right = view.pictures.split.sizes()
    assert abs(left - right) <= 4


# Previews


def test_a_candidate_is_looked_at_and_left_again(view: SticksView, stage: Stage) -> None:
    view.resize(*WIDE)
    look(view, stage, "exp")
    view.layouts.table.selectRow(1)
    assert words(view) == ["this plan", "preview"]
    assert "preview: sticks along dim 1" in view.pictures.second.accessibleDescription()
    assert "Dim 1 is cut into sticks" in view.words.text()
    view.pictures._marked(view.pictures.first, (3, 5))
    assert view.line.text().splitlines()[1].startswith("preview: [0,3,5] → stick ")
    assert "core" not in view.line.text().splitlines()[1]
    view.back.click()
    assert words(view) == [""]
    assert "Dim 2 is cut into sticks" in view.words.text()
    view.layouts.table.selectRow(1)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert words(view) == [""]
    assert view.layouts.table.keys() == ()


def test_where_it_is_narrow_the_preview_stands_alone(view: SticksView, stage: Stage) -> None:
    view.resize(300, 620)
    look(view, stage, "exp")
    view.layouts.table.selectRow(1)
    assert words(view) == ["preview"]
    view.resize(*WIDE)
    QApplication.processEvents()
    assert words(view) == ["this plan", "preview"]


def test_a_preview_is_of_one_buffer(view: SticksView, stage: Stage) -> None:
    look(view, stage, "exp")
    view.layouts.table.selectRow(1)
    look(view, stage, "sub")
    assert words(view) == [""]
    assert view.layouts.table.keys() == ()


def test_a_preview_has_the_right_layout(view: SticksView, stage: Stage) -> None:
    look(view, stage, "exp")
    row = next(place for place, one in enumerate(view.layouts.candidates) if one.layout.stick_dim == 0)
    view.layouts.table.selectRow(row)
    model = view.pictures.pictures[-1].model
    assert model.layout == stick_layout((4, 512, 512), (512 * 512, 512, 1), 64, (1, 2, 0))
    assert model.preview


# Room


@pytest.mark.parametrize("size", [(288, 560), (448, 1200), (900, 560)])
@pytest.mark.parametrize("name", ["exp", "max", "k@d1", "q"])
def test_nothing_is_cut_off(view: SticksView, stage: Stage, size: tuple[int, int], name: str) -> None:
    view.resize(*size)
    look(view, stage, name)
    QApplication.processEvents()
    assert view.minimumSizeHint().width() <= size[0]
    for label in (view.words, view.figures, view.line, view.layouts.told):
        if label.isVisible():
            assert label.heightForWidth(label.width()) <= label.height()
    table = view.layouts.table
    if table.isVisible():
        assert table.horizontalScrollBar().maximum() == 0
        assert table.verticalScrollBar().maximum() == 0
