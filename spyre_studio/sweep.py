"""Sweep: one knob turned through its values, and what the plan costs at each.

Owns the values: what a sweep starts from, one setting of the knob, the figures of a plan, and what became of a setting.
Refuses Qt, and to compile: the worker and the command line do, with the same task.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import Device
from compiler.errors import InputError
from compiler.pins import Pins, PinState
from compiler.plan import EditKind, Slot
from spyre_studio.options import CompileOptions

RESERVE: Final = "lx_backend_fraction"
"""The device number that says which share of LX plans must leave alone."""
_SAME_US: Final = 5e-4  # what rounds to the same


@dataclass(frozen=True, slots=True)
class Base:
    """What every setting is a change of; `full` is the device with all of its cores."""

    device: Device
    options: CompileOptions
    pins: Pins
    full: Device

    @classmethod
    def of(cls, device: Device, options: CompileOptions, pins: Pins) -> Base:
        """The base for what is wanted now; a device that can no longer be loaded is taken as it is."""
        try:
            full = replace(options, cores=None).load()
        except InputError:
            full = device
        return cls(device, options, pins, keeping_reserve(full, device))


def keeping_reserve(device: Device, like: Device) -> Device:
    """The device with the share of LX of another one; itself if that is the same."""
    share = like.number(RESERVE)
    return device if device.number(RESERVE) == share else device.with_number(RESERVE, share)


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of the knob and all that a plan for it is made from.

    `now`: it is what is wanted already.  `near`: a plan for it may be changed out of the plan on screen.
    """

    key: str
    title: str
    device: Device
    options: CompileOptions
    pins: Pins
    now: bool = False
    near: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a plan costs: microseconds, bytes from and to device memory, bytes of LX a core at most, and moves.

    `compute_us` and `memory_us` run at once, `beside_us` hides behind nothing.  `bound_us` and `gap` are -1 where no
    bound is known.  `refused` counts pins, `remark` is a sentence on those that were not kept, '' if all were.
    """

    total_us: float
    compute_us: float
    memory_us: float
    beside_us: float
    bound_us: float
    gap: float
    hbm_bytes: int
    lx_peak_bytes: int
    lx_budget_bytes: int
    resident: int
    moves: int
    ok: bool
    refused: int = 0
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no plan for a setting."""

    what: str
    why: str
    remedy: str

    @property
    def sentence(self) -> str:
        """All of it."""
        return f"{self.what}: {self.why}; {self.remedy}."


Outcome = Figures | Fault


@dataclass(frozen=True, slots=True)
class Sweep:
    """A knob, its settings in order, and what became of those that were tried, by key.

    `running` is the key of the one that is being tried, '' if none is; `share` how far that is, None if unknown.
    """

    knob: str
    title: str
    settings: tuple[Setting, ...]
    outcomes: frozendict[str, Outcome] = field(default_factory=frozendict)
    running: str = ""
    share: float | None = None
    phase: str = ""

    def setting(self, key: str) -> Setting | None:
        """The setting of a key, or None."""
        return next((one for one in self.settings if one.key == key), None)

    def figures(self, key: str) -> Figures | None:
        """What the plan of a setting costs, if there is one."""
        found = self.outcomes.get(key)
        return found if isinstance(found, Figures) else None

    @property
    def waiting(self) -> tuple[Setting, ...]:
        """The settings that were not tried yet, in order."""
        return tuple(one for one in self.settings if one.key not in self.outcomes)

    @property
    def now(self) -> str:
        """The key of what is wanted already, '' if it is not among the settings."""
        return next((one.key for one in self.settings if one.now), "")

    @property
    def best(self) -> str:
        """The key of the quickest plan, the present one among equals; '' while there is none."""
        known = [one for one in self.settings if self.figures(one.key) is not None]
        if not known:
            return ""
        least = min(self._us(one.key) for one in known)
        return min((one for one in known if self._us(one.key) <= least + _SAME_US), key=lambda one: not one.now).key

    @property
    def done(self) -> float:
        """How much of it is done, 0..1."""
        whole = len(self.settings) or 1
        return min((len(self.outcomes) + (self.share or 0.0)) / whole, 1.0)

    def _us(self, key: str) -> float:
        found = self.figures(key)
        return found.total_us if found is not None else float("inf")


def figures_of(compilation: Compilation) -> Figures:
    """The figures of a plan."""
    cost, plan, solver = compilation.cost, compilation.plan, compilation.solver
    return Figures(
        total_us=cost.total_us,
        compute_us=cost.compute_us,
        memory_us=cost.hbm_us,
        beside_us=cost.serial_us,
        bound_us=solver.bound_us,
        gap=solver.gap,
        hbm_bytes=cost.hbm_bytes,
        lx_peak_bytes=compilation.program.lx_bytes,
        lx_budget_bytes=compilation.problem.device.lx_budget_bytes,
        resident=sum(isinstance(place, Slot) for place in plan.placement.values()),
        moves=sum(edit.kind is EditKind.RELAYOUT for edit in plan.edits),
        ok=compilation.ok,
        refused=sum(one.state is PinState.REFUSED for one in plan.pins.values()),
        remark=_remark(compilation),
    )


def _remark(compilation: Compilation) -> str:
    unkept = {key: one for key, one in compilation.plan.pins.items() if one.state is not PinState.HONOURED}
    if not unkept:
        return ""
    key, first = next(iter(unkept.items()))
    more = f", and {len(unkept) - 1} more" if len(unkept) > 1 else ""
    return f"pin {key.partition(':')[2]} {first.state}: {first.detail}{more}"
