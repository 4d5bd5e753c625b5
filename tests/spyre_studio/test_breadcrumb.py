"""The path above the graph keeps to its room."""

from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from spyre_studio.theme import Theme
from spyre_studio.views.breadcrumb import Breadcrumb
from tests.spyre_studio.hand import show


def shown(crumbs: Breadcrumb) -> list[str]:
    return [each.text() for each in crumbs.findChildren(QToolButton) if not each.isHidden()]


def test_what_is_outermost_gives_way(qtbot: QtBot, dark: Theme) -> None:
    crumbs = Breadcrumb()
    show(qtbot, crumbs)
    crumbs.set_path(("decoder_stack", "layers", "layers.0", "mlp"))
    whole = crumbs.width()
    assert len(shown(crumbs)) == 4
    crumbs.fit(whole - 1)
    assert shown(crumbs) == ["layers", "layers.0", "mlp"]
    assert crumbs.width() < whole
    crumbs.fit(10)
    assert shown(crumbs) == ["mlp"], "the last one stays"
    crumbs.set_path(("decoder_stack", "a"))
    assert shown(crumbs) == ["a"], "another path has no more room"
    crumbs.fit(whole)
    assert shown(crumbs) == ["decoder_stack", "a"]
