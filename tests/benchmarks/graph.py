"""How the graph copes with large models: `python -m tests.benchmarks.graph [NODES ...]`.

For 10,000 ops in nested blocks, the same number without any structure, and 100,000 nodes: time to lay out what is shown
at first, everything open, and the words of it, all of which is done beside the window's thread; then frames while one
pans and zooms at many sizes, 1280 x 800, median (worst).  Behind each time stands its ratio to a calibration loop in
this process, because machines differ.  On a busy machine only the processor's time tells, which is what is printed.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from frozendict import frozendict
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from compiler.loops import LoopProgram, Origin
from spyre_studio.qt_theme import apply_theme
from spyre_studio.theme import DARK
from spyre_studio.viewport import Viewport2D
from spyre_studio.views.graph_canvas import GraphCanvas
from spyre_studio.views.graph_groups import everything, first_opened
from spyre_studio.views.graph_layout import LayoutCache, layout_graph
from spyre_studio.views.graph_model import NODE_KINDS, GraphModel, Node, unplanned
from spyre_studio.views.graph_palette import Colouring
from spyre_studio.views.graph_scene import scene_of
from tests.benchmarks.window_times import calibration
from tests.spyre_studio.graphs import decoder
from tests.spyre_studio.large import OPS_PER_LAYER, stack

SIZE: Final = (1280, 800)
ZOOMS: Final = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 2.0)
FRAMES: Final = 12
MOST_OPS: Final = 20_000
NODES_PER_LAYER: Final = 26
T = TypeVar("T")


def nested(ops: int) -> LoopProgram:
    """Decoder layers in modules."""
    return stack(ops // OPS_PER_LAYER)


def flat(ops: int) -> LoopProgram:
    """The same ops without modules."""
    made = nested(ops)
    return replace(made, ops=tuple(replace(op, origin=Origin()) for op in made.ops))


def drawn(nodes: int) -> GraphModel:
    """Decoder layers as nodes and edges alone: a program of this size takes longer to write down than to draw."""
    made = decoder(nodes // NODES_PER_LAYER)
    graph = made.graph()
    kinds = (NODE_KINDS[place % 3] for place in range(graph.size))
    return GraphModel(
        tuple(
            Node(f"{module}/{name}", f"{module}/{name}", name, "m 8 · n 4", kind, module, float(place % 97), place % 3)
            for place, (name, module, kind) in enumerate(zip(made.names, made.modules, kinds, strict=True))
        ),
        graph.edges,
        tuple(str(source) for source in graph.edges[:, 0].tolist()),
        (graph.edges[:, 0] % 3).astype(np.int8),
        graph,
        frozendict(),
        frozendict(),
    )


def timed(name: str, work: Callable[[], T], unit: float) -> T:
    """Do it, and tell how long it took."""
    began = time.process_time()
    made = work()
    took = (time.process_time() - began) * 1000
    print(f"  {name:<42} {took:8.0f} ms  {took / unit:6.1f} x", flush=True)
    return made


def frames(canvas: GraphCanvas, zoom: float) -> list[float]:
    """Milliseconds of frames along a way through the graph at one zoom."""
    times = []
    bounds = canvas.bounds
    for frame in range(FRAMES + 2):
        share = frame / (FRAMES + 1)
        view = Viewport2D(0, 0, zoom * (1 + 0.02 * frame), *SIZE)
        view = view.centred(bounds.centre[0], bounds.y0 + share * bounds.height)
        canvas.set_viewport(view)
        picture = QPixmap(*SIZE)
        began = time.process_time()
        picture.fill()
        painter = QPainter(picture)
        canvas.paint_content(painter, QRectF(0, 0, *SIZE))
        canvas.paint_overlay(painter, QRectF(0, 0, *SIZE))
        painter.end()
        times.append((time.process_time() - began) * 1000)
    return times[2:]


def measure(name: str, model: GraphModel, opened: frozenset[str], unit: float) -> None:
    """Lay out and paint with these modules open."""
    print(f"{name}")
    cache = LayoutCache()
    layout = timed("layout", lambda: layout_graph(model.graph, opened, cache), unit)
    scene = timed("words", lambda: scene_of(model, layout), unit)
    size = f"{len(layout.boxes):,} boxes, {len(layout.links):,} edges, {len(layout.frames):,} frames"
    print(f"  {size}, {layout.crossings:,} crossings")
    gc.freeze()  # as the window does with a plan that it has read: it is not searched for garbage between two frames
    canvas = GraphCanvas()
    canvas.resize(*SIZE)
    colourings: tuple[Colouring, ...] = ("fate", "kind", "time")
    worst: list[float] = []
    timed("taken over by the window", lambda: canvas.show_scene(scene, start=True), unit)
    for zoom in (canvas.viewport.resized(*SIZE).fitted(canvas.bounds).zoom, *ZOOMS):
        found = []
        for colouring in colourings:
            canvas.set_colouring(colouring)
            found += frames(canvas, zoom)
        worst.append(max(found))
        middle = statistics.median(found)
        print(f"  frame at {zoom:6.3f}: {middle:6.1f} ms ({max(found):.1f})  {middle / unit:5.2f} x", flush=True)
    print(f"  slowest frame {max(worst):.1f} ms, {max(worst) / unit:.2f} x")


def main() -> None:
    """All of it."""
    app = QApplication([])
    apply_theme(app, DARK)
    unit = calibration()
    print(f"calibration {unit:.0f} ms")
    sizes = [int(word) for word in sys.argv[1:]] or [10_000, 100_000]
    for size in sizes:
        if size > MOST_OPS:
            print(f"{size:,} nodes")
            model = drawn(size)
            measure("everything open", model, everything(model.graph), unit)
            continue
        for name, make in (("nested", nested), ("flat", flat)):
            program = make(size)
            model = timed(f"{size:,} ops, {name}: nodes and edges", partial(unplanned, program), unit)
            if name == "nested":
                measure("as shown at first", model, first_opened(model.graph), unit)
            measure("everything open", model, everything(model.graph), unit)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
