"""Sweeping: the verbs of a session that turn one knob through its values, one plan after the other.

Owns the sweep that runs or ran last, which plans the worker keeps for it, and fetching one of them.  Refuses to compile
what is known, and to keep plans of a sweep that is gone; putting one on screen is `Session.show_setting`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from compiler.compilation import Compilation
from compiler.errors import StudioError
from compiler.pins import Pins
from compiler.problem import Problem
from compiler.text.pins_text import print_pins
from spyre_studio.failure import Failure
from spyre_studio.jobs import Jobs
from spyre_studio.pin_tables import without
from spyre_studio.project_session import Projecting
from spyre_studio.request import candidates_request, kept_plan_request, try_request
from spyre_studio.session_state import SWEEP
from spyre_studio.settings import Settings
from spyre_studio.solved import Asked
from spyre_studio.sweep import Base, Fault, Figures, Outcome, Setting, Sweep, figures_of
from spyre_studio.variant import Variant

if TYPE_CHECKING:
    from compiler.candidates import Candidate

FETCH: Final = "sweep-plan"
_LISTING: Final = "listing the splits"


class Sweeping(Projecting):
    """`swept`: a sweep has begun, gone on, ended or gone; see `sweep`.  `sweep_begun` carries its knob."""

    swept = Signal()
    sweep_begun = Signal(str)

    def __init__(
        self, jobs: Jobs | None = None, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(jobs, settings, parent)
        self._sweep: Sweep | None = None
        self._swept: dict[str, str] = {}
        self._swept_from: Asked | None = None
        self._fetching = ""
        self.changed.connect(self._another_model)

    @property
    def sweep(self) -> Sweep | None:
        """The sweep that runs, or the last one; None if there was none since the model was opened."""
        return self._sweep

    @property
    def sweeping(self) -> bool:
        """True while a sweep runs."""
        return SWEEP in self._phases

    @property
    def shown_setting(self) -> str:
        """The setting whose plan is on screen, '' if it is that of none."""
        settings = self._sweep.settings if self._sweep and self._shown else ()
        return next((one.key for one in settings if self._shown and self._asked_at(one) == self._shown.asked), "")

    @property
    def sweep_is_old(self) -> bool:
        """True if what is wanted now is neither what the sweep began with nor one of its settings."""
        settings = self._sweep.settings if self._sweep else ()
        known = {self._swept_from, *map(self._asked_at, settings)}
        return self._sweep is not None and self._asked(self._pins) not in known

    def start_sweep(self, knob: str, values: Sequence[str] = ()) -> None:
        """Turn a knob, such as `cores` or `op:NAME`, through these values or the usual ones; what runs or ran before is
        dropped with its plans."""
        from spyre_studio.sweep_knobs import OP, knob_of, settings_of

        if self._model is None or self._captured is None or self._opening:
            return
        base = Base.of(self._device, self._options, self._pins)
        try:
            row, op = knob_of(knob)
            settings = () if row.key == OP else settings_of(base, knob, values)
        except StudioError as error:
            self._fail(Failure.of(error))
            return
        self._drop_sweep()
        title = f"Splits of {op}" if op else row.title
        self._sweep = Sweep(knob, title, settings, phase="" if settings else _LISTING)
        self._swept_from = self._asked(self._pins)
        self._phases[SWEEP] = "sweep"
        self.changed.emit("state")
        self.sweep_begun.emit(knob)
        if op:
            self._list_splits(base, knob, values)
        else:
            self._go_on()

    def end_sweep(self) -> None:
        """End what runs; what was found stays."""
        self.jobs.cancel(SWEEP)
        if self._phases.pop(SWEEP, None) is not None:
            if self._sweep is not None:
                self._sweep = replace(self._sweep, running="", share=None, phase="")
            self.changed.emit("state")
            self.swept.emit()

    def setting_words(self, one: Setting) -> str:
        """A setting in words. Examples: '8 cores', '40 % of LX', 'pipeline searched'."""
        from spyre_studio.sweep_knobs import setting_words

        return setting_words(self._sweep.knob if self._sweep else "", one)

    def known_plan(self, one: Setting) -> Compilation | None:
        """The plan for a setting, if it is in this process."""
        entry = self._plans.find(self._asked_at(one))
        return entry.compilation if entry else None

    def known_changes(self, op: str) -> tuple[tuple[Mapping[str, int], float], ...]:
        """What the whole plan gains or loses, µs, with factors of an op that a plan was made for already, to be seen or
        in the sweep, all else the same."""
        shown = self._shown
        if shown is None or self.stale:
            return ()
        key, found = f"division:{op}", list[tuple[Mapping[str, int], float]]()
        others = print_pins(without(self._pins, key))
        for pins, asked, total in self._known_totals():
            same = op in pins.division and replace(asked, pins="") == replace(shown.asked, pins="")
            if same and print_pins(without(pins, key)) == others:
                found.append((pins.division[op], total - shown.compilation.cost.total_us))
        return tuple(found)

    def _known_totals(self) -> Iterator[tuple[Pins, Asked, float]]:
        for entry in self._plans.entries:
            yield entry.compilation.problem.pins, entry.asked, entry.compilation.cost.total_us
        for one in self._sweep.settings if self._sweep else ():
            figures = self._sweep.figures(one.key) if self._sweep else None
            if figures is not None:
                yield one.pins, self._asked_at(one), figures.total_us

    @property
    def fetching(self) -> str:
        """The setting whose plan is on its way from the worker, '' if none is."""
        return self._fetching

    def with_setting(self, key: str, then: Callable[[Setting], None]) -> None:
        """Do something once the plan of a setting is known here; the newest wish wins.  A plan that the worker has lost
        is not waited for."""
        one = self._sweep.setting(key) if self._sweep else None
        if one is None or self._model is None or self._captured is None:
            return
        self.jobs.cancel(FETCH)
        self._fetching = ""
        handle, asked = self._swept.get(key), self._asked_at(one)
        if handle is None or self._plans.find(asked) is not None:
            then(one)
            return

        def arrived() -> None:
            self._fetching = ""
            then(one)
            self.swept.emit()

        def fetched(made: Compilation) -> None:
            self._plans.add(asked, handle, made)
            arrived()

        problem = Problem(self._captured.program, one.device, one.pins)
        shown = self._shown.shared if self._shown else None
        request = kept_plan_request(self._model, problem, handle, shown)
        self._fetching = key
        self.jobs.submit(request, FETCH, fetched, lambda _failure: arrived())
        self.swept.emit()

    def keep_setting(self, key: str) -> None:
        """Keep the plan of a setting as a variant, below the one that was chosen last, which stays that."""
        self.with_setting(key, self._keep_setting)

    def _keep_setting(self, one: Setting) -> None:
        name = self._variants.free_name(self.setting_words(one))
        made = Variant(name, one.pins, one.device, one.options, self._variants.chosen)
        self._change(f"Keep variant {name}", lambda tree: tree.add(made).choose(tree.chosen))

    # How it goes on

    def _asked_at(self, one: Setting) -> Asked:
        return Asked.of(self._model.handle if self._model else "", one.device, one.options, one.pins)

    def _list_splits(self, base: Base, knob: str, values: Sequence[str]) -> None:
        from spyre_studio.sweep_knobs import settings_of

        def listed(found: tuple[Candidate, ...]) -> None:
            try:
                settings = settings_of(base, knob, values, found)
            except StudioError as error:
                self._sweep_failed(Failure.of(error))
                return
            if self._sweep is not None:
                self._sweep = replace(self._sweep, settings=settings, phase="")
                self._go_on()

        self.swept.emit()
        if self._shown is not None:
            request = candidates_request(self._shown.shared, knob.partition(":")[2])
            self.jobs.submit(request, SWEEP, listed, self._sweep_failed)

    def _sweep_failed(self, failure: Failure) -> None:
        self._sweep = None
        self.end_sweep()
        self._fail(failure)

    def _go_on(self) -> None:
        """Try the next setting; those whose plans are known need no trying."""
        sweep = self._sweep
        if sweep is None or self._model is None or self._captured is None:
            return
        known = {one.key: figures_of(plan) for one in sweep.waiting if (plan := self.known_plan(one)) is not None}
        self._sweep = sweep = replace(sweep, outcomes=sweep.outcomes | known)
        if not sweep.waiting:
            self.end_sweep()
            return
        one, handle = sweep.waiting[0], self._new_handle()
        self._sweep = replace(sweep, running=one.key, share=None, phase="compile")
        problem = Problem(self._captured.program, one.device, one.pins)
        previous = self._shown.shared if self._shown and one.near else None
        request = try_request(self._model, problem, one.options, previous, handle)
        self.jobs.submit(
            request,
            SWEEP,
            lambda found: self._tried(one.key, found, handle),
            lambda failure: self._tried(one.key, Fault(failure.what, failure.why, failure.remedy), ""),
            self._trying,
        )
        self._tell_sweep()

    def _trying(self, share: float | None, phase: str, _detail: str) -> None:
        if self._sweep is not None:
            self._sweep = replace(self._sweep, share=share, phase=phase)
            self._tell_sweep()

    def _tell_sweep(self) -> None:
        sweep = self._sweep
        one = sweep.setting(sweep.running) if sweep else None
        if sweep is None or one is None:
            return
        if self.busy == "sweep":  # nothing that somebody asked for before runs beside it
            place = f"{len(sweep.outcomes) + 1} of {len(sweep.settings)}: {self.setting_words(one)}"
            self.progressed.emit(sweep.done, "sweep", place)
        self.swept.emit()

    def _tried(self, key: str, outcome: Outcome, handle: str) -> None:
        if self._sweep is None:
            return
        if isinstance(outcome, Figures):
            self._swept[key] = handle
        self._sweep = replace(self._sweep, outcomes=self._sweep.outcomes.set(key, outcome), running="", share=None)
        self._go_on()

    def _drop_sweep(self) -> None:
        self.jobs.cancel(SWEEP)
        self.jobs.cancel(FETCH)
        self._sweep, self._fetching = None, ""
        if self._swept:
            self._swept = {}
            self.jobs.keep(self._kept_handles)

    def _another_model(self, what: str) -> None:
        if what == "model":
            self.resting.clear()
            self._drop_sweep()
            self._phases.pop(SWEEP, None)
            self.swept.emit()

    @property
    def _kept_handles(self) -> set[str]:
        return super()._kept_handles | set(self._swept.values())
