"""What stays where it is on screen when modules are opened or closed, so that nobody is left in an empty place.

Owns: choosing a box in view, finding what became of it in the next picture, and the way back where nothing is in view.
Refuses: which modules are open, and where one goes on purpose (graph_aim.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spyre_studio.detail import Floats, Ints
from spyre_studio.viewport import Rect
from spyre_studio.views.graph_canvas import GraphCanvas
from spyre_studio.views.graph_scene import Scene

_SEEN: Final = 8.0  # px of a box that must be in view to count
_SAME: Final = 0.5  # px that nobody sees
_READABLE: Final = 0.25  # zoom; below this a box is too small to know what it is


@dataclass(frozen=True, slots=True)
class Held:
    """An op, or data by its buffer, and the pixel at which the middle of the upper edge of its box was."""

    op: str
    buffer: str
    at: tuple[float, float]


def hold(canvas: GraphCanvas, group: str, op: str | None) -> Held | None:
    """The box of the group, else that of the op if it is in view, else that next to the middle; None without any."""
    scene = canvas.scene
    if scene is None:
        return None
    seen, box = _rows_in_view(canvas), _box_of_group(scene, group)
    if box < 0 and not len(seen):
        return None
    mine = scene.box_of_op(op)
    if box < 0:
        box = mine if mine in seen else _nearest(canvas, scene, seen)
    nodes = scene.nodes_of[box].tolist()
    chosen = scene.model.of_op[op] if op is not None and mine == box else nodes[0]
    node = scene.model.nodes[chosen]
    return Held(node.name, node.buffer, _top_of(canvas, scene.layout.boxes[box]))


def put_back(canvas: GraphCanvas, held: Held | None, zoom: float) -> None:
    """Move the canvas so that what was held is where it was. A canvas that was fitted stays so, unless that would make
    of what could be read, at `zoom`, a line of dots."""
    if canvas.fitted and canvas.viewport.zoom >= min(zoom, _READABLE):
        return
    box = _box_of(canvas.scene, held)
    if canvas.scene is None or held is None or box < 0:
        return
    if canvas.fitted:
        canvas.set_viewport(canvas.viewport.zoomed(zoom / canvas.viewport.zoom, 0, 0))
    x0, y0, x1, _ = canvas.scene.layout.boxes[box].tolist()
    now = _top_of(canvas, canvas.scene.layout.boxes[box])
    if max(abs(now[0] - held.at[0]), abs(now[1] - held.at[1])) > _SAME:
        canvas.keep_at(((x0 + x1) / 2, y0), held.at)


def never_nothing(canvas: GraphCanvas, held: Held | None) -> None:
    """Where no box is in view: go to the selected one, to what was held, or to the beginning."""
    scene = canvas.scene
    if scene is None or canvas.at_start or not len(scene.layout.boxes) or len(_rows_in_view(canvas)):
        return  # the beginning stays the beginning, also where the window has not given the canvas its room yet
    box = canvas.marked_box if canvas.marked_box >= 0 else _box_of(scene, held)
    if box < 0:
        canvas.show_start()
        return
    canvas.set_viewport(canvas.viewport.centred(*Rect(*scene.layout.boxes[box].tolist()).centre))


def _rows_in_view(canvas: GraphCanvas) -> Ints:
    """The boxes of which enough is on screen."""
    assert canvas.scene is not None
    seen, boxes = canvas.viewport.visible(), canvas.scene.layout.boxes
    across = np.minimum(boxes[:, 2], seen.x1) - np.maximum(boxes[:, 0], seen.x0)
    down = np.minimum(boxes[:, 3], seen.y1) - np.maximum(boxes[:, 1], seen.y0)
    least = _SEEN / canvas.viewport.zoom
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return np.flatnonzero((across >= np.minimum(least, wide)) & (down >= np.minimum(least, high)))


def _nearest(canvas: GraphCanvas, scene: Scene, rows: Ints) -> int:
    middles = (scene.layout.boxes[rows, :2] + scene.layout.boxes[rows, 2:]) / 2
    away = np.abs(middles - np.array(canvas.viewport.visible().centre)).sum(axis=1)
    return int(rows[int(away.argmin())])


def _box_of_group(scene: Scene, group: str) -> int:
    """The box that stands for a closed group, -1 where none does."""
    if not group or group not in scene.layout.group_paths:
        return -1
    rows = np.flatnonzero(scene.layout.box_item == scene.node_count + scene.layout.group_paths.index(group))
    return int(rows[0]) if len(rows) else -1


def _box_of(scene: Scene | None, held: Held | None) -> int:
    """The box that shows what was held, itself or in a closed group."""
    if scene is None or held is None:
        return -1
    model = scene.model
    node = model.of_op.get(held.op, model.of_buffer.get(held.buffer))
    return -1 if node is None else int(scene.layout.box_of[node])


def _top_of(canvas: GraphCanvas, box: Floats) -> tuple[float, float]:
    """Middle of the upper edge, in pixels."""
    x, y = canvas.viewport.to_px(np.array([(box[0] + box[2]) / 2, box[1]])).tolist()
    return x, y
