"""Problem: everything a pass may read.  Owns the triple of program, device and pins; refuses anything else."""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.device import Device
from compiler.loops import LoopProgram
from compiler.pins import Pins


@dataclass(frozen=True, slots=True)
class Problem:
    """LoopProgram + Device + Pins."""

    program: LoopProgram
    device: Device
    pins: Pins = field(default_factory=Pins)
