"""Options: for which device and with which pipeline a model is compiled.

Owns the four choices and their defaults.  Refuses pins: those belong to the model, options to the person.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiler.compilation import IMPORTED
from compiler.device import Device, load_device


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """`device` is a bundled name or a file, `cores` None means all of them; `seconds` limits each search of the
    pipeline, None leaves that to the pipeline."""

    device: str = "spyre"
    cores: int | None = None
    pipeline: str = "staged"
    seconds: float | None = None

    @property
    def ours(self) -> CompileOptions:
        """The same with a pipeline of ours, where the plan on screen was made by others."""
        return replace(self, pipeline=CompileOptions().pipeline) if self.pipeline == IMPORTED else self

    def load(self) -> Device:
        """The device with the chosen number of cores; InputError if there is no such device."""
        device = load_device(self.device)
        return device if self.cores is None else device.with_cores(self.cores)
