"""How fluid long listings are: `python -m tests.benchmarks.program_text [LINES]`, a million lines if not told.

The device program of a stack of layers on 32 cores, written, indexed and folded as in the window, then scrolled,
folded, searched and followed at 2560x1440 and 1280x800.  Milliseconds, median (worst); what runs on a thread of its own
is told so.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from compiler.compilation import Compilation
from compiler.program import DeviceOp, DeviceTensor, ProgramKernel
from compiler.text.program_text import print_program
from spyre_studio.listing import Listing, linked
from spyre_studio.listing_kinds import alike_cores
from spyre_studio.listing_links import Names, Subject
from spyre_studio.listing_search import Query, Search
from spyre_studio.qt_theme import apply_theme
from spyre_studio.theme import DARK
from spyre_studio.views.text_lines import TextLines
from spyre_studio.views.text_marks import Marks
from tests.benchmarks.timeline import line, measured
from tests.benchmarks.window_times import calibration
from tests.programs import attention
from tests.spyre_studio.plans import compiled

CORES = 32


def deep(small: Compilation, wanted: int) -> Compilation:
    """The plan again and again as layers of a deeper one, until its device program has so many lines."""
    program = small.program
    layers = -(-wanted // print_program(program).count("\n"))
    tensors, ops = list[DeviceTensor](), list[DeviceOp]()
    for layer in range(layers):
        tensors += [replace(tensor, name=f"layers.{layer}.{tensor.name}") for tensor in program.tensors]
        for op in (op for kernel in program.kernels for op in kernel.ops):
            name = f"layers.{layer}.{op.name}"
            ops.append(replace(op, name=name, step=len(ops), op=replace(op.op, name=name)))
    deeper = replace(program, tensors=tuple(tensors), kernels=(ProgramKernel("kernel0", tuple(ops)),))
    return replace(small, program=deeper)


def made(deeper: Compilation) -> Listing:
    """Its listing; says how long each part takes, which is on a thread of its own in the window."""
    program, began = deeper.program, time.perf_counter()
    text = print_program(program)
    written = time.perf_counter()
    ops = frozenset(op.name for kernel in program.kernels for op in kernel.ops)
    listing = linked(text, Names(ops, frozenset(tensor.name for tensor in program.tensors)), alike_cores(program))
    indexed = time.perf_counter()
    print(f"{len(listing):,} lines, {len(text) / 1e6:,.0f} MB, {len(ops):,} ops, {len(listing.folds):,} blocks")
    print(f"on a thread: writing {written - began:.1f} s, indexing and folding {indexed - written:.1f} s")
    return listing


def frames(text: TextLines, middle: Subject) -> None:
    """Scroll, fold, mark and go somewhere, and draw the text each time."""
    listing, bar = text.listing, text.verticalScrollBar()
    size = f"{text.width()}x{text.height()}"

    def scroll(step: int) -> Callable[[int], object]:
        def frame(number: int) -> None:
            bar.setValue((number * step) % max(bar.maximum(), 1))
            text.viewport().grab()

        return frame

    def fold(number: int) -> None:
        if number % 2:
            text.fold_all(False)
        else:
            text.fold_as_at_first()
        text.viewport().grab()

    def mark(number: int) -> None:
        text.show_marks(Marks(listing.owned(middle), listing.places(middle), listing.of_core(number % CORES)))
        text.viewport().grab()

    def go(number: int) -> None:
        text.fold_as_at_first()
        text.go_to(5003 * number % len(listing), centre=True)
        text.viewport().grab()

    line(f"{size} scrolling by a row", measured(scroll(text.grid_.row)))
    line("scrolling by a page", measured(scroll(bar.pageStep())))
    line("scrolling anywhere", measured(scroll(bar.maximum() // 37)))
    line("unfolding all, folding as at first", measured(fold))
    line("marking an op and all lines of a core", measured(mark))
    line("folding, then going to a folded line", measured(go))


def main() -> None:
    """All measurements."""
    app = QApplication([])
    apply_theme(app, DARK)
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    listing = made(deep(compiled(program=attention(8, 256, 64), cores=CORES), wanted))
    text = TextLines("Listing")
    line("showing it", measured(lambda _: text.show_listing(listing)))
    middle = next(one for one in listing.known[len(listing.known) // 2 :] if one.kind == "op")
    for size in ((1280, 800), (2560, 1440)):
        text.resize(*size)
        text.show()
        app.processEvents()
        frames(text, middle)
    for words in ("layers.3.", "core 31", "nowhere to be found"):
        search = Search(Query(words))
        began = time.perf_counter()
        found = len(search.run(listing.text))
        print(f"on a thread: searching '{words}', {found:,} lines, {time.perf_counter() - began:.2f} s")
    print(f"calibration {calibration():.0f} ms")
    del app
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
