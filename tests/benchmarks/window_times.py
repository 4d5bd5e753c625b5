"""How long the window takes: `python -m tests.benchmarks.window_times [EXAMPLE ...]`.

Start: from the start of the process to the first paint of the start page, five runs.  Re-solve: from the pin on the
largest contraction of an example to the new plan painted, five splits in turn; beside it the time of a fixed
calibration loop in this process, because machines differ.  Times in milliseconds, median (worst).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from compiler.compilation import Compilation
from compiler.loops import LoopOp, OpKind
from compiler.pins import PinState
from resources.examples import examples
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session

START = """
import time; begin = time.time()
import sys
from PySide6.QtWidgets import QApplication
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
app = QApplication([])
window = MainWindow(Session(), ThemeFollower(app, "dark"), None)
window.resize(1600, 1000)
window.show()
window.grab()
heavy = [name for name in ("torch", "ortools", "compiler.pipeline") if name in sys.modules]
print(f"{(time.time() - begin) * 1000:.0f} {','.join(heavy) or 'none'}", flush=True)
import os
os._exit(0)
"""


def wait_for(app: QApplication, ready: Callable[[], bool], seconds: float = 60.0) -> float:
    """Run the event loop until `ready`; milliseconds it took."""
    began = time.perf_counter()
    while not ready():
        app.processEvents()
        if time.perf_counter() - began > seconds:
            raise TimeoutError("the window did not get there")
    return (time.perf_counter() - began) * 1000


def calibration() -> float:
    """Milliseconds of a fixed amount of Python work."""
    began = time.perf_counter()
    sum(number * number for number in range(1_000_000))
    return (time.perf_counter() - began) * 1000


def shown(times: list[float]) -> str:
    """Median and worst."""
    return f"{statistics.median(times):7.0f} ({max(times):.0f})"


def is_new(session: Session, before: Compilation) -> bool:
    """True once another plan is on screen."""
    return session.compilation is not before and not session.busy


def largest(ops: tuple[LoopOp, ...]) -> LoopOp:
    """The largest matmul, or the largest op of a model without one."""
    return max(ops, key=lambda op: (op.kind in (OpKind.MATMUL, OpKind.CONV), op.iterations))


def start_times() -> None:
    """Five starts."""
    runs = [
        subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(5)
    ]
    heavy = {run[1] for run in runs}
    print(f"start to first paint   {shown([float(run[0]) for run in runs])} ms; heavy modules: {', '.join(heavy)}")


def resolve_times(app: QApplication, name: str) -> None:
    """Open one example and pin five splits in turn."""
    session = Session()
    window = MainWindow(session, ThemeFollower(app, "dark"), None)
    window.resize(1600, 1000)
    window.show()
    window.open(name)
    opened = wait_for(app, lambda: session.compilation is not None and not session.busy)
    assert session.compilation is not None
    op = largest(session.compilation.problem.program.ops)
    loops = [(loop.name, factor) for loop in op.output_loops for factor in (2, 4, 8) if loop.extent % factor == 0]
    times: list[float] = []
    honoured = 0
    for loop, factor in loops[:5]:
        before = session.compilation
        session.pin_division(op.name, {loop: factor})
        times.append(wait_for(app, partial(is_new, session, before)))
        window.grab()
        honoured += session.compilation.plan.pins[f"division:{op.name}"].state is PinState.HONOURED
    print(
        f"{name:12} open {opened:6.0f} ms; pin on {op.name}: {shown(times)} ms, "
        f"{honoured} of {len(times)} honoured; calibration {calibration():.0f} ms"
    )
    window.close()


def main() -> None:
    """All measurements."""
    start_times()
    app = QApplication([])
    for name in sys.argv[1:] or [example.name for example in examples()]:
        resolve_times(app, name)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
