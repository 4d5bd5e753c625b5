"""One or two stick pictures: a tensor, or it before and after a copy, with one element marked in both.

Owns: the canvases, as the tensor looks or as memory lies, and what is said about the marked element.  Refuses: which
tensors they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from spyre_studio.qt_theme import px
from spyre_studio.stick_grid import memory_grid, tensor_grid
from spyre_studio.stick_model import Lane, StickModel
from spyre_studio.stick_words import cut_title
from spyre_studio.units import format_shape
from spyre_studio.views.stick_canvas import StickCanvas
from spyre_studio.views.stick_paint import Scene

SIDE_BY_SIDE: Final = 520  # px; from here on two pictures stand beside each other
_EVEN: Final = 1 << 16  # px; more than there is, which is then shared out
ONE_OVER_THE_OTHER: Final = 400  # px of height in which two can be read


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A tensor with the word that heads it: 'before', 'after', 'preview', or '' for one alone."""

    model: StickModel
    word: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """The marked lane of one picture in words."""

    word: str
    path: tuple[str, ...]
    detail: str
    lane: Lane


class StickPictures(QWidget):
    """`told` carries a Told per picture for the lane that is pointed at or marked, () for none."""

    told = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.first, self.second = StickCanvas("Sticks of the buffer"), StickCanvas("Sticks of the other layout")
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.memory = False
        self._pictures: tuple[Picture, ...] = ()
        self._cores = 1
        for canvas in (self.first, self.second):
            self.split.addWidget(canvas)
            canvas.hovered.connect(lambda lane, here=canvas: self._pointed(here, lane))
            canvas.clicked.connect(lambda lane, _held, here=canvas: self._marked(here, lane))
            canvas.walked.connect(lambda lane, here=canvas: self._marked(here, lane))
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(px(4))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.split)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """What is shown."""
        return self._pictures

    @property
    def canvases(self) -> tuple[StickCanvas, ...]:
        """A canvas per picture."""
        return (self.first, self.second)[: len(self._pictures)]

    def show_pictures(self, pictures: tuple[Picture, ...], cores: int) -> None:
        """Show one or two tensors of a device of so many cores; a marked element stays marked."""
        index = self._index()
        self._pictures, self._cores = pictures[:2], cores
        if self.second.isHidden() is not (len(self._pictures) < 2):
            self.second.setVisible(len(self._pictures) > 1)
            self._share()
        self._draw(index)

    @property
    def attended(self) -> bool:
        """True while the pointer is at a lane, or the keys are at a picture."""
        return self.pointed or any(canvas.hasFocus() for canvas in self.canvases)

    @property
    def pointed(self) -> bool:
        """True while the pointer is at a lane."""
        return any(canvas.hover_item is not None for canvas in self.canvases)

    def show_core(self, core: int) -> None:
        """Set off the part of the core that is pointed at in any view, NOBODY for none."""
        for canvas in (self.first, self.second):
            canvas.show_core(core)

    def show_memory(self, memory: bool) -> None:
        """As memory lies, or as the tensor looks."""
        if memory != self.memory:
            index = self._index()
            self.memory = memory
            self._draw(index)

    def show_stacked(self, stacked: bool) -> None:
        """Two pictures one below the other, or beside each other."""
        orientation = Qt.Orientation.Vertical if stacked else Qt.Orientation.Horizontal
        if orientation is not self.split.orientation():
            self.split.setOrientation(orientation)
            self._share()

    def _share(self) -> None:
        """As much room for one as for the other, until the user drags the handle."""
        self.split.setSizes([_EVEN, _EVEN])

    def _draw(self, index: tuple[int, ...] | None) -> None:
        layouts = [picture.model.layout for picture in self._pictures]
        for place, (canvas, picture) in enumerate(zip(self.canvases, self._pictures, strict=True)):
            layout, shape = picture.model.layout, picture.model.tensor.shape
            beside = layouts[1 - place] if len(layouts) > 1 else None
            grid = memory_grid(layout, shape) if self.memory else tensor_grid(layout, shape, beside)
            title = cut_title(layout)
            heading = f"{picture.word}: {title}" if picture.word else title[:1].upper() + title[1:]
            canvas.show_scene(Scene(picture.model, grid, self._cores), heading, format_shape(layout.device_size))
        self._mark_element(index)
        self._tell()

    # One element in all pictures

    def _pointed(self, canvas: StickCanvas, lane: object) -> None:
        at = lane if isinstance(lane, tuple) else None
        canvas.point(at)
        self._follow(canvas, at, marks=False)
        self._tell()

    def _marked(self, canvas: StickCanvas, lane: object) -> None:
        at = lane if isinstance(lane, tuple) else None
        canvas.mark(at)
        self._follow(canvas, at, marks=True)
        self._tell()

    def _follow(self, canvas: StickCanvas, lane: tuple[int, int] | None, marks: bool) -> None:
        """The same element in the other picture; none if there is no element in the lane."""
        index = canvas.scene.grid.place(*lane).index if canvas.scene is not None and lane is not None else None
        for other in self.canvases:
            if other is canvas or other.scene is None:
                continue
            there = other.scene.grid.find(index) if index is not None else None
            other.point(None if marks else there)
            if marks:
                other.mark(there)
            if there is not None:
                other.reveal(there, centre=True)

    def _index(self) -> tuple[int, ...] | None:
        """The marked element."""
        scene, lane = self.first.scene, self.first.cursor_lane
        return scene.grid.place(*lane).index if self._pictures and scene is not None and lane is not None else None

    def _mark_element(self, index: tuple[int, ...] | None) -> None:
        for canvas in self.canvases:
            scene = canvas.scene
            if index is None or scene is None or len(index) != len(scene.grid.shape):
                continue
            if all(place < size for place, size in zip(index, scene.grid.shape, strict=True)):
                there = scene.grid.find(index)
                canvas.mark(there)
                canvas.reveal(there, centre=True)

    def _tell(self) -> None:
        told = []
        for canvas, picture in zip(self.canvases, self._pictures, strict=True):
            at, scene = canvas.shown_lane, canvas.scene
            if at is not None and scene is not None:
                lane = picture.model.lane(scene.grid, *at)
                told.append(Told(picture.word, picture.model.path(lane), picture.model.detail(lane), lane))
        self.told.emit(tuple(told))
