"""How fluid the timeline is: `python -m tests.benchmarks.timeline [SPANS]`, a million spans on 32 cores if not told.

Every frame moves or zooms and paints the whole canvas, lanes of all cores open, and the strip below it, offscreen.
Milliseconds on the clock, median (worst), and of the processor, which other work on the machine does not stretch, with
the share that the latter is of a frame of 16 ms; beside them a fixed calibration loop, because machines differ.  Also:
cutting a trace into tracks, reading its file, and hovering.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from simulator.trace_file import load_trace, save_trace
from spyre_studio.qt_theme import apply_theme
from spyre_studio.theme import DARK
from spyre_studio.timeline_data import timeline_of
from spyre_studio.views.timeline_canvas import TimelineCanvas
from spyre_studio.views.timeline_paint import Counts
from spyre_studio.views.timeline_strip import TimelineStrip
from tests.benchmarks.window_times import calibration
from tests.spyre_studio.traces import USED, made_trace

CORES, STEPS, FRAMES, LIMIT_MS = 32, 1000, 30, 16.0


Times = tuple[float, float, float]


def measured(frame: Callable[[int], object]) -> Times:
    """Median and worst milliseconds of a frame, and the median of the processor's, after three to warm up."""
    times, busy = [], []
    for number in range(FRAMES + 3):
        began, used = time.perf_counter(), time.thread_time()
        frame(number)
        times.append((time.perf_counter() - began) * 1000)
        busy.append((time.thread_time() - used) * 1000)
    return statistics.median(times[3:]), max(times[3:]), statistics.median(busy[3:])


def line(title: str, found: Times, limit: float = LIMIT_MS) -> None:
    """One measurement."""
    middle, worst, busy = found
    print(
        f"{title:40} {middle:7.2f} ({worst:6.2f}) ms, processor {busy:6.2f} ms: {busy / limit:4.0%} of {limit:.0f} ms"
    )


def frames(canvas: TimelineCanvas, strip: TimelineStrip, size: tuple[int, int]) -> None:
    """Pan and zoom from the whole run to single transfers."""
    canvas.resize(size[0], size[1])
    strip.resize(size[0], strip.height())
    middle = QPointF(canvas.plot_rect().center())
    for title, factor in (
        ("whole run", 1.0),
        ("1/10", 10.0),
        ("1/100", 100.0),
        ("1/1,000", 1000.0),
        ("a few tiles", 20_000.0),
    ):
        canvas.fit_all()
        canvas.zoom_by(factor, middle)

        def pan(number: int) -> None:
            canvas.pan_by(7 if number % 2 else -9, -20 if number % 3 else 40)
            canvas.invalidate()
            paint(canvas, strip)

        def zoom(number: int) -> None:
            canvas.zoom_by(1.02 if number % 2 else 1 / 1.02, middle)
            canvas.invalidate()
            paint(canvas, strip)

        for what, frame in (("pan", pan), ("zoom", zoom)):
            canvas.lanes_painter.counts = Counts()
            found = measured(frame)
            line(f"{size[0]}x{size[1]} {title}, {what}", found)
        drawn = canvas.lanes_painter.counts
        per = FRAMES + 3
        counts = (drawn.boxes // per, drawn.sampled // per, drawn.names // per)
        print("      {} boxes, {} lanes sampled, {} names a frame".format(*counts))


def paint(canvas: TimelineCanvas, strip: TimelineStrip) -> None:
    """One frame of both."""
    canvas._cached()
    strip.link(canvas.x_axis)
    strip.invalidate()
    strip._cached()


def main() -> None:
    """All measurements."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    app = QApplication([])
    apply_theme(app, DARK)
    trace = made_trace(CORES, STEPS, max(1, -(-wanted // (CORES * STEPS * USED))))
    print(f"{len(trace.spans):,} spans, {CORES} cores, {STEPS:,} steps; calibration {calibration():.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.npz"
        save_trace(trace, path)
        line("reading the file (on a thread)", measured(lambda _: load_trace(path)), 1000)
    line("cutting into tracks (on a thread)", measured(lambda _: timeline_of(trace)), 1000)
    data = timeline_of(trace)
    canvas, strip = TimelineCanvas(), TimelineStrip()
    canvas.show_data(data, np.arange(STEPS) % 4, trace.steps, {})
    strip.show_data(data)
    canvas.open_cores(frozenset(range(CORES)))
    line("showing another run", measured(lambda _: canvas.show_data(data, np.arange(STEPS) % 4, trace.steps, {})))
    for size in ((1280, 600), (2560, 1200)):
        frames(canvas, strip, size)
    canvas.fit_all()
    line("hover: what is under the pointer", measured(lambda n: canvas.item_at(QPointF(300 + n, 200))))
    print(f"calibration {calibration():.0f} ms")
    del app
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
