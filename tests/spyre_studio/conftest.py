"""Fixtures for the window's tests: the application in a known theme."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from spyre_studio.qt_theme import apply_theme
from spyre_studio.theme import DARK, Theme


@pytest.fixture
def dark(qapp: QApplication) -> Iterator[Theme]:
    """The application in the dark theme; back to it afterwards, whatever the test did."""
    apply_theme(qapp, DARK)
    yield DARK
    apply_theme(qapp, DARK)
