"""Lessons bench: runs the models of studies through the whole pipeline and the simulator.

Owns which plans may be looked at: those that keep all pins and pass all checks.  A model is captured once.  Refuses to
read figures off a plan.
"""

from __future__ import annotations

from collections.abc import Callable

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.errors import InputError
from compiler.pins import Pins, PinState
from spyre_studio import tasks
from spyre_studio.lessons_values import Run
from spyre_studio.options import CompileOptions
from spyre_studio.reporter import Reporter


class LessonBench:
    """`capture` reads a model; in the command line it is `tasks.capture`, which runs a process of its own for it."""

    def __init__(self, reporter: Reporter, capture: Callable[[str, Reporter], Captured] = tasks.capture) -> None:
        self._reporter, self._capture = reporter, capture
        self._captured: dict[str, Captured] = {}

    def captured(self, spec: str) -> Captured:
        """The model that a spec names."""
        if spec not in self._captured:
            self._captured[spec] = self._capture(spec, self._reporter)
        return self._captured[spec]

    def run(self, spec: str, cores: int, pipeline: str, pins: Pins | None = None) -> Run:
        """Its plan on so many cores of a Spyre, simulated; InputError if the plan does not keep the pins or fails a
        check."""
        options = CompileOptions(cores=cores, pipeline=pipeline)
        captured = self.captured(spec)
        compilation = tasks.compile_model(captured, options.load(), pins or Pins(), options, None, self._reporter)
        _require_sound(spec, compilation)
        return Run(compilation, tasks.simulate(compilation, self._reporter))


def _require_sound(spec: str, compilation: Compilation) -> None:
    refused = [
        f"pin {key}: {pin.detail}" for key, pin in compilation.plan.pins.items() if pin.state is PinState.REFUSED
    ]
    failed = [violation for verdict in compilation.verdicts if not verdict.ok for violation in verdict.violations]
    wrong = next(iter((*refused, *failed)), "")
    if wrong:
        raise InputError(f"the study of {spec}", f"its plan is not the one it is about ({wrong})", "install anew")
