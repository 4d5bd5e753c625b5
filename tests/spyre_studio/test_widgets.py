"""The small widgets say what they are told, in words as well as in colour, and answer to keyboard and mouse."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTreeView, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.banner import Banner
from spyre_studio.bars import BAR_ROLE, Bar, BarCell, Part, draw_bar
from spyre_studio.legend import FATES, KINDS, Entry, Legend, ScaleLegend
from spyre_studio.lights import Light, VerdictLights, draw_mark
from spyre_studio.pill import Pill
from spyre_studio.sparkline import Sparkline
from spyre_studio.state_page import StatePage
from spyre_studio.theme import DARK, Theme, Tone
from spyre_studio.view_state import READY, empty, loading
from spyre_studio.widgets import Card, Heading, SectionLabel, button, hairline, text_label
from tests.spyre_studio.hand import LEFT, NONE, show

LIGHTS = (Light("coverage", "ok"), Light("overlap", "bad", "two buffers share 128 B at step 3"))


def colours(widget: QWidget) -> set[str]:
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def labels(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel)]


# Pills and lights


@pytest.mark.parametrize(("word", "tone"), [("honoured", "ok"), ("adjusted", "warn"), ("refused", "bad")])
def test_a_pill_has_a_word_and_its_colour(qtbot: QtBot, dark: Theme, word: str, tone: Tone) -> None:
    pill = Pill(word, tone)
    show(qtbot, pill, 120, 30)
    assert pill.accessibleName() == word
    assert dark.tint(dark.tone(tone)) in colours(pill)


def test_a_pill_grows_with_its_word(qtbot: QtBot, dark: Theme) -> None:
    pill = Pill("pinned", "accent")
    qtbot.addWidget(pill)
    narrow = pill.sizeHint().width()
    pill.set_pill("pinned by the project", "accent", "since Tuesday")
    assert pill.sizeHint().width() > narrow
    assert pill.toolTip() == "since Tuesday"
    assert (pill.text, pill.tone) == ("pinned by the project", "accent")


def test_lights_speak_and_can_be_chosen(qtbot: QtBot, dark: Theme) -> None:
    row = VerdictLights()
    show(qtbot, row)
    row.set_lights(LIGHTS)
    assert [light.accessibleName() for light in row.buttons] == ["coverage: good", "overlap: failed"]
    assert row.buttons[1].toolTip() == LIGHTS[1].hint
    with qtbot.waitSignal(row.chosen) as signal:
        QTest.mouseClick(row.buttons[1], LEFT, NONE, QPoint(4, 4))
    assert signal.args == ["overlap"]
    with qtbot.waitSignal(row.chosen) as signal:
        QTest.keyClick(row.buttons[0], Qt.Key.Key_Space)
    assert signal.args == ["coverage"]


def test_equal_lights_are_left_alone(qtbot: QtBot, dark: Theme) -> None:
    row = VerdictLights()
    qtbot.addWidget(row)
    row.set_lights(LIGHTS)
    before = row.buttons
    row.set_lights(list(LIGHTS))
    assert row.buttons == before
    row.set_lights(LIGHTS[:1])
    assert row.lights == LIGHTS[:1]


def test_marks_differ_in_shape(qtbot: QtBot, dark: Theme) -> None:
    drawn: list[tuple[bool, bool, bool]] = []
    for tone in ("ok", "warn", "bad", "mute"):
        image = QImage(20, 20, QImage.Format.Format_RGB32)
        image.fill(QColor("#000000"))
        painter = QPainter(image)
        draw_mark(painter, QPointF(10, 10), tone, 16)
        painter.end()
        lit = [image.pixelColor(x, y).lightness() > 60 for x, y in ((3, 3), (10, 10), (3, 17))]
        drawn.append((lit[0], lit[1], lit[2]))
    # corner above, middle, corner below
    assert drawn == [(False, True, False), (False, True, True), (True, True, True), (False, False, False)]


# Headings, cards, buttons


def test_headings_have_a_note(qtbot: QtBot, dark: Theme) -> None:
    section = SectionLabel("Pins", "3")
    qtbot.addWidget(section)
    section.set_note("4")
    assert labels(section) == ["Pins", "4"]
    heading = Heading("Candidates", "61 legal")
    qtbot.addWidget(heading)
    heading.set_heading("Candidates", "over budget", "bad")
    show(qtbot, heading, 300, 30)
    assert labels(heading) == ["Candidates", "over budget"]
    assert dark.bad_text in colours(heading)


def test_text_takes_its_tone_from_the_theme(qtbot: QtBot, dark: Theme) -> None:
    label = text_label("needs 96 KiB more", "warn")
    show(qtbot, label, 200, 30)
    assert dark.warn_text in colours(label)
    assert label.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse


def test_buttons_differ_by_role(qtbot: QtBot, dark: Theme) -> None:
    window = QWidget()
    column = QVBoxLayout(window)
    first, second, third = button("Re-solve", "primary"), button("Compare"), button("Details", "quiet")
    for one in (first, second, third):
        column.addWidget(one)
    column.addWidget(hairline())
    show(qtbot, window)
    window.setFocus()
    assert dark.accent in colours(first)
    assert dark.raised in colours(second)
    assert dark.raised not in colours(third)


def test_a_card_is_raised_without_a_border(qtbot: QtBot, dark: Theme) -> None:
    card = Card()
    card.column.addWidget(text_label("attn.scores/bmm"))
    show(qtbot, card, 200, 60)
    image = card.grab().toImage()
    assert image.pixelColor(100, 1).name() == image.pixelColor(190, 30).name() == dark.raised


# Bars


def test_bars_fill_their_share(qtbot: QtBot, dark: Theme) -> None:
    image = QImage(100, 20, QImage.Format.Format_RGB32)
    for right_aligned, lit in ((False, [True, True, False]), (True, [False, True, True])):
        image.fill(QColor("#000000"))
        painter = QPainter(image)
        draw_bar(painter, QRectF(0, 0, 100, 20), (Part(0.6, "#ffffff"),), right_aligned)
        painter.end()
        assert [image.pixelColor(x, 10).lightness() > 128 for x in (10, 50, 90)] == lit


def test_a_tiny_share_is_visible_and_none_is_not(qtbot: QtBot, dark: Theme) -> None:
    bar = Bar((Part(1e-6, "#ff0000"), Part(0.0, "#00ff00")), "time")
    show(qtbot, bar, 200, 16)
    seen = colours(bar)
    assert "#ff0000" in seen
    assert "#00ff00" not in seen
    bar.set_parts((), "nothing")
    assert bar.accessibleName() == "nothing"


def test_a_bar_cell_shows_bar_and_number(qtbot: QtBot, dark: Theme) -> None:
    model = QStandardItemModel()
    for share in (1.0, 0.25):
        item = QStandardItem("412.6")
        item.setData(share, BAR_ROLE)
        model.appendRow(item)
    view = QTreeView()
    view.setHeaderHidden(True)
    view.setRootIsDecorated(False)
    view.setModel(model)
    view.setItemDelegate(BarCell(number_width=6))
    show(qtbot, view, 300, 100)
    image = view.viewport().grab().toImage()
    widths = []
    for row in (0, 1):
        middle = view.visualRect(model.index(row, 0)).center().y()
        bar = [
            x
            for x in range(image.width())
            if image.pixelColor(x, middle).blueF() > 0.5 > image.pixelColor(x, middle).redF()
        ]
        widths.append(len(bar))
    assert 3.5 < widths[0] / widths[1] < 4.5


# Banner


@pytest.fixture
def banner(qtbot: QtBot, dark: Theme) -> Iterator[Banner]:
    window = QWidget()
    column = QVBoxLayout(window)
    made = Banner()
    column.addWidget(made)
    column.addStretch(1)
    show(qtbot, window)
    yield made
    window.close()


def test_a_very_long_word_goes_on_in_the_next_line(banner: Banner, qtbot: QtBot) -> None:
    word = "x" * 700
    banner.resize(600, banner.height())
    banner.say("error", f"a.pt2: {word} is no number.")
    assert banner.sentence == f"a.pt2: {word} is no number."
    label = next(one for one in banner.findChildren(QLabel) if word[:50] in one.text())
    assert label.heightForWidth(500) > 3 * label.fontMetrics().height()
    assert label.minimumSizeHint().width() < 1200


def test_a_banner_says_one_sentence_and_goes(banner: Banner, qtbot: QtBot) -> None:
    assert not banner.isVisible()
    banner.say("error", "model.pt2 is not a traced model.", "no entry model.json", "Open another")
    assert banner.isVisible()
    assert banner.accessibleName() == "error: model.pt2 is not a traced model."
    assert not banner.details.isVisible()
    QTest.mouseClick(banner.more, LEFT)
    assert banner.details.toPlainText() == "no entry model.json"
    assert banner.details.isVisible()
    with qtbot.waitSignal(banner.acted):
        QTest.mouseClick(banner.action, LEFT)
    with qtbot.waitSignal(banner.dismissed):
        QTest.mouseClick(banner.close_button, LEFT)
    assert not banner.isVisible()


def test_a_banner_offers_only_what_it_has(banner: Banner, qtbot: QtBot) -> None:
    banner.say("info", "Solved in 0.19 s.")
    assert not banner.more.isVisible()
    assert not banner.action.isVisible()
    assert (banner.kind, banner.sentence) == ("info", "Solved in 0.19 s.")
    with qtbot.waitSignal(banner.dismissed):
        QTest.keyClick(banner, Qt.Key.Key_Escape)


# Sparkline, legends, empty page


def test_a_sparkline_falls_to_its_bound(qtbot: QtBot, dark: Theme) -> None:
    line = Sparkline("objective")
    show(qtbot, line, 80, 20)
    line.set_values([500.0, float("inf"), 420.0, 412.6], [None, None, 400.0, 410.0], [0.0, 0.1, 0.5, 2.0])
    points = line.points()
    assert len(points) == 4  # the infinite one is left out, the last is drawn out
    heights = [point.y() for point in points]
    assert heights == sorted(heights)
    assert points[-1].x() == line.width() - 1
    bounds = line.bound_points()
    assert [point.x() for point in bounds] == [points[1].x(), points[2].x(), points[3].x()], "from where it is known"
    assert bounds[0].y() > bounds[1].y() > points[-1].y(), "it rises and stays below"
    assert dark.accent in colours(line)


def test_a_sparkline_without_values_is_empty(qtbot: QtBot, dark: Theme) -> None:
    line = Sparkline()
    show(qtbot, line, 80, 20)
    line.set_values([])
    assert line.points() == []
    assert len(colours(line)) == 1
    line.set_values([5.0])
    assert len(line.points()) == 2
    with pytest.raises(ValueError, match="2 values need as many times"):
        line.set_values([1.0, 2.0], times=[0.0])
    with pytest.raises(ValueError, match="2 values need as many bounds"):
        line.set_values([1.0, 2.0], [0.0])


def test_a_legend_names_and_draws_every_entry(qtbot: QtBot, dark: Theme) -> None:
    legend = Legend((*FATES, *KINDS, Entry("spilled", "hbm", "hatch")), framed=True)
    show(qtbot, legend, 900, 30)
    assert "stays in LX" in legend.accessibleName()
    seen = colours(legend)
    assert {dark.lx, dark.move, dark.hbm, dark.matmul, dark.reduction} <= seen
    wide = legend.sizeHint().width()
    legend.set_entries(KINDS[:1])
    assert legend.sizeHint().width() < wide


@pytest.mark.parametrize("scale", ["fill", "difference"])
def test_a_scale_legend_runs_from_end_to_end(qtbot: QtBot, dark: Theme, scale: str) -> None:
    legend = ScaleLegend("0 %", "100 %", "fill" if scale == "fill" else "difference")
    show(qtbot, legend, 160, 16)
    table = dark.fill if scale == "fill" else dark.difference
    seen = colours(legend)
    assert seen & set(table[:8])  # fewer pixels than colours: the very ends may fall between two
    assert seen & set(table[-8:])


def test_an_empty_page_says_what_to_do(qtbot: QtBot, dark: Theme) -> None:
    page = StatePage(empty("No plan yet", "Open a model to see its graph. " * 6, "Open a model"))
    show(qtbot, page, 600, 400)
    assert page.action.text() == "Open a model"
    assert dark.accent in colours(page.action)
    title, sentence = page.findChildren(QLabel)
    assert sentence.height() >= sentence.heightForWidth(sentence.width()) > 2 * title.fontMetrics().height()
    page.show_state(loading("Solving", progress=None))
    assert not sentence.isVisible()
    page.show_state(READY)
    assert not page.isVisible()
    assert page.state is READY
    assert DARK.bg in colours(page)
