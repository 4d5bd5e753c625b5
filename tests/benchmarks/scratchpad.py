"""How fluid the scratchpad view is: `python -m tests.benchmarks.scratchpad [BUFFERS [STEPS]]`, 10,000 over 5,000.

Every frame moves or zooms and paints the map, the heat map and the strip, offscreen.  Milliseconds on the clock, median
(worst), and of the processor, which other work on the machine does not stretch; beside them the share of a frame of 16
ms and the ratio to a fixed calibration loop, because machines differ.  Also: showing another plan, another core,
hovering, counting the room of a core (on a thread), and where one more buffer would fit.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from frozendict import frozendict
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from spyre_studio.lx_room import fit_of, room_of
from spyre_studio.qt_theme import apply_theme
from spyre_studio.theme import DARK
from spyre_studio.views.lx_heat import LxHeat
from spyre_studio.views.lx_map import LxMap
from spyre_studio.views.lx_strip import LxStrip
from tests.benchmarks.window_times import calibration
from tests.spyre_studio.occupancies import made_occupancy

FRAMES, FRAME_MS, TURN_MS = 30, 16.0, 50.0


def measured(title: str, work: Callable[[int], object], limit: float, calibrated: float) -> None:
    """One line: milliseconds of `work`, after three times to warm up."""
    times, busy = [], []
    for number in range(FRAMES + 3):
        began, used = time.perf_counter(), time.thread_time()
        work(number)
        times.append((time.perf_counter() - began) * 1000)
        busy.append((time.thread_time() - used) * 1000)
    middle, worst, own = statistics.median(times[3:]), max(times[3:]), statistics.median(busy[3:])
    share = f"{own / limit:4.0%} of {limit:.0f} ms, {own / calibrated:.3f} of the calibration"
    print(f"{title:44} {middle:7.2f} ({worst:6.2f}) ms, processor {own:6.2f} ms: {share}")


def frames(plot: LxMap, heat: LxHeat, strip: LxStrip, size: tuple[int, int], loop: float) -> None:
    """Pan and zoom from everything to a few boxes."""
    width, height = size
    plot.resize(width, height)
    heat.resize(width // 2, height)
    strip.resize(width, strip.height())
    middle = plot.plot_rect().center()
    for title, factor in (("everything", 1.0), ("1/10", 10.0), ("1/100", 100.0)):
        plot.fit_all()
        plot.zoom_by(factor, middle)

        def frame(number: int, middle: QPointF = middle) -> None:
            plot.pan_by(9 if number % 2 else -7, 4 if number % 3 else -8)
            plot.zoom_by(1.02 if number % 2 else 1 / 1.02, middle)
            for other in (heat, strip):
                other.show_x(plot.x_axis.lo, plot.x_axis.hi)
            for picture in (plot, heat, strip):
                picture.invalidate()
                picture._cached()

        measured(f"{width}x{height} {title}, pan and zoom", frame, FRAME_MS, loop)
        print("      {} rectangles in {} calls, {} names, {} images".format(*plot.painter_counts))


def main() -> None:
    """All measurements."""
    buffers = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000
    app = QApplication([])
    apply_theme(app, DARK)
    data, titles, loop = made_occupancy(buffers, steps), frozendict[str, str](), calibration()
    print(f"{buffers:,} buffers, {steps:,} steps, {data.cores} cores; calibration {loop:.0f} ms")
    plot, heat, strip = LxMap(), LxHeat(), LxStrip()
    room = room_of(data, 0)
    for picture in (plot, heat, strip):
        picture.ensurePolished()

    def show(_number: int) -> None:
        plot.show_data(data, titles)
        heat.show_data(data)
        strip.show_data(data)

    measured("showing another plan", show, TURN_MS, loop)
    strip.show_room(room, 0)

    def turn(number: int) -> None:
        plot.show_core(number % 2)
        plot._cached()

    measured("another core", turn, FRAME_MS, loop)
    for size in ((700, 300), (1500, 900)):
        frames(plot, heat, strip, size, loop)
    plot.fit_all()
    measured("hover", lambda number: plot.item_at(QPointF(200 + number, 150)), FRAME_MS, loop)
    measured("where one more buffer fits", lambda _: fit_of(data, "", 8192, (10, 60), 32), TURN_MS, loop)
    measured("room of a core (on a thread if it is much)", lambda _: room_of(data, 0), 1000, loop)
    print(f"calibration {calibration():.0f} ms")
    del app
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
