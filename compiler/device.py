"""Device: one TOML of `resources/devices/`, loaded once, with the source of every number.

Owns the hardware numbers and their file.  Refuses what is no device file; numbers and machine are judged by
`validate_device`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path

from frozendict import frozendict

from compiler.counts import counted
from compiler.dtypes import DType
from compiler.errors import InputError
from compiler.machine import NO_MACHINE, Machine
from compiler.machine_file import read_machine
from compiler.validate_device import validate_device


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, kind (published, source, fitted, choice) and source; `accuracy` of what it predicts, in
    words, where somebody measured it."""

    value: float
    unit: str
    kind: str
    source: str
    accuracy: str = ""


@dataclass(frozen=True, slots=True)
class Device:
    """A target.  `elements_per_stick` maps element types to lanes; every other number is in `numbers`.  A device
    without a `machine` can be compiled for, not timed."""

    name: str
    title: str
    numbers: frozendict[str, Quantity]
    elements_per_stick: frozendict[DType, int]
    machine: Machine = field(default=NO_MACHINE, hash=False)  # many caches are keyed by devices, few machines differ

    def number(self, key: str) -> float:
        """The value of a number of the device file; InputError if the file has none."""
        if key not in self.numbers:
            raise InputError(
                f"device {self.name}", f"it has no number '{key}'", f"add [{key}] with value, unit, kind and source"
            )
        return self.numbers[key].value

    def count(self, key: str) -> int:
        """A number that is a whole count or a size in bytes."""
        return int(self.number(key))

    @property
    def cores(self) -> int:
        """Cores to plan for."""
        return self.count("cores")

    @property
    def stick_bytes(self) -> int:
        """Bytes of one stick; every address is a multiple of it."""
        return self.count("stick_bytes")

    @property
    def span_limit_bytes(self) -> int:
        """Largest span of one tensor a core may walk, inclusive."""
        return self.count("span_limit_bytes")

    @property
    def lx_budget_bytes(self) -> int:
        """LX bytes per core the planner may use: the front end's share, rounded up to a stick (facts 1.3)."""
        managed = self.count("lx_bytes") - self.count("lx_program_bytes")
        share = int(managed * (1 - self.number("lx_backend_fraction")))
        return -(-share // self.stick_bytes) * self.stick_bytes

    def lanes(self, dtype: DType) -> int:
        """Elements of this type in one stick; bool counts as fp16 unless its layout says otherwise."""
        return self.elements_per_stick[dtype]

    def with_cores(self, cores: int) -> Device:
        """The same device limited to 1..all of its cores."""
        if not 1 <= cores <= self.cores:
            why = f"{self.title} has {counted(self.cores, 'core')}"
            raise InputError(f"--cores {cores}", why, f"use 1 to {self.cores}")
        return self.with_number("cores", cores)

    def with_number(self, key: str, value: float) -> Device:
        """The same device with one number changed, marked as a choice."""
        self.number(key)
        changed = replace(self.numbers[key], value=float(value), kind="choice")
        return replace(self, numbers=self.numbers.set(key, changed))


def device_names() -> tuple[str, ...]:
    """Names of the bundled device files."""
    folder = resources.files("resources").joinpath("devices")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def load_device(name_or_path: str) -> Device:
    """Load a bundled device by name or any device file by path."""
    if name_or_path in device_names():
        text = resources.files("resources").joinpath("devices", f"{name_or_path}.toml").read_text("utf-8")
        return parse_device(text, name_or_path)
    path = Path(name_or_path)
    if not path.is_file():
        known = ", ".join(device_names())
        raise InputError(
            f"device {name_or_path}", "there is no such device or file", f"use one of {known}, or a .toml file"
        )
    try:
        return parse_device(path.read_text("utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise InputError(f"device file {path}", "it is not a text file", "choose a device .toml file") from error


def parse_device(text: str, origin: str) -> Device:
    """Read a device from TOML text; `origin` names it in errors."""
    what = f"device file {origin}"
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(what, f"it is not valid TOML ({error})", "correct the line named") from error
    name, title = (_text(what, table, key) for key in ("name", "title"))
    sticks = table.pop("elements_per_stick", None)
    if not isinstance(sticks, dict):
        raise InputError(what, "it lacks the table [elements_per_stick]", "start from a bundled device file")
    machine = read_machine(what, table.pop("machine")) if "machine" in table else NO_MACHINE
    numbers = frozendict((key, _quantity(what, key, value)) for key, value in table.items())
    device = Device(name, title, numbers, _lanes(what, sticks), machine)
    validate_device(device, what)
    return device


def _text(what: str, table: dict[str, object], key: str) -> str:
    value = table.pop(key, None)
    if not isinstance(value, str):
        lack = f"it lacks a {key}" if value is None else f"its {key} is not a text"
        raise InputError(what, lack, f'write {key} = "..." at the top')
    return value


def _quantity(what: str, key: str, entry: object) -> Quantity:
    if not isinstance(entry, Mapping):
        raise InputError(what, f"'{key}' is not a table", "write value, unit, kind and source")
    for part in ("value", "unit", "kind", "source"):
        if part not in entry:
            raise InputError(what, f"'{key}' has no {part}", "write value, unit, kind and source")
    unknown = next((part for part in entry if part not in ("value", "unit", "kind", "source", "accuracy")), None)
    if unknown is not None:
        raise InputError(what, f"'{key}' has an unknown entry '{unknown}'", "write value, unit, kind and source")
    value, unit, kind, source = (entry[part] for part in ("value", "unit", "kind", "source"))
    accuracy = entry.get("accuracy", "")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(what, f"the value of '{key}' is {value!r}", "give a number")
    for part, text in (("unit", unit), ("kind", kind), ("source", source), ("accuracy", accuracy)):
        if not isinstance(text, str):
            raise InputError(what, f"the {part} of '{key}' is {text!r}", "give a text")
    try:
        return Quantity(float(value), str(unit), str(kind), str(source), str(accuracy))
    except OverflowError as error:
        raise InputError(what, f"{key} is larger than any number", "give a finite number") from error


def _lanes(what: str, sticks: dict[str, object]) -> frozendict[DType, int]:
    lanes: dict[DType, int] = {}
    for name, count in sticks.items():
        if name not in set(DType):
            raise InputError(what, f"[elements_per_stick] has an unknown type '{name}'", f"use {', '.join(DType)}")
        if isinstance(count, bool) or not isinstance(count, int):
            raise InputError(what, f"elements_per_stick of {name} is {count!r}", "give a whole number")
        lanes[DType(name)] = count
    return frozendict(lanes)
