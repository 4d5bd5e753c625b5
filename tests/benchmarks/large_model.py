"""How the window copes with a large model: `python -m tests.benchmarks.large_model [SPEC]`.

Opens a stack of decoder layers, pins a split, and tells the longest time the event loop was blocked in each phase:
that is what a person feels.  Default: 40 layers of hidden size 4096.
"""

from __future__ import annotations

import os
import sys
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
from tests.benchmarks.window_times import calibration, largest, wait_for

SPEC = "decoder_stack?layers=40&hidden=4096"


class Heartbeat:
    """The longest pause between two turns of the event loop."""

    def __init__(self) -> None:
        self.worst_ms = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def restart(self) -> None:
        """Begin a phase."""
        self.worst_ms, self._last = 0.0, time.perf_counter()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.worst_ms, self._last = max(self.worst_ms, (now - self._last) * 1000), now


def main() -> None:
    """Open, pin, repaint."""
    app = QApplication([])
    session = Session()
    window = MainWindow(session, ThemeFollower(app, "dark"), None)
    window.resize(1600, 1000)
    window.show()
    app.processEvents()
    beat = Heartbeat()
    window.open(sys.argv[1] if len(sys.argv) > 1 else SPEC)
    took = wait_for(app, lambda: session.compilation is not None and not session.busy, 300)
    wait_for(app, lambda: window.page is not window.start, 10)
    for _ in range(50):
        app.processEvents()
    assert session.compilation is not None
    ops = session.compilation.problem.program.ops
    print(f"{len(ops)} ops: open {took / 1000:.1f} s, event loop blocked at most {beat.worst_ms:.0f} ms")
    op, before = largest(ops), session.compilation
    beat.restart()
    session.pin_division(op.name, {"m": 2})
    took = wait_for(app, lambda: session.compilation is not before and not session.busy, 300)
    for _ in range(50):
        app.processEvents()
    print(f"pin on {op.name}: {took / 1000:.1f} s, blocked at most {beat.worst_ms:.0f} ms")
    begin = time.perf_counter()
    window.grab()
    print(f"whole window painted in {(time.perf_counter() - begin) * 1000:.0f} ms; calibration {calibration():.0f} ms")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
