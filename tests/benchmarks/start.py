"""How long it takes until one can begin: `python -m tests.benchmarks.start [RUNS]`, five runs if not told.

Three processes per run, one after the other: `python -c "import PySide6.QtWidgets"`, which is the least that any such
window takes; a window to its first paint; a window to the compiled softmax example, painted.  Told are the medians in
milliseconds on the clock, the worst in brackets, and the median of the ratios to the import in the same run, which says
the same on every machine.  The example is read from its archive as on a first day: captures that are kept are not used.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

IMPORT = "import PySide6.QtWidgets"
WINDOW = """
import sys, os, tempfile
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
from spyre_studio.settings import Settings
app = QApplication([])
settings = Settings(QSettings(os.path.join(sys.argv[1], "settings.ini"), QSettings.Format.IniFormat))
session = Session(settings=settings)
window = MainWindow(session, ThemeFollower(app, "dark"))
window.resize(1600, 1000)
window.show()
"""
FIRST_PAINT = f"{WINDOW}window.grab()\nos._exit(0)\n"
COMPILED = f"""{WINDOW}
session.warm_up()
window.open("softmax")
while session.compilation is None or session.busy or window.page is not window.workbench:
    app.processEvents()
window.grab()
session.jobs._process.kill()
os._exit(0)
"""
TARGETS_MS = (0.0, 1000.0, 4000.0)


@dataclass(frozen=True, slots=True)
class Measured:
    """A row: what was waited for, and its milliseconds in each run."""

    title: str
    target: float
    times: tuple[float, ...]


def timed(code: str) -> float:
    """Milliseconds from the start of a process to its end."""
    with tempfile.TemporaryDirectory() as folder:
        own = {"QT_QPA_PLATFORM": "offscreen", "XDG_CACHE_HOME": folder, "XDG_CONFIG_HOME": folder}
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", code, folder], env={**os.environ, **own}, check=True, stderr=subprocess.DEVNULL
        )
        return (time.perf_counter() - began) * 1000


def measured(runs: int) -> tuple[Measured, ...]:
    """All three, in turn, so that all meet the same machine."""
    rows = [[timed(code) for code in (IMPORT, FIRST_PAINT, COMPILED)] for _ in range(runs)]
    titles = ("import of PySide6.QtWidgets", "start to first paint", "start to the softmax example, compiled")
    columns = zip(*rows, strict=True)
    return tuple(Measured(*row) for row in zip(titles, TARGETS_MS, map(tuple, columns), strict=True))


def main() -> None:
    """Measure and tell."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    timed(FIRST_PAINT)  # compiles what was never imported
    rows = measured(runs)
    for row in rows:
        ratio = statistics.median(mine / base for mine, base in zip(row.times, rows[0].times, strict=True))
        target = f"  target {row.target:.0f} ms" if row.target else ""
        print(f"{row.title:40} {statistics.median(row.times):6.0f} ({max(row.times):.0f}) ms  x {ratio:.1f}{target}")


if __name__ == "__main__":
    main()
