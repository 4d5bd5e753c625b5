"""Bundle: the order, the addresses and the loops of the SuperDSC files of a kernel, out of `bundle.mlir`.

Owns the statements that writers of every version use (facts 4): pool, arguments, sums, loops with constant bounds,
executions with or without symbol ids.  Refuses anything else, in one sentence with the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from frozendict import frozendict

from compiler.errors import InputError
from compiler.read.plain import REMEDY

_EXECUTE: Final = re.compile(r"sdscbundle\.sdsc_execute\s*\(([^)]*)\)\s*\{([^}]*)\}")
_FILE: Final = re.compile(r'"?sdsc_filename"?\s*=\s*"([^"]+)"')
_IDS: Final = re.compile(r'"?symbol_ids"?\s*=\s*\[([^\]]*)\]')
_POOL: Final = re.compile(r"(%\w+)\s*=\s*sdscbundle\.device_mem_allocate\s+(\d+)\s+bytes\s*:\s*index")
_EXTRACT: Final = re.compile(r"(%\w+)\s*=\s*sdscbundle\.input_arg_extract\s+value\s+from\s+(%\w+)\s*:.*")
_CONSTANT: Final = re.compile(r"(%\w+)\s*=\s*arith\.constant\s+(-?\d+)\s*:\s*index")
_SUM: Final = re.compile(r"(%\w+)\s*=\s*arith\.addi\s+(%\w+),\s*(%\w+)\s*:\s*index")
_APPLY: Final = re.compile(r"(%\w+)\s*=\s*affine\.apply\s+(#\w+)\(([^)]*)\)\[(%\w+)\]")
_FOR: Final = re.compile(r"scf\.for\s+(%\w+)\s*=\s*(%\w+)\s+to\s+(%\w+)\s+step\s+(%\w+)\s*\{")
_MAP: Final = re.compile(r"(#\w+)\s*=\s*affine_map<.*>")
_FUNC: Final = re.compile(r"func\.func\s+@sdsc_bundle\s*\((.*)\)\s*\{")
_PARAM: Final = re.compile(r"%(arg_(\d+)_base_addr|sym_\w+|pool_base_addr|\w+)\s*:")


@dataclass(frozen=True, slots=True)
class BundleAddress:
    """A kernel argument (`argument`), the pool (-1), or neither (-2: absolute); so many bytes beyond its beginning.

    `looped`: more is added in every turn of a loop.
    """

    argument: int
    beyond: int
    looped: bool = False


POOL, ABSOLUTE = -1, -2


@dataclass(frozen=True, slots=True)
class Execution:
    """One file of the kernel: how often it runs, and the address behind each symbol id."""

    file: str
    turns: int
    addresses: frozendict[int, BundleAddress]
    line: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files in the order in which they run, numbers of the arguments, bytes of the pool."""

    executions: tuple[Execution, ...]
    arguments: tuple[int, ...]
    pool_bytes: int


def read_bundle(text: str, origin: str) -> Bundle:
    """The bundle of a text; InputError with one sentence and the line otherwise."""
    return _Reader(origin).read(text)


class _Reader:
    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.values: dict[str, BundleAddress] = {}
        self.arguments: list[int] = []
        self.executions: list[Execution] = []
        self.pool_bytes = 0
        self.turns = [1]
        self.line = 0
        self.began = False

    def read(self, text: str) -> Bundle:
        for number, line in enumerate(text.splitlines(), 1):
            self.line = number
            self._statement(line.strip())
        if not self.began:
            raise self.fault("it has no function sdsc_bundle")
        if not self.executions:
            raise self.fault("it executes no file")
        return Bundle(tuple(self.executions), tuple(self.arguments), self.pool_bytes)

    def fault(self, why: str) -> InputError:
        return InputError(f"{self.origin}, line {self.line}", why, REMEDY)

    def _statement(self, text: str) -> None:
        if not text or text in ("module {", "return", "}") or _MAP.fullmatch(text):
            if text == "}" and len(self.turns) > 1:
                self.turns.pop()
            return
        for form, act in self._forms():
            found = form.fullmatch(text)
            if found:
                act(found)
                return
        shown = text if len(text) < 60 else f"{text[:57]}..."
        raise self.fault(f"{shown!r} is no statement of a bundle")

    def _forms(self) -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], None]], ...]:
        return (
            (_FUNC, self._function),
            (_POOL, self._pool),
            (_EXTRACT, self._extract),
            (_CONSTANT, self._constant),
            (_SUM, self._sum),
            (_APPLY, self._apply),
            (_FOR, self._for),
            (_EXECUTE, self._execute),
        )

    def _function(self, found: re.Match[str]) -> None:
        self.began = True
        for name, number in _PARAM.findall(found.group(1)):
            if number:
                self.arguments.append(int(number))
                self.values[f"%{name}"] = BundleAddress(int(number), 0)
            else:
                self.values[f"%{name}"] = BundleAddress(POOL if name.startswith("pool") else ABSOLUTE, 0)

    def _pool(self, found: re.Match[str]) -> None:
        self.values[found.group(1)] = BundleAddress(POOL, 0)
        self.pool_bytes = int(found.group(2))

    def _extract(self, found: re.Match[str]) -> None:
        self.values[found.group(1)] = self._value(found.group(2))

    def _constant(self, found: re.Match[str]) -> None:
        self.values[found.group(1)] = BundleAddress(ABSOLUTE, int(found.group(2)))

    def _sum(self, found: re.Match[str]) -> None:
        left, right = self._value(found.group(2)), self._value(found.group(3))
        base, step = (left, right) if right.argument == ABSOLUTE else (right, left)
        if step.argument != ABSOLUTE:
            raise self.fault("it adds two addresses")
        self.values[found.group(1)] = replace(base, beyond=base.beyond + step.beyond)

    def _apply(self, found: re.Match[str]) -> None:
        self.values[found.group(1)] = replace(self._value(found.group(4)), looped=True)

    def _for(self, found: re.Match[str]) -> None:
        first, end, step = (self._value(found.group(place)).beyond for place in (2, 3, 4))
        if step < 1:
            raise self.fault("a loop has no step")
        self.values[found.group(1)] = BundleAddress(ABSOLUTE, 0, looped=True)
        self.turns.append(self.turns[-1] * max(0, -(-(end - first) // step)))

    def _execute(self, found: re.Match[str]) -> None:
        file, ids = _FILE.search(found.group(2)), _IDS.search(found.group(2))
        if file is None:
            raise self.fault("it executes a file without a name")
        names = [name.strip() for name in found.group(1).split(",") if name.strip()]
        numbers = [int(word) for word in ids.group(1).split(",") if word.strip()] if ids else []
        if ids and len(numbers) != len(names):
            raise self.fault(f"it gives {len(names)} addresses and {len(numbers)} ids")
        pairs = zip(numbers, map(self._value, names), strict=False)
        self.executions.append(Execution(file.group(1), self.turns[-1], frozendict(pairs), self.line))

    def _value(self, name: str) -> BundleAddress:
        if name not in self.values:
            raise self.fault(f"{name} is not defined")
        return self.values[name]
