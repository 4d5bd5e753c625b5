"""The roofline view driven as a user would: marks, keys, the table, and thousands of steps."""

from dataclasses import replace

import pytest
from frozendict import frozendict
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from spyre_studio.pin_change import with_placement
from spyre_studio.roofline_model import Roofline, roofline_of
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views.roofline import RooflineView
from spyre_studio.views.roofline_plot import Mark, RooflinePlot
from tests.programs import attention, chain, product
from tests.sketch import Sketch
from tests.spyre_studio.hand import LEFT, NONE, show
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, colours_in, staged

Opened = tuple[RooflineView, Selection]


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> Opened:
    stage.put(compiled(program=attention(2, 128, 64)))
    return staged(qtbot, stage, RooflineView)


def mark_of(view: RooflineView, step: str) -> Mark:
    data = view._data
    assert data is not None
    return next(mark for mark in view.plot.marks if data.places[step] in mark.steps)


def test_a_click_on_a_mark_selects_its_step(opened: Opened) -> None:
    view, selection = opened
    mark = mark_of(view, "context")
    QTest.mouseClick(view.plot, LEFT, NONE, QPointF(mark.x, mark.y).toPoint())
    assert selection.op == "context"
    assert view.line.text().startswith("<b>context</b>: ")
    empty = view.plot.plot_rect().bottomRight().toPoint()
    QTest.mouseClick(view.plot, LEFT, NONE, empty)
    assert selection.op is None


def test_the_hint_says_rate_and_bound(opened: Opened) -> None:
    view, _ = opened
    mark = mark_of(view, "context")
    hint = view.plot.tooltip_for(mark.steps[0])
    assert "context" in hint
    assert "bound by memory" in hint


def test_equal_steps_are_one_mark_and_clicks_go_through_them(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    sketch = Sketch("twins")
    x = sketch.input("x", 128, 256)
    sketch.output(*(sketch.matmul(x, sketch.parameter(f"w{number}", 256, 256)) for number in range(3)))
    stage.put(compiled(program=sketch.program(), pipeline="staged"))
    view, selection = staged(qtbot, stage, RooflineView)
    mark = max(view.plot.marks, key=lambda mark: len(mark.steps))
    assert len(mark.steps) >= 2
    found = set()
    for _ in mark.steps:
        QTest.mouseClick(view.plot, LEFT, NONE, QPointF(mark.x, mark.y).toPoint())
        found.add(selection.op)
    assert len(found) == len(mark.steps)
    assert f"{len(mark.steps)} steps here" in view.plot.tooltip_for(mark.steps[0])


def test_arrows_walk_from_step_to_step(opened: Opened) -> None:
    view, selection = opened
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    first = selection.op
    assert first is not None
    seen = [first]
    for _ in range(len(view.plot._shown) - 1):
        QTest.keyClick(view.plot, Qt.Key.Key_Right)
        assert selection.op is not None
        seen.append(selection.op)
    assert len(set(seen)) == len(view.plot._shown)
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    assert selection.op == seen[-1], "there it ends"


def test_the_table_has_every_step(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    view.set_table(True)
    assert view.table_shown
    compilation = stage.compilation
    assert compilation is not None
    rows = view.table.table.shown()
    assert [row.key for row in rows] == [cost.step for cost in compilation.cost.steps]
    place = next(place for place, row in enumerate(rows) if row.key == "scores")
    view.table.table.selectRow(place)
    assert selection.op == "scores"
    view.table_button.click()
    assert not view.table_shown


def test_a_badge_says_how_many_are_missing(opened: Opened) -> None:
    view, _ = opened
    data = view._data
    assert data is not None
    words = [badge.text for badge in view.plot.state.badges]
    assert words == [f"showing {len(data.drawn)} of {len(data.names)} steps"]


def test_changed_pins_leave_the_picture_and_a_badge(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    stage.set_pins(with_placement(stage.pins, "exp", "hbm"))
    assert view.plot.state.badges[0].text == "pins changed since this plan"


def test_without_a_plan_it_says_what_it_will_show(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = staged(qtbot, stage, RooflineView)
    assert view.state.kind == "empty"
    assert "Open a model" in view.state.sentence


def test_a_plan_without_arithmetic_says_so(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    compilation = compiled(program=chain(64, 128, primitives=("neg",)))
    free = replace(compilation.cost.steps[0], total_us=0.0)
    stage.put(replace(compilation, cost=replace(compilation.cost, steps=(free,))))
    view, _ = staged(qtbot, stage, RooflineView)
    assert view.plot.state.kind == "empty"
    assert "Nothing computes" in view.plot.state.title


def test_both_themes_draw_roofs_and_kinds(opened: Opened, dark: Theme) -> None:
    view, _ = opened
    found = colours_in(view.plot)
    assert {dark.text, dark.bg} <= found


def many(copies: int) -> tuple[Roofline, Compilation]:
    """A roofline of so many steps, spread a little."""
    compilation = compiled(program=product(64, 128, 256))
    cost = compilation.cost.steps[0]
    steps = tuple(
        replace(cost, total_us=cost.total_us * (1 + place % 97 / 10), read_bytes=cost.read_bytes * (1 + place % 31))
        for place in range(copies)
    )
    return roofline_of(replace(compilation, cost=replace(compilation.cost, steps=steps))), compilation


def test_thousands_of_steps_are_few_marks(qtbot: QtBot, dark: Theme) -> None:
    data, _ = many(1)
    base = data
    copies = 5000
    import numpy as np

    spread = 1 + np.arange(copies) % 97 / 10
    heavy = 1 + np.arange(copies) % 31
    data = replace(
        base,
        names=tuple(f"step {place}" for place in range(copies)),
        kinds=np.repeat(base.kinds, copies),
        operations=np.repeat(base.operations, copies),
        bytes=np.repeat(base.bytes, copies) * heavy,
        us=np.repeat(base.us, copies) * spread,
        memory_bound=np.repeat(base.memory_bound, copies),
        intensity=np.repeat(base.intensity, copies) / heavy,
        rate=np.repeat(base.rate, copies) / spread,
        allowed=np.repeat(base.allowed, copies),
        places=frozendict((f"step {place}", place) for place in range(copies)),
    )
    plot = RooflinePlot()
    show(qtbot, plot, 900, 500)
    plot.show_data(data, frozendict((place, name) for place, name in enumerate(data.names)))
    QApplication.processEvents()
    assert sum(len(mark.steps) for mark in plot.marks) == copies
    assert len(plot.marks) < copies / 3
    assert all(mark.radius <= 14 for mark in plot.marks)
    top = plot.marks[-1]
    assert plot.item_at(QPointF(top.x, top.y)) in top.steps


def test_steps_without_traffic_stand_aside(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    compilation = compiled(program=attention(2, 128, 64))
    steps = tuple(
        replace(cost, read_bytes=0, write_bytes=0) if cost.step == "context" else cost
        for cost in compilation.cost.steps
    )
    stage.put(replace(compilation, cost=replace(compilation.cost, steps=steps)))
    view, _ = staged(qtbot, stage, RooflineView)
    assert view.plot.x_ticks().labels[-1] == "∞"
    mark = mark_of(view, "context")
    assert mark.x > max(other.x for other in view.plot.marks if other is not mark)
