"""The left panel: modules with times, pins with what became of them."""

from dataclasses import replace

import pytest
from frozendict import frozendict
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from compiler.loops import Origin
from compiler.pins import Pins, PinState, PinStatus
from spyre_studio.bars import BAR_ROLE
from spyre_studio.pill import Pill
from spyre_studio.selection import Selection
from spyre_studio.sentence import Sentence
from spyre_studio.theme import Theme
from spyre_studio.views.module_rows import walk
from spyre_studio.views.module_tree import ModuleTree
from spyre_studio.views.pins_panel import EMPTY, PinsPanel, pin_words
from tests.spyre_studio.hand import LEFT, NONE, show
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage


@pytest.fixture
def selection(stage: Stage) -> Selection:
    made = Selection(stage)
    stage.changed.connect(lambda what: made.retarget(stage.compilation) if what == "plan" else None)
    return made


def in_modules(compilation: Compilation) -> Compilation:
    """The softmax with all ops but the last in a module."""
    program = compilation.problem.program
    last = program.ops[-1]
    ops = tuple(replace(op, origin=Origin(module="" if op is last else "norm")) for op in program.ops)
    whole = replace(program, ops=ops)
    return replace(compilation, problem=replace(compilation.problem, program=whole))


# Modules


def test_modules_add_up_the_time_of_their_ops(qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme) -> None:
    tree = ModuleTree(stage, selection)
    show(qtbot, tree)
    plan = in_modules(compiled())
    stage.put(plan)
    tree.show_compilation(plan)
    rows = {item.title: item for item in walk(tree.tree.root)}
    total = sum(cost.total_us for cost in plan.cost.steps)
    assert rows["softmax"].us == pytest.approx(total)
    assert rows["norm"].us == pytest.approx(sum(cost.total_us for cost in plan.cost.steps[:-1]))
    assert [item.title for item in rows["norm"].children] == ["max", "sub", "exp", "sum"]
    time = tree.tree.index_of("sum").siblingAtColumn(1)
    assert time.data() == f"{rows['sum'].us:.1f}"
    assert time.data(BAR_ROLE) == pytest.approx(rows["sum"].us / total)
    assert tree.tree.index_of("sum").data(Qt.ItemDataRole.ToolTipRole) == "sum"


@pytest.mark.parametrize(("width", "hidden", "bars"), [(320, False, True), (200, False, False), (120, True, False)])
def test_names_come_first_in_a_narrow_tree(
    qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme, width: int, hidden: bool, bars: bool
) -> None:
    stage.put(compiled())
    tree = ModuleTree(stage, selection)
    show(qtbot, tree, width, 300)
    assert tree.isColumnHidden(1) is hidden
    assert (tree.columnWidth(1) > 80) is bars
    assert tree.columnWidth(0) >= 100


def test_pin_cards_are_never_wider_than_their_panel(
    qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme
) -> None:
    names = ("max", "sub", "exp", "sum", "truediv")
    stage.put(compiled(Pins(placement=frozendict(dict.fromkeys(names, "hbm")))))
    panel = PinsPanel(stage, selection)
    show(qtbot, panel, 150, 160)
    assert panel.cards
    assert all(card.geometry().right() < 150 for card in panel.cards)
    assert all(card.remove.geometry().right() < card.width() for card in panel.cards)


def test_tree_and_selection_follow_each_other(qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme) -> None:
    tree = ModuleTree(stage, selection)
    selection.changed.connect(tree.show_selection)
    show(qtbot, tree)
    stage.put(in_modules(compiled()))
    tree.show_compilation(stage.compilation)
    selection.select_op("exp")
    assert tree.currentIndex() == tree.tree.index_of("exp")
    QTest.keyClick(tree, Qt.Key.Key_Down)
    assert selection.op == "sum"
    selection.clear()
    assert not tree.selectionModel().hasSelection()
    module = tree.tree.parent(tree.tree.index_of("exp"))
    with qtbot.waitSignal(tree.group_chosen) as told:
        QTest.mouseClick(tree.viewport(), LEFT, NONE, tree.visualRect(module).center())
    assert told.args == ["norm"]
    assert selection.op is None


def test_folds_survive_another_plan_of_the_model(qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme) -> None:
    tree = ModuleTree(stage, selection)
    show(qtbot, tree)
    first = in_modules(compiled())
    stage.put(first)
    tree.show_compilation(first)
    module = tree.tree.parent(tree.tree.index_of("exp"))
    assert tree.isExpanded(module), "a small model is open at first"
    tree.collapse(module)
    second = replace(first, plan=replace(first.plan, pipeline="other"))
    stage.put(second)
    tree.show_compilation(second)
    assert not tree.isExpanded(tree.tree.parent(tree.tree.index_of("exp")))
    assert tree.isExpanded(tree.tree.index(0, 0))


def test_an_empty_tree_is_empty(qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme) -> None:
    tree = ModuleTree(stage, selection)
    show(qtbot, tree)
    assert tree.tree.rowCount() == 0
    tree.show_compilation(None)


# Pins


def test_no_pins_say_how_to_make_one(qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme) -> None:
    panel = PinsPanel(stage, selection)
    show(qtbot, panel)
    assert not panel.cards
    assert panel.sentences() == (EMPTY,)


def test_pins_show_what_became_of_them(qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme) -> None:
    panel = PinsPanel(stage, selection)
    show(qtbot, panel, 240, 400)
    pins = Pins(
        division=frozendict({"sum": frozendict({"i": 2}), "max": frozendict({"i": 7})}),
        placement=frozendict({"exp": "hbm"}),
    )
    stage.put(compiled(pins))
    shown = {card.key: (card.pill.text, card.pill.tone) for card in panel.cards}
    assert shown["division:sum"] == ("honoured", "ok")
    assert shown["division:max"] == ("refused", "bad")
    assert shown["placement:exp"] == ("honoured", "ok")
    assert len(panel.sentences()) == 1
    assert "7 does not divide" in panel.sentences()[0]


