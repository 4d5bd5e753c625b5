"""What the window's process imports: neither torch nor OR-Tools, and nothing that plans."""

import subprocess
import sys

import pytest

FORBIDDEN = (
    *("torch", "ortools", "networkx", "compiler.pipeline", "compiler.passes", "compiler.solvers", "compiler.check"),
    *("compiler.frontend", "simulator.functional", "spyre_studio.worker", "spyre_studio.tasks"),
)
WINDOW = """
import sys
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
import spyre_studio.__main__
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
app = QApplication([])
window = MainWindow(Session(), ThemeFollower(app, "dark"))
window.show()
app.processEvents()
assert window.page is window.start
"""
COMMANDS = """
import sys
from spyre_studio.__main__ import main
assert main(["examples"]) == 0
"""


@pytest.mark.parametrize("code", [WINDOW, COMMANDS], ids=["window", "examples"])
def test_nothing_heavy_is_imported(code: str) -> None:
    listing = "\nprint('---', *sys.modules, sep='\\n')\n"
    done = subprocess.run([sys.executable, "-c", code + listing], capture_output=True, text=True, check=True)
    modules = done.stdout.partition("---")[2].split()
    assert "spyre_studio.cli" in modules
    heavy = [name for name in modules if name.startswith(FORBIDDEN)]
    assert heavy == []


def test_the_worker_imports_neither_qt_nor_torch() -> None:
    code = "import sys, spyre_studio.worker, compiler.pipeline\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.split() if name.partition(".")[0] in ("PySide6", "torch")] == []
