"""Session: what can be done with the model on screen: open, pin, solve, undo, verify, save.

Owns the order of things; the only mutable object above the widgets.  Refuses to compute: the worker does, and an
answer takes effect only if nothing newer was asked.  What is open stays open until what replaces it is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.errors import StudioError
from compiler.pins import Pins
from compiler.problem import Problem
from compiler.text.pins_text import print_pins
from simulator.report import VerifyReport
from spyre_studio.failure import Failure
from spyre_studio.options import CompileOptions
from spyre_studio.pin_change import (
    PinChange,
    with_division,
    with_layout,
    with_placement,
    with_relayout,
    with_same,
    without,
)
from spyre_studio.pins_file import read_pins_file, write_pins_file
from spyre_studio.project import Project
from spyre_studio.project_request import project_request
from spyre_studio.request import (
    WHOLE,
    Shared,
    compile_request,
    open_request,
    verify_request,
)
from spyre_studio.session_insights import Advising
from spyre_studio.session_state import CANDIDATES, HANDOVER, LAYOUTS, PASSES, VERIFY, WORK, WRITE
from spyre_studio.solved import Asked, Solved, was_stopped
from spyre_studio.sweep import Setting, keeping_reserve
from spyre_studio.variant import Variants
from spyre_studio.variant_change import Wanted, WantedChange, option_words

_STALE = Failure("the plan on screen", "pins or options changed since it was made", "re-solve first, or save the pins")


class Session(Advising):
    """The verbs; see `SessionState` for what can be read."""

    # Opening

    def open(self, spec: str) -> None:
        """Open a model, a captured model or a saved plan; what is open stays until the new one has a plan."""
        self._open(spec, Pins())

    def reopen(self) -> None:
        """Open the same model again, as after a change of its file; pins are kept."""
        if self._source:
            self._open(self._source, self._pins)

    def _open(self, spec: str, pins: Pins) -> None:
        self.jobs.cancel(VERIFY)
        self._opening = spec
        handle = self._new_handle()

        def opened(value: Captured | Compilation) -> None:
            shared = Shared(handle, value)
            if isinstance(value, Compilation):
                self._adopt_plan(spec, shared, value)
                return
            known, held = (shared, value) if spec != self._source else self._as_it_was(shared, value)
            asked = Asked.of(known.handle, self._device, self._options, pins)
            self._solve(asked, known, held, pins, lambda entry: self._adopt(spec, known, held, pins, entry))

        self._enter(WORK, "open")
        self.jobs.submit(open_request(spec, handle), WORK, opened, self._work_failed, self._progress(WORK))

    def _adopt_plan(self, spec: str, shared: Shared, whole: Compilation) -> None:
        """Show a saved plan: its device, pipeline and pins become the current ones."""
        problem, device = whole.problem, whole.problem.device
        self._options = CompileOptions(device.name, device.cores, whole.plan.pipeline, self._options.seconds)
        self._device = device
        asked = Asked.of(shared.handle, self._device, self._options, problem.pins)
        entry = self._plans.add(asked, shared.handle, whole)
        self._adopt(spec, shared, Captured(whole.graph, problem.program), problem.pins, entry)
        self.changed.emit("options")
        self._tell_files(whole)

    def open_project(self, path: str) -> None:
        """Open a project file; what is open stays until the project has a plan to show."""
        self.jobs.cancel(VERIFY)
        self._opening = path
        handle = self._new_handle()
        self._enter(WORK, "open")
        self.jobs.submit(
            project_request(path, handle),
            WORK,
            lambda project: self._adopt_project(handle, project),
            self._work_failed,
            self._progress(WORK),
        )

    def _adopt_project(self, handle: str, project: Project) -> None:
        """Show the plan that was on screen, or make the one that is wanted where there is none."""
        self._options, self._device = project.options, project.device
        model, entries = Shared(handle, project.captured), self._add_plans(handle, project)
        before = entries[project.before] if project.before >= 0 else None

        def adopt(entry: Solved) -> None:
            spec, tree = project.model.spec, project.variants
            self._adopt(spec, model, project.captured, project.pins, entry, tree, before)
            self.resting.restore(project.off)
            for what in ("options", "pins"):
                self.changed.emit(what)
            self.restored.emit(project)
            self._tell_files(entry.compilation)
            if self.stale:
                self._follow()

        if project.shown >= 0:
            adopt(entries[project.shown])
        else:
            asked = Asked.of(handle, self._device, self._options, project.pins)
            self._solve(asked, model, project.captured, project.pins, adopt)

    def _adopt(
        self,
        spec: str,
        model: Shared,
        captured: Captured,
        pins: Pins,
        entry: Solved,
        tree: Variants | None = None,
        before: Solved | None = None,
    ) -> None:
        """Put a model and its first plan on screen in place of what was there; `tree` and `before` are those of a
        project."""
        self.drop_simulation()
        again = tree is None and spec == self._source
        if entry is not self._shown:
            self._before = self._shown if again else before
        self._source, self._model, self._captured, self._pins = spec, model, captured, pins
        self._shown = entry
        opened, self._opening = self._opening or spec, ""
        self._failure = None
        for channel in self._phases.keys() - {WRITE}:
            del self._phases[channel]
        self._search = None
        self._plans.keep_model(model.handle)
        self.jobs.keep(self._kept_handles)
        self.undo_stack.clear()
        self.settings.add_recent(opened)
        if tree is None and not again:
            self._begin_variants()
        else:
            self._set_variants(self._variants if tree is None else tree)
        for what in ("model", "plan", "pins", "verify", "state"):
            self.changed.emit(what)

    # Pins and options

    def set_pins(self, new: Pins) -> None:
        """Change the pins as one step of undo; nothing happens if they are the same."""
        if print_pins(new) != print_pins(self._pins):
            self.undo_stack.push(PinChange(self._pins, new, self._set_pins))

    def pin_division(self, op: str, factors: Mapping[str, int]) -> None:
        """Pin how an op is divided; the first loop is the first to be divided."""
        self.set_pins(with_division(self._pins, op, factors))

    def pin_layout(self, buffer: str, dim: int) -> None:
        """Pin which host dim of a buffer is cut into sticks."""
        self.set_pins(with_layout(self._pins, buffer, dim))

    def pin_placement(self, buffer: str, where: str) -> None:
        """Pin a buffer to `lx` or `hbm`."""
        self.set_pins(with_placement(self._pins, buffer, where))

    def pin_same(self, op: str, other: str) -> None:
        """Pin that an op has the division of another one."""
        self.set_pins(with_same(self._pins, op, other))

    def pin_relayout(self, buffer: str, way: str) -> None:
        """Pin that a buffer reaches cores that do not hold it over the `ring`, or never (`none`)."""
        self.set_pins(with_relayout(self._pins, buffer, way))

    def unpin(self, key: str) -> None:
        """Remove a pin by its key, such as `division:OP`."""
        self.set_pins(without(self._pins, key))

    def forget_pin(self, key: str) -> None:
        """Forget a pin that is switched off."""
        self.resting.forget(key)
        self.changed.emit("pins")

    def load_pins(self, path: str) -> None:
        """Take the pins of a pins file, as one step of undo."""
        try:
            self.set_pins(read_pins_file(Path(path)))
        except StudioError as error:
            self._fail(Failure.of(error))

    def save_pins(self, path: str) -> None:
        """Write the pins to a pins file, as the command line reads it."""
        try:
            write_pins_file(Path(path), self._pins)
        except StudioError as error:
            self._fail(Failure.of(error))
        else:
            self.saved.emit(path)

    def set_options(self, device: str, cores: int | None, pipeline: str) -> None:
        """Change how plans are made, as one step of undo; `cores` None means all of the device."""
        old, new = self._options, replace(self._options, device=device, cores=cores, pipeline=pipeline)
        made = self._device
        try:
            if (device, cores) != (old.device, old.cores):
                same = device == old.device  # else the other device has a reserve of its own
                made = keeping_reserve(new.load(), made) if same else new.load()
        except StudioError as error:
            self._fail(Failure.of(error))
            return
        wanted = Wanted(self._pins, made, new, self._variants)
        if self._model is None or self._opening:
            self._set_wanted(wanted)  # there is nothing yet that could be undone
        elif new != old:
            self._want(option_words(old, new, made.cores), wanted)

    def show_variant(self, name: str) -> None:
        """Put pins, device, options and plan of a variant on screen, as one step of undo; a plan that is known is not
        made again."""
        variant = self._variants.get(name)
        if variant is None or self._opening or self._model is None:
            return
        after = Wanted(variant.pins, variant.device, variant.options, self._variants.choose(name))
        if self._asked_by(variant) != self._asked(self._pins) or after.variants != self._variants:
            self._want(f"Show variant {name}", after)

    def show_setting(self, key: str) -> None:
        """Put a setting of the sweep on screen, as one step of undo; its plan is not made again."""
        self.with_setting(key, self._show_setting)

    def _show_setting(self, one: Setting) -> None:
        asked = Asked.of(self._model.handle if self._model else "", one.device, one.options, one.pins)
        if not self._opening and asked != self._asked(self._pins):
            self._want(f"Show {self.setting_words(one)}", Wanted(one.pins, one.device, one.options, self._variants))

    def _want(self, words: str, after: Wanted) -> None:
        before = Wanted(self._pins, self._device, self._options, self._variants)
        self.undo_stack.push(WantedChange(words, before, after, self._set_wanted))

    def _set_wanted(self, wanted: Wanted) -> None:
        self._pins, self._device, self._options = wanted.pins, wanted.device, wanted.options
        self._set_variants(wanted.variants)
        for what in ("options", "pins"):
            self.changed.emit(what)
        self._follow()

    def _set_pins(self, pins: Pins) -> None:
        self._pins = pins
        self.changed.emit("pins")
        self._follow()

    def _follow(self) -> None:
        """Show the plan for what is asked now if it is known; else make it, or let the plan on screen be stale."""
        if self._opening or self._model is None:
            return
        found = self._plans.find(self._asked(self._pins))
        if self.jobs.cancel(WORK):
            self._leave(WORK)
        if found is not None:
            self._show(found)
            return
        self.changed.emit("state")
        if self.settings.on("resolve_automatically"):
            self.resolve()

    def resolve(self) -> None:
        """Make the plan for the current pins and options, starting from the one on screen.

        A search that was stopped goes on from where it was.
        """
        if self._model is not None and self._captured is not None and not self._opening:
            self._options, shown = self._options.ours, self._shown
            again = shown is not None and not self.stale and was_stopped(shown.compilation.solver)
            self._solve(self._asked(self._pins), self._model, self._captured, self._pins, self._show, again)

    def _solve(
        self,
        asked: Asked,
        model: Shared,
        captured: Captured,
        pins: Pins,
        done: Callable[[Solved], None],
        again: bool = False,
    ) -> None:
        """Make a plan, or find the one that is known unless it shall be made `again`."""
        known = None if again else self._plans.find(asked)
        if known is not None:
            done(known)
            return
        handle = self._new_handle()
        previous = self._shown.shared if self._shown and model is self._model else None
        problem = Problem(captured.program, asked.device, pins)
        request = compile_request(model, problem, self._options, previous, handle)
        self._enter(WORK, "compile")
        self.jobs.submit(
            request,
            WORK,
            lambda made: done(self._plans.add(asked, handle, made)),
            self._work_failed,
            self._progress(WORK),
            self._found,
        )

    def stop(self) -> None:
        """End the search that runs with the best plan that it has found; nothing happens if it has none yet."""
        if self._search is not None and self.jobs.suffice(WORK):
            self._search = replace(self._search, ending=True)
            self.searched.emit()

    def cancel(self) -> None:
        """Stop opening, compiling, verifying, simulating, sweeping and writing; what is on screen stays."""
        self._opening = ""
        self.drop_simulation()
        self.end_sweep()
        self.end_weighing()
        self.end_writing()
        for channel in (WORK, VERIFY):
            self.jobs.cancel(channel)
            self._leave(channel)
        self.changed.emit("state")

    # The plan on screen

    def _show(self, entry: Solved) -> None:
        """Put another plan of the open model on screen."""
        self._phases.pop(WORK, None)
        self._search = None
        self._failure = None
        if entry is not self._shown:
            self._before, self._shown = self._shown, entry
            self.jobs.cancel(VERIFY)
            self.drop_simulation()
            for channel in (CANDIDATES, LAYOUTS, HANDOVER, PASSES):
                self.jobs.cancel(channel)
            self._phases.pop(VERIFY, None)
            self.jobs.keep(self._kept_handles)
            self.changed.emit("plan")
            self.changed.emit("verify")
        self.changed.emit("state")

    def verify(self) -> None:
        """Run the plan on screen on the simulated device and compare with PyTorch."""
        entry = self._shown
        if entry is None:
            return

        def done(report: VerifyReport) -> None:
            entry.report = report
            self._leave(VERIFY)
            self.changed.emit("verify")

        request = verify_request(entry.shared, self.settings.on("poison"))
        self._enter(VERIFY, "verify")
        self.jobs.submit(request, VERIFY, done, lambda failure: self._stopped(VERIFY, failure), self._progress(VERIFY))

    def save_plan(self, path: str) -> None:
        """Save the plan with its model, pins and verdicts; refused while pins are not those of the plan, which would
        be lost."""
        if self.stale:
            self._fail(_STALE)
        else:
            self.export(WHOLE, path)

    def warm_up(self) -> None:
        """Start the worker before it is needed."""
        self.jobs.warm_up()

    def shutdown(self) -> None:
        """End the worker; the session is not used afterwards."""
        self.undo_stack.blockSignals(True)  # it tells of its own end when those who listen may be gone already
        self.jobs.shutdown()
        self.end_simulations()

    # What is under way

    def _work_failed(self, failure: Failure) -> None:
        was_opening, self._opening = self._opening, ""
        self._stopped(WORK, failure)
        if was_opening and self.stale:
            self._follow()
