"""The dialogs that ask for a file: which files are offered, and what a new one is called.

Owns: filters, titles and the folder used last. Refuses: reading and writing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QFileDialog, QWidget

if TYPE_CHECKING:
    from compiler.emit.format import Format

OPENABLE: Final = "Models, plans, projects and kernels (*.pt2 *.json *.py *.spyre *.mlir);;All files (*)"
_PROJECTS: Final = "Projects (*.spyre)"
_JSON: Final = "JSON (*.json)"


class FileDialogs:
    """Asks over a window; every method gives '' where the user changed their mind."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._folder = ""

    def open_model(self) -> str:
        """A model or a plan to open."""
        return self._kept(
            QFileDialog.getOpenFileName(self._window, "Open a model or a plan", self._folder, OPENABLE)[0]
        )

    def open_pins(self) -> str:
        """A pins file to read."""
        return self._kept(QFileDialog.getOpenFileName(self._window, "Load pins", self._folder, _JSON)[0])

    def save_project(self, name: str) -> str:
        """Where to save the project."""
        return self._save("Save project", name, _PROJECTS)

    def save_plan(self, model: str) -> str:
        """Where to save the plan with its model."""
        return self._save("Save plan", f"{model}.plan.json", _JSON)

    def save_pins(self, model: str) -> str:
        """Where to write the pins."""
        return self._save("Save pins", f"{model}.pins.json", _JSON)

    def save_picture(self, name: str, kind: str, suffix: str) -> tuple[str, bool]:
        """Where to save a picture of the graph, and whether only what is in view is wanted."""
        whole, part = (f"{words} as {kind} (*{suffix})" for words in ("Whole graph", "What is in view"))
        start = str(Path(self._folder) / name)
        path, chosen = QFileDialog.getSaveFileName(self._window, f"Save graph as {kind}", start, f"{whole};;{part}")
        if path and not Path(path).suffix:
            path += suffix
        return self._kept(path), chosen == part

    def save_report(self, name: str, kinds: str) -> tuple[str, str]:
        """Where to write a report, and the chosen one of its kinds."""
        return self._of_kind("Save report", name, kinds)

    def save_run(self, name: str, kinds: str) -> tuple[str, str]:
        """Where to write the simulated run, and the chosen one of its kinds."""
        return self._of_kind("Save simulated run", name, kinds)

    def _of_kind(self, title: str, name: str, kinds: str) -> tuple[str, str]:
        start = str(Path(self._folder) / name)
        path, chosen = QFileDialog.getSaveFileName(self._window, title, start, kinds)
        return self._kept(path), chosen

    def export(self, model: str, row: Format) -> str:
        """Where to export to: a file, or a folder that is made."""
        kinds = f"{row.title} (*{row.suffix})" if row.suffix else f"{row.title} (*)"
        return self._save(f"Export: {row.title}", f"{model}.{row.name}{row.suffix}", kinds)

    def _save(self, title: str, name: str, kinds: str) -> str:
        start = str(Path(self._folder) / name)
        return self._kept(QFileDialog.getSaveFileName(self._window, title, start, kinds)[0])

    def _kept(self, path: str) -> str:
        if path:
            self._folder = str(Path(path).parent)
        return path


def with_suffix(path: str, kind: str, suffixes: Iterable[str]) -> str:
    """The path, with the suffix of the chosen kind where it has none of `suffixes`; the first one for an unknown kind.

    >>> with_suffix("a", "Text (*.txt)", (".html", ".txt")), with_suffix("v1.2", "", (".html", ".txt"))
    ('a.txt', 'v1.2.html')
    >>> with_suffix("a.HTML", "Text (*.txt)", (".html", ".txt")), with_suffix("a.b", "Page (*.html)", (".html", ".txt"))
    ('a.HTML', 'a.b.html')
    """
    known = tuple(suffixes)
    if path.lower().endswith(known):
        return path
    return path + next((suffix for suffix in known if f"*{suffix}" in kind), known[0])
