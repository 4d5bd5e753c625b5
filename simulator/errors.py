"""DeviceError: the program asked a core for something the device cannot give.

Owns the one error of the simulated device.  Refuses wrong numbers: those are a verdict of `simulator.report`, not an
error.
"""

from __future__ import annotations

from compiler.errors import StudioError


class DeviceError(StudioError):
    """What was attempted, by which step, and why memory or cores do not allow it."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(what, why, "the program does not do what its plan says: compile the model again")
