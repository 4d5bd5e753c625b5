"""Settings: values that a row allows, defaults for all others, and the files opened last."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from spyre_studio.settings import SETTINGS, Settings


def store(folder: Path) -> QSettings:
    return QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)


def test_every_row_explains_itself_and_has_a_value_it_allows() -> None:
    for key, row in SETTINGS.items():
        assert key == row.key
        assert row.allows(row.default)
        assert row.help.endswith(".")


def test_values_are_kept(tmp_path: Path) -> None:
    told: list[str] = []
    settings = Settings(store(tmp_path))
    settings.changed.connect(told.append)
    settings.set("theme", "dark")
    settings.set("theme", "dark")
    settings.set("poison", False)
    assert told == ["theme", "poison"]
    again = Settings(store(tmp_path))
    assert again.value("theme") == "dark"
    assert not again.on("poison")
    assert again.on("resolve_automatically")


def test_what_a_row_does_not_allow(tmp_path: Path) -> None:
    settings = Settings(store(tmp_path))
    with pytest.raises(ValueError, match="theme cannot be 'pink'"):
        settings.set("theme", "pink")
    with pytest.raises(ValueError, match="poison cannot be 'dark'"):
        settings.set("poison", "dark")
    (tmp_path / "settings.ini").write_text("[General]\ntheme=pink\npoison=perhaps\nresolve_automatically=false\n")
    odd = Settings(store(tmp_path))
    assert odd.value("theme") == "system"
    assert odd.on("poison")
    assert not odd.on("resolve_automatically")


def test_recent_files(tmp_path: Path) -> None:
    assert Settings(store(tmp_path)).recent == ()
    settings = Settings(store(tmp_path))
    settings.add_recent("a")
    assert Settings(store(tmp_path)).recent == ("a",)
    for name in "bca":
        settings.add_recent(name)
    assert Settings(store(tmp_path)).recent == ("a", "c", "b")
    settings.drop_recent("c")
    assert list(settings.recent) == ["a", "b"]
    for number in range(30):
        settings.add_recent(str(number))
    assert len(settings.recent) == 12
    settings.clear_recent()
    assert Settings(store(tmp_path)).recent == ()
