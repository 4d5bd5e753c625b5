"""What the actions do: one method per row of the table, named there.

Owns: nothing but the way from an action to session, selection, graph and dialogs. Refuses: to know keys and menus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QApplication, QMessageBox

from compiler.pins import Pins
from spyre_studio.actions import Action
from spyre_studio.file_dialogs import FileDialogs
from spyre_studio.keys_page import KeysPage
from spyre_studio.palette import Palette
from spyre_studio.pin_change import without
from spyre_studio.pin_menu import choose_same
from spyre_studio.text_zoom import NORMAL, larger, smaller
from spyre_studio.whatif_actions import WhatIfHandlers
from spyre_studio.words_page import WordsPage

if TYPE_CHECKING:
    from spyre_studio.export_dialog import Export, ExportDialog
    from spyre_studio.main_window import MainWindow
    from spyre_studio.views.canvas import Canvas
    from spyre_studio.views.graph import GraphView
    from spyre_studio.views.timeline import TimelineView

ABOUT = "Spyre Studio {version}\n\nSee, steer and check how a PyTorch model is compiled for the Spyre accelerator."
NOTHING_NEW = "Nothing to re-solve"


class Handlers(WhatIfHandlers):
    """Bound to the actions of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.dialogs = FileDialogs(window)
        self._palette = Palette(window)

    @property
    def _graph(self) -> GraphView:
        return self._window.workbench.graph

    @property
    def _buffer(self) -> str:
        assert self._selection.buffer is not None  # the action needs one
        return self._selection.buffer

    @property
    def _model(self) -> str:
        compilation = self._session.compilation
        return compilation.graph.name if compilation else "model"

    # File

    def open_file(self, _row: Action) -> None:
        """Ask for a file and open it."""
        path = self.dialogs.open_model()
        if path:
            self._window.open(path)

    def open_link(self, _row: Action) -> None:
        """Open what the clipboard names."""
        copied = QApplication.clipboard().text().strip()
        if copied and "\n" not in copied:
            self._window.open(copied)
        else:
            self._window.banner.say("info", "The clipboard holds no link; copy one, which is one line of text.")

    def reopen(self, _row: Action) -> None:
        """Read the model again."""
        self._session.reopen()

    def save_plan(self, _row: Action) -> None:
        """Save the plan with its model and pins."""
        path = self.dialogs.save_plan(self._model)
        if path:
            self._session.save_plan(path)

    def export(self, _row: Action) -> None:
        """Choose a format, and write the plan in it."""
        from spyre_studio.export_dialog import ExportDialog  # knows all formats: not needed for the first paint

        dialog = ExportDialog(self._session, self._window)
        dialog.asked.connect(lambda wanted: self._export(dialog, wanted))
        dialog.open()

    def _export(self, dialog: ExportDialog, wanted: Export) -> None:
        path = self.dialogs.export(self._model, wanted.format)
        if path:
            self._session.export(wanted.format.name, path, wanted.chosen, partial=wanted.partial)
            dialog.accept()

    def load_pins(self, _row: Action) -> None:
        """Take the pins of a file."""
        path = self.dialogs.open_pins()
        if path:
            self._session.load_pins(path)

    def save_pins(self, _row: Action) -> None:
        """Write the pins."""
        path = self.dialogs.save_pins(self._model)
        if path:
            self._session.save_pins(path)

    def quit(self, _row: Action) -> None:
        """Close the window."""
        self._window.close()

    # Edit

    def undo(self, _row: Action) -> None:
        """Take back the last change of pins."""
        self._session.undo_stack.undo()

    def redo(self, _row: Action) -> None:
        """Change the pins again."""
        self._session.undo_stack.redo()

    def unpin(self, _row: Action) -> None:
        """Remove the pins of the selected op and buffer, as one step."""
        chosen = {self._selection.op, self._selection.buffer}
        pins = self._session.pins
        self._session.set_pins(without(pins, *(key for key in pins.keys if key.partition(":")[2] in chosen)))

    def pin_lx(self, _row: Action) -> None:
        """Keep the selected buffer in LX."""
        self._session.pin_placement(self._buffer, "lx")

    def pin_hbm(self, _row: Action) -> None:
        """Keep the selected buffer in device memory."""
        self._session.pin_placement(self._buffer, "hbm")

    def pin_ring(self, _row: Action) -> None:
        """Bring the selected buffer over the ring."""
        self._session.pin_relayout(self._buffer, "ring")

    def pin_none(self, _row: Action) -> None:
        """Never bring the selected buffer over the ring."""
        self._session.pin_relayout(self._buffer, "none")

    def pin_same(self, _row: Action) -> None:
        """Pick the op whose division the selected one shall have."""
        if self._selection.op is not None:
            choose_same(self._session, self._selection.op, self._window)

    def remove_pins(self, _row: Action) -> None:
        """Remove all pins."""
        self._session.set_pins(Pins())

    def find(self, _row: Action) -> None:
        """Search in the graph."""
        self._graph.open_find()

    def find_next(self, _row: Action) -> None:
        """The next find."""
        self._graph.finder.next(1)

    def find_previous(self, _row: Action) -> None:
        """The find before."""
        self._graph.finder.next(-1)

    def go_to(self, _row: Action) -> None:
        """Pick a place of the plan by name."""
        self._palette.open_places()

    def palette(self, _row: Action) -> None:
        """Pick an action by name."""
        self._palette.open_actions()

    # Plan

    def resolve(self, _row: Action) -> None:
        """Make the plan for the current pins, or say that it is the one on screen."""
        if self._session.settled:
            self._window.status.say(f"{NOTHING_NEW}: {self._session.plan_name} is the plan of these pins and options")
        else:
            self._session.resolve()

    def stop(self, _row: Action) -> None:
        """End a search with the best so far."""
        self._session.stop()

    def cancel(self, _row: Action) -> None:
        """Stop what runs."""
        self._session.cancel()

    def verify(self, _row: Action) -> None:
        """Compare with PyTorch, and show it."""
        self._window.workbench.show_view("verify")
        self._session.verify()

    def simulate(self, _row: Action) -> None:
        """Ask for the simulated run, and show it."""
        self._timeline()
        self._session.simulate()

    def toggle_play(self, _row: Action) -> None:
        """Play the simulated run, or stand still."""
        self._timeline().toggle_play()

    def toggle_critical(self, _row: Action) -> None:
        """Outline the critical path, or not."""
        self._timeline().toggle_critical()

    def _timeline(self) -> TimelineView:
        """The timeline, brought to the front and given the keyboard: Space plays it."""
        self._window.workbench.show_view("timeline")
        view = cast("TimelineView", self._window.workbench.views["timeline"])
        view.ties.take_keyboard()
        return view

    def flip(self, row: Action) -> None:
        """Turn the switch the action names."""
        settings = self._session.settings
        settings.set(row.setting, not settings.on(row.setting))

    # View

    def toggle_theme(self, _row: Action) -> None:
        """Dark or light."""
        self._window.theme.toggle()

    def system_theme(self, _row: Action) -> None:
        """As the system is set."""
        self._window.theme.choose("system")

    def toggle_table(self, _row: Action) -> None:
        """Graph or table."""
        self._graph.set_table(not self._graph.table_shown)

    def toggle_minimap(self, _row: Action) -> None:
        """Show or hide the overview."""
        self._graph.overlay.toggle_minimap()

    def zoom_in(self, _row: Action) -> None:
        """One step closer."""
        self._canvas().zoom_in()

    def zoom_out(self, _row: Action) -> None:
        """One step away."""
        self._canvas().zoom_out()

    def zoom_reset(self, _row: Action) -> None:
        """100 %."""
        self._canvas().zoom_reset()

    def fit_all(self, _row: Action) -> None:
        """The whole graph."""
        self._graph.canvas.fit_all()

    def focus_selection(self, _row: Action) -> None:
        """Bring the selection into view."""
        self._graph.canvas.focus()

    def open_all(self, _row: Action) -> None:
        """Every module open."""
        self._graph.fold.open_all()

    def close_all(self, _row: Action) -> None:
        """Every module closed."""
        self._graph.fold.close_all()

    def _canvas(self) -> Canvas:
        """The picture that has the keyboard, else the graph."""
        from spyre_studio.views.canvas import Canvas

        focused = QApplication.focusWidget()
        return focused if isinstance(focused, Canvas) else self._graph.canvas

    def text_larger(self, _row: Action) -> None:
        """Texts one step larger."""
        self._size_text(larger(self._text_size))

    def text_smaller(self, _row: Action) -> None:
        """Texts one step smaller."""
        self._size_text(smaller(self._text_size))

    def text_normal(self, _row: Action) -> None:
        """Texts as the system has them."""
        self._size_text(NORMAL)

    @property
    def _text_size(self) -> int:
        return int(str(self._session.settings.value("text_size")))

    def _size_text(self, percent: int) -> None:
        self._session.settings.set("text_size", str(percent))
        self._window.status.say(f"Text at {percent} %")

    def full_view(self, _row: Action) -> None:
        """One view alone, or all again."""
        if self._window.page is self._window.workbench:
            self._window.workbench.full.toggle()

    # Go

    def back(self, _row: Action) -> None:
        """Select what was selected before; from the start page, go back to what is open."""
        if not self._window.leave_start_page():
            self._selection.back()

    def forward(self, _row: Action) -> None:
        """Undo back."""
        self._selection.forward()

    def copy_link(self, _row: Action) -> None:
        """Put a link to what is selected and shown on the clipboard."""
        QApplication.clipboard().setText(self._window.links.here())
        self._window.status.say("Copied the link to this place; on a command line, put it in quotes")

    def next_step(self, _row: Action) -> None:
        """The op that runs next."""
        self._selection.select_step(0 if self._selection.step is None else self._selection.step + 1)

    def previous_step(self, _row: Action) -> None:
        """The op that runs before."""
        self._selection.select_step(0 if self._selection.step is None else self._selection.step - 1)

    def up(self, _row: Action) -> None:
        """Close the module of the selected op."""
        self._graph.close_around()

    # Window and help

    def toggle_left(self, _row: Action) -> None:
        """Show or hide the panel at the left."""
        self._window.workbench.toggle("left")

    def toggle_bottom(self, _row: Action) -> None:
        """Show or hide the views at the bottom."""
        self._window.workbench.toggle("bottom")

    def toggle_right(self, _row: Action) -> None:
        """Show or hide the inspector."""
        self._window.workbench.toggle("right")

    def show_view(self, row: Action) -> None:
        """Bring a view to the front."""
        self._window.workbench.show_view(row.key.removeprefix("view-"))

    def reset_layout(self, _row: Action) -> None:
        """Panels as they were at first."""
        self._window.workbench.reset_layout()

    def start_page(self, _row: Action) -> None:
        """Examples and recent files."""
        self._window.toggle_start_page()

    def full_screen(self, _row: Action) -> None:
        """The window without its frame, or with it again."""
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def show_keys(self, _row: Action) -> None:
        """All keys."""
        KeysPage(self._window).open()

    def show_words(self, _row: Action) -> None:
        """The words of the field."""
        WordsPage(self._window).open()

    def about(self, _row: Action) -> None:
        """What this is."""
        from importlib.metadata import version

        box = QMessageBox(self._window)
        box.setWindowTitle("About Spyre Studio")
        box.setText(ABOUT.format(version=version("spyre-studio")))
        box.open()