def test_a_changed_pin_is_not_solved_yet_and_comes_back_by_undo(
    qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme
) -> None:
    panel = PinsPanel(stage, selection)
    show(qtbot, panel, 240, 400)
    stage.put(compiled(divided("sum", i=2)))
    panel.cards[0].remove.click()
    assert not panel.cards
    stage.undo_stack.undo()
    assert [card.key for card in panel.cards] == ["division:sum"]
    assert panel.cards[0].pill.text == "honoured"
    stage.pin_division("max", {"i": 4})
    assert {card.pill.text for card in panel.cards} == {"not solved"}


def test_a_click_on_a_card_selects_what_it_speaks_of(
    qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme
) -> None:
    panel = PinsPanel(stage, selection)
    show(qtbot, panel, 240, 400)
    pins = Pins(division=frozendict({"sum": frozendict({"i": 2})}), placement=frozendict({"exp": "hbm"}))
    stage.put(compiled(pins))
    for card in panel.cards:
        QTest.mouseClick(card, LEFT, NONE, card.rect().center())
    assert (selection.op, selection.buffer) == ("sum", "exp")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("division:a", "m 8 · n 4"),
        ("tiles:a", "tiles m 2"),
        ("layout:b", "sticks of d1"),
        ("placement:b", "keep in LX"),
        ("placement:c", "keep in device memory"),
        ("same:a", "division of other"),
        ("relayout:b", "over the ring"),
        ("relayout:c", "not over the ring"),
    ],
)
def test_pins_in_words(key: str, words: str) -> None:
    pins = Pins(
        division=frozendict({"a": frozendict({"m": 8, "n": 4})}),
        tiles=frozendict({"a": frozendict({"m": 2})}),
        layout=frozendict({"b": 1}),
        placement=frozendict({"b": "lx", "c": "hbm"}),
        same=frozendict({"a": "other"}),
        relayout=frozendict({"b": "ring", "c": "none"}),
    )
    assert pin_words(pins, key) == words


LONG = "layers.0.self_attn.q_proj.linear/matmul.with.a.long.name.that.has.no.spaces"
CONFLICT = f"needs 98,304 B more at step 41; in the way: {LONG} (65,536 B), exp (32,768 B); unpin exp, or use m 16"


def refused(stage: Stage) -> None:
    """A plan with an honoured pin that says how, and a refused one that says why at length."""
    pins = Pins(placement=frozendict(exp="lx", max="lx"), same=frozendict(sum="max"), relayout=frozendict(sub="ring"))
    status = frozendict(
        {
            "placement:exp": PinStatus(PinState.HONOURED, "by its clone exp@in"),
            "placement:max": PinStatus(PinState.REFUSED, CONFLICT),
            "same:sum": PinStatus(PinState.HONOURED),
            "relayout:sub": PinStatus(PinState.REFUSED, "no core lacks a part of it"),
        }
    )
    whole = compiled()
    problem, plan = replace(whole.problem, pins=pins), replace(whole.plan, pins=status)
    stage.put(replace(whole, problem=problem, plan=plan))


def test_why_a_pin_was_refused_is_read_in_full(qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme) -> None:
    panel = PinsPanel(stage, selection)
    show(qtbot, panel, 220, 900)
    refused(stage)
    qtbot.waitUntil(lambda: all(sentence.isVisible() for sentence in panel.findChildren(Sentence)))
    shown = {sentence.text: sentence for sentence in panel.findChildren(Sentence)}
    assert set(panel.sentences()) == shown.keys() == {"by its clone exp@in", CONFLICT, "no core lacks a part of it"}
    told = shown[CONFLICT]
    assert told.toPlainText().splitlines() == [
        "needs 98,304 B more at step 41;",
        f"in the way: {LONG} (65,536 B), exp (32,768 B);",
        "unpin exp, or use m 16",
    ]
    assert told.document().size().width() <= told.width(), "a name without spaces is broken, not cut"
    assert told.height() >= told.document().size().height() > 4 * told.fontMetrics().height()
    assert told.geometry().right() < panel.width()
    tall = told.height()
    panel.resize(500, 900)
    qtbot.waitUntil(lambda: told.height() < tall)


def test_cards_of_every_kind_select_what_they_speak_of(
    qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme
) -> None:
    panel = PinsPanel(stage, selection)
    show(qtbot, panel, 240, 900)
    refused(stage)
    cards = {card.key: card for card in panel.cards}
    cards["same:sum"].clicked.emit("same:sum")
    cards["relayout:sub"].clicked.emit("relayout:sub")
    assert (selection.op, selection.buffer) == ("sum", "sub")
    assert CONFLICT in cards["placement:max"].accessibleDescription()
    for key in ("same:sum", "relayout:sub"):
        cards[key].remove.click()
    assert not stage.pins.same
    assert not stage.pins.relayout
    stage.undo_stack.undo()
    assert stage.pins.relayout == {"sub": "ring"}


def test_names_too_long_for_a_card_are_shortened_not_cut(
    qtbot: QtBot, stage: Stage, selection: Selection, dark: Theme
) -> None:
    panel = PinsPanel(stage, selection)
    show(qtbot, panel, 200, 300)
    stage.set_pins(divided("layers.0.self_attn.q_proj.linear/matmul.with.a.long.name", m=8))
    card = panel.cards[0]
    qtbot.waitUntil(card.isVisible)
    assert card.width() <= panel.width()
    assert isinstance(card.pill, Pill)
    assert card.pill.geometry().right() < card.width()
    assert "q_proj" in card.accessibleName()
