"""What can be done with the graph from the menus: one method per row of `graph_rows`.

Owns: asking for a file, and telling what became of a picture. Refuses: drawing, folding and writing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from compiler.errors import StudioError
from spyre_studio.action import Action
from spyre_studio.background import Background
from spyre_studio.failure import Failure
from spyre_studio.units import format_bytes, format_percent
from spyre_studio.variant_actions import VariantHandlers

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow
    from spyre_studio.picture import Picture
    from spyre_studio.views.graph import GraphView
    from spyre_studio.views.graph_palette import Colouring
    from spyre_studio.views.graph_trace import Way


class GraphHandlers(VariantHandlers):
    """The methods of the rows."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._pictures = Background(self)

    def colour_by(self, row: Action) -> None:
        """Colour by what the row names."""
        self._graph_view.set_colouring(cast("Colouring", row.key.removeprefix("colour-")))

    def deeper(self, _row: Action) -> None:
        """Open the outermost closed modules."""
        self._graph_view.fold.deeper()

    def shallower(self, _row: Action) -> None:
        """Close the innermost open modules."""
        self._graph_view.fold.shallower()

    def trace(self, row: Action) -> None:
        """Let what the row names stand out around the selected op."""
        self._graph_view.look.trace(cast("Way", row.key.removeprefix("trace-")))

    def save_png(self, _row: Action) -> None:
        """Ask for a file, and save the graph as pixels; they are packed beside the window."""
        from spyre_studio.picture import to_image, to_png

        def form(picture: Picture) -> Callable[[], bytes]:
            return partial(to_png, to_image(picture))

        self._save("PNG", ".png", form, _reduced)

    def save_svg(self, _row: Action) -> None:
        """Ask for a file, and save the graph as a drawing."""
        from spyre_studio.picture import to_svg

        def form(picture: Picture) -> Callable[[], bytes]:
            made = to_svg(picture)
            return lambda: made

        self._save("SVG", ".svg", form, lambda _picture: "")

    def copy_image(self, _row: Action) -> None:
        """Copy the graph as pixels."""
        self._copy_image(in_view=False)

    def copy_view(self, _row: Action) -> None:
        """Copy what is in view as pixels."""
        self._copy_image(in_view=True)

    def copy_svg(self, _row: Action) -> None:
        """Copy the graph as a drawing."""
        self._copy_svg(in_view=False)

    def copy_view_svg(self, _row: Action) -> None:
        """Copy what is in view as a drawing."""
        self._copy_svg(in_view=True)

    @property
    def _graph_view(self) -> GraphView:
        return self._window.workbench.graph

    def _save(
        self,
        kind: str,
        suffix: str,
        form: Callable[[Picture], Callable[[], bytes]],
        note: Callable[[Picture], str],
    ) -> None:
        compilation = self._session.compilation
        name = compilation.graph.name if compilation is not None else "model"
        path, in_view = self._window.handlers.dialogs.save_picture(f"{name}.graph{suffix}", kind, suffix)

        def begin(picture: Picture) -> str:
            work, noted = form(picture), note(picture)
            self._pictures.run(lambda: _written(path, work, noted), self._tell)
            return f"Saving {path}"

        if path:
            self._do(in_view, begin)

    def _tell(self, told: str | StudioError) -> None:
        """Say that a picture was saved, or why it could not be."""
        if isinstance(told, StudioError):
            self._window.banner.say("error", Failure.of(told).sentence)
        else:
            self._window.status.say(told)

    def _copy_image(self, in_view: bool) -> None:
        from spyre_studio.picture import copy_image

        def copy(picture: Picture) -> str:
            size = copy_image(picture)
            return f"Copied the graph, {size.width():,} × {size.height():,} pixels{_reduced(picture)}"

        self._do(in_view, copy)

    def _copy_svg(self, in_view: bool) -> None:
        from spyre_studio.picture import copy_svg

        self._do(in_view, lambda picture: f"Copied the graph as SVG, {format_bytes(copy_svg(picture))}")

    def _do(self, in_view: bool, act: Callable[[Picture], str]) -> None:
        """Make the picture, do something with it, and say what was done or why it cannot be."""
        picture = self._graph_view.picture(in_view)
        if picture is None:
            return
        try:
            self._tell(act(picture))
        except StudioError as error:
            self._tell(error)


def _written(path: str, work: Callable[[], bytes], note: str) -> str | StudioError:
    """Write what `work` makes; tells what was done, or why it could not be."""
    from spyre_studio.picture import save

    try:
        made = work()
        save(path, made)
    except StudioError as error:
        return error
    return f"Saved {path}, {format_bytes(len(made))}{note}"


def _reduced(picture: Picture) -> str:
    """Words for a picture that had to be made smaller than the graph is at 100 %."""
    from spyre_studio.picture import scale_of

    scale = scale_of(picture)
    return f", at {format_percent(scale)} of its size: larger ones are not opened elsewhere" if scale < 1 else ""
