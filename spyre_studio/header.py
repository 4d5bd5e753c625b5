"""The header of the window: what is open, for which device, Re-solve, the predicted time, and the checker's lights.

Owns: choosing what fits into its width; the verdict itself always does. Refuses: doing anything; it calls the session
or says what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.device import device_names, load_device
from compiler.pipelines import PURPOSES, name_of
from spyre_studio.chip import Chip
from spyre_studio.elided import ElidedLabel
from spyre_studio.glossary import hint_of
from spyre_studio.lights import VerdictLights
from spyre_studio.pill import Pill
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.session import Session
from spyre_studio.session_state import BESIDE
from spyre_studio.solver_words import bound_text, plan_hint, solver_text
from spyre_studio.theme import GRID, PAD, Tone
from spyre_studio.units import format_count, format_us
from spyre_studio.verdicts import change_text, gathered, lights_of
from spyre_studio.widgets import button, restyle

HEIGHT = 6 * GRID
_LETTERS = 24  # of the name of a plan
_NAME = 14 * GRID  # px; of a long name so much is always seen


class Header(QWidget):
    """`asked` carries what was clicked: 'resolve', 'pins', or 'verify'."""

    asked = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.name, self.note = ElidedLabel("", self), QLabel(self)
        self.device_chip, self.pipeline_chip = Chip(parent=self), Chip(parent=self)
        self.pins_chip = Chip("", accent=True, parent=self)
        self.resolve = button("Re-solve", "primary", "Make the plan for the current pins (Ctrl+R)")
        self.time, self.change, self.bound = QLabel(self), QLabel(self), QLabel(self)
        self.solver, self.old = QLabel(self), Pill("old plan", "warn", self)
        self.lights = VerdictLights(self)
        self._arrange()
        session.changed.connect(self.refresh)
        session.searched.connect(self._show_old)
        self.refresh()

    def refresh(self) -> None:
        """Show what the session holds now."""
        session = self._session
        compilation = session.compilation
        self.setVisible(compilation is not None)
        if compilation is None:
            return
        self._show_name(compilation.graph.name)
        self.note.setText(_note(session))
        self.pipeline_chip.set_words(_pipeline_name(session.options.pipeline), _log(compilation))
        count = len(session.pins.keys)
        self.pins_chip.set_words(format_count(count, "pin"), "Show the pins")
        self.pins_chip.setVisible(count > 0)
        self.resolve.setEnabled(not session.opening and session.busy in {"", *BESIDE})
        self._show_time(compilation)
        self._show_old()
        self._fit()

    def sizeHint(self) -> QSize:
        """A row of controls."""
        return QSize(px(100 * GRID), px(HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """Less than everything needs: what does not fit is left out."""
        return QSize(px(80 * GRID), px(HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width has room for other things."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """What it needs is known for sure once its fonts are those of the screen."""
        super().showEvent(event)
        QTimer.singleShot(0, self, self._fit)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A panel with a line below."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), qcolor(active_theme().panel))
        painter.fillRect(0, self.height() - 1, self.width(), 1, qcolor(active_theme().line))
        painter.end()

    def _show_device(self, short: bool) -> None:
        device = self._session.device
        cores, hint = format_count(device.cores, "core"), f"{device.name}: choose device and cores"
        self.device_chip.set_words(cores if short else f"{device.name} · {cores}", hint)

    def _show_name(self, name: str) -> None:
        """A long name is cut before anything beside it goes."""
        self.name.say(name)
        whole = self.name.fontMetrics().horizontalAdvance(name) + 2
        self.name.setMinimumWidth(min(whole, px(_NAME)))
        self.name.setMaximumWidth(whole)

    def _show_time(self, compilation: Compilation) -> None:
        self.time.setText(format_us(compilation.cost.total_us))
        change = change_text(compilation, self._session.before)
        self.change.setText(change)
        self.change.setVisible(bool(change))
        tone: Tone = "mute" if change.startswith("±") else "ok" if change.startswith("−") else "warn"
        self.change.setProperty("tone", tone)
        restyle(self.change)
        self.change.setToolTip("Against the plan that was on screen before")
        self.bound.setText(bound_text(compilation.solver))
        self.solver.setText(f"{_short(self._session.plan_name)} · {solver_text(compilation.solver)}")
        for label in (self.bound, self.solver):
            label.setToolTip(plan_hint(compilation))
        self.bound.setAccessibleName(f"{self.bound.text()}. {self.bound.toolTip()}")
        self.time.setToolTip(hint_of("predicted"))
        self.time.setAccessibleName(f"Predicted time {self.time.text()}")

    def _show_old(self) -> None:
        """While another plan is searched for, the one on screen says that it is not that one."""
        searching = self._session.search is not None
        if searching is self.old.isVisibleTo(self):
            return
        hint = "Another plan is searched for; this one stays until that is there"
        self.old.set_pill("old plan", "warn", f"{self._session.plan_name}: {hint}")
        self.old.setVisible(searching)
        self._fit()

    def _fit(self) -> None:
        """Full lights if they fit, else gathered ones; without the words about the solver; without the note; lights
        that are quiet without their words, cores without their device, and where even that is too much, no chips."""
        compilation = self._session.compilation
        if compilation is None:
            return
        lights = lights_of(compilation, self._session.verify_report)
        for part in (self.solver, self.pipeline_chip, self.device_chip):
            part.show()
        self.note.setVisible(bool(self.note.text()))
        self.lights.set_wordy(True)
        self._show_device(short=False)
        for wanted in (lights, gathered(lights)):
            self.lights.set_lights(wanted)
            if self._needed() <= self.width():
                return
        steps: tuple[Callable[[], object], ...] = (
            self.solver.hide,
            self.note.hide,
            lambda: self.lights.set_wordy(False),
            lambda: self._show_device(short=True),
            self.pipeline_chip.hide,
            self.device_chip.hide,
        )
        for step in steps:
            step()
            if self._needed() <= self.width():
                return

    def _needed(self) -> int:
        layout = self.layout()
        assert layout is not None
        for light in self.lights.buttons:
            light.show()  # a layout counts what is shown, and new children are not until the event loop turns
        for each in (self.lights.layout(), layout):
            assert each is not None
            each.invalidate()
        return layout.minimumSize().width()

    def _arrange(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(px(HEIGHT))
        self.name.setFont(font("title", bold=True))
        self.name.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.time.setFont(font("title", bold=True))
        self.old.hide()
        for label in (self.note, self.bound, self.solver, self.change):
            label.setFont(font("label"))
            label.setProperty("tone", "mute")
        self.resolve.clicked.connect(lambda: self.asked.emit("resolve"))
        self.pins_chip.clicked.connect(lambda: self.asked.emit("pins"))
        self.lights.chosen.connect(lambda _name: self.asked.emit("verify"))
        menu = QMenu(self)
        menu.aboutToShow.connect(lambda: self._fill_devices(menu))
        self.device_chip.take_menu(menu)
        pipelines = QMenu(self)
        pipelines.aboutToShow.connect(lambda: self._fill_pipelines(pipelines))
        self.pipeline_chip.take_menu(pipelines)
        row = QHBoxLayout(self)
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        row.setContentsMargins(px(PAD), 0, px(PAD), 0)
        row.setSpacing(px(GRID))
        for widget in (self.name, self.note):
            row.addWidget(widget)
        row.addSpacing(px(2 * GRID))
        for chip in (self.device_chip, self.pipeline_chip, self.pins_chip):
            row.addWidget(chip)
        row.addSpacing(px(2 * GRID))
        row.addStretch(1)
        row.addWidget(self.resolve)
        row.addSpacing(px(GRID))
        row.addWidget(self.old)
        row.addLayout(self._times())
        row.addSpacing(px(2 * GRID))
        row.addWidget(self.solver)
        row.addSpacing(px(2 * GRID))
        row.addStretch(1)
        row.addWidget(self.lights)

    def _times(self) -> QVBoxLayout:
        """The predicted time with its change, above the bound."""
        times = QVBoxLayout()
        times.setSpacing(0)
        first = QHBoxLayout()
        first.setSpacing(px(GRID))
        first.addWidget(self.time)
        first.addWidget(self.change, 0, Qt.AlignmentFlag.AlignBottom)
        first.addStretch(1)
        times.addStretch(1)
        times.addLayout(first)
        times.addWidget(self.bound)
        times.addStretch(1)
        return times

    def _fill_devices(self, menu: QMenu) -> None:
        """Every bundled device with fewer and fewer cores, the current choice marked."""
        menu.clear()
        options, current = self._session.options, self._session.device
        for name in device_names():
            cores = load_device(name).cores
            while cores >= 1:
                entry = menu.addAction(f"{name} · {format_count(cores, 'core')}")
                entry.setCheckable(True)
                entry.setChecked((name, cores) == (current.name, current.cores))
                choice = (name, cores, options.pipeline)
                entry.triggered.connect(lambda _checked=False, choice=choice: self._session.set_options(*choice))
                cores //= 2
            menu.addSeparator()

    def _fill_pipelines(self, menu: QMenu) -> None:
        """Every named pipeline with what it is for, the current choice marked; one that is spelt out as it is."""
        menu.clear()
        options = self._session.options
        for name, purpose in PURPOSES.items():
            entry = menu.addAction(f"{name} · {purpose}")
            entry.setCheckable(True)
            entry.setChecked(name_of(options.pipeline) == name)
            choice = (options.device, options.cores, name)
            entry.triggered.connect(lambda _checked=False, choice=choice: self._session.set_options(*choice))


def _note(session: Session) -> str:
    """Where it comes from: the file, the folder of kernels, or that it is an example."""
    path = Path(session.source.partition(":")[0])
    whole = session.compilation
    return path.name if path.suffix or (whole is not None and whole.imported) else "example"


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"


def _log(compilation: Compilation) -> str:
    """The passes with their times."""
    return "\n".join(f"{record.spec}  {record.seconds:.2f} s" for record in compilation.log)


def _pipeline_name(spec: str) -> str:
    """The name of a pipeline; one that is spelt out is too long for a chip, its passes stand in the tooltip."""
    named = name_of(spec)
    passes = spec.count(",") + 1
    if named:
        return named
    return spec if passes == 1 else format_count(passes, "pass", "passes")
