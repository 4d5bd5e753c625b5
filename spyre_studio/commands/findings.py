"""Findings: what of a compilation is not as it was asked for, told on stderr.

Owns the words for adjusted and refused pins and failed checks.  Refuses to judge numbers: `verify` does.
"""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.pins import PinState
from spyre_studio.commands.terminal import warn


def findings(compilation: Compilation) -> bool:
    """Tell of what is not as it was asked for; True if that is a finding."""
    for key, pin in compilation.plan.pins.items():
        if pin.state is not PinState.HONOURED:
            warn(f"pin {key} {pin.state}: {pin.detail}")
    for verdict in compilation.verdicts:
        for violation in verdict.violations:
            warn(f"check {verdict.check}: {violation}")
    return not compilation.ok or any(pin.state is PinState.REFUSED for pin in compilation.plan.pins.values())
