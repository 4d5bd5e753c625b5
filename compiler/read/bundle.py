"""Bundle: the order, the addresses and the loops of the SuperDSC files of a kernel, out of `bundle.mlir`.

Owns the statements that writers of every version use (facts 4): pool, arguments, sums, loops with constant bounds,
executions with or without symbol ids.  Refuses anything else, in one sentence with the line: values that are defined
twice or never, files without a plain name, loops without an end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from frozendict import frozendict

from compiler.errors import InputError
from compiler.read.generic_bundle import is_generic, native_lines
from compiler.read.plain import LARGEST_NUMBER, REMEDY

MOST_RUNS: Final = 20_000
"""Executions in a bundle, those of loops counted once."""
MOST_TURNS: Final = 1_000_000
_DEEPEST_LOOP: Final = 16
_NUMBER: Final = r"-?[0-9]{1,18}"
_WORD: Final = re.compile(r"(?:(%\w+)\s*=\s*)?([\w.]+)\s*")
_EXECUTE: Final = re.compile(r"\(([^)]*)\)\s*\{([^}]*)\}")
_FILE: Final = re.compile(r'"?sdsc_filename"?\s*=\s*"([^"]*)"')
_IDS: Final = re.compile(r'"?symbol_ids"?\s*=\s*\[([^\]]*)\]')
_POOL: Final = re.compile(rf"({_NUMBER})\s+bytes\s*:\s*index")
_EXTRACT: Final = re.compile(r"value\s+from\s+(%\w+)\s*:.*")
_CONSTANT: Final = re.compile(rf"({_NUMBER})\s*:\s*index")
_SUM: Final = re.compile(r"(%\w+)\s*,\s*(%\w+)\s*:\s*index")
_APPLY: Final = re.compile(r"(#\w+)\s*\(([^)]*)\)\s*\[\s*(%\w+)\s*\]")
_FOR: Final = re.compile(r"(%\w+)\s*=\s*(%\w+)\s+to\s+(%\w+)\s+step\s+(%\w+)\s*\{")
_MAP: Final = re.compile(r"(#\w+)\s*=\s*affine_map<\(([\w\s,]*)\)\s*\[\s*(\w+)\s*\]\s*->\s*\(([^()<>]*)\)>")
_TERM: Final = re.compile(rf"(?:({_NUMBER})\s*\*\s*)?([a-z]\w*)(?:\s*\*\s*({_NUMBER}))?")
_MODULE: Final = re.compile(r"module\b[^{}]*\{")
_FUNC: Final = re.compile(r"@sdsc_bundle\s*\((.*)\)\s*\{")
_PARAM: Final = re.compile(r"%(\w+)\s*:\s*([^,<]+(?:<[^<>]*>)?)")
_ARGUMENT: Final = re.compile(r"arg_([0-9]{1,6})_base_addr")
_LARGEST_SIZE: Final = re.compile(r"max_value\s*=\s*([0-9]{1,18})")

POOL, ABSOLUTE, SIZE = -1, -2, -3


@dataclass(frozen=True, slots=True)
class BundleAddress:
    """A kernel argument (`argument` from 0), the pool (-1), neither (-2: absolute) or no address but a size that is
    known at launch (-3, `beyond` is the largest); so many bytes beyond its beginning.

    `steps`: so many bytes more in every turn of each loop around it, the outermost first.
    """

    argument: int
    beyond: int
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Execution:
    """One file of the kernel and the address behind each symbol id; None if the bundle gives no ids."""

    file: str
    addresses: frozendict[int, BundleAddress] | None
    line: int


@dataclass(frozen=True, slots=True)
class BundleLoop:
    """Executions that are repeated `count` times."""

    count: int
    body: tuple[Execution | BundleLoop, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Executions and loops in order, numbers of the arguments, bytes of the pool (`pool_said`: it names them), and how
    it differs from what torch-spyre writes today, one sentence each."""

    body: tuple[Execution | BundleLoop, ...]
    arguments: tuple[int, ...]
    pool_bytes: int
    findings: tuple[str, ...] = ()
    pool_said: bool = False

    @property
    def executions(self) -> tuple[Execution, ...]:
        """All executions in their order, those of a loop once."""
        return tuple(_flat(self.body))


def _flat(body: tuple[Execution | BundleLoop, ...]) -> Iterator[Execution]:
    for one in body:
        if isinstance(one, BundleLoop):
            yield from _flat(one.body)
        else:
            yield one


def read_bundle(text: str, origin: str) -> Bundle:
    """The bundle of a text; InputError with one sentence and the line otherwise."""
    return _Reader(origin).read(text)


@dataclass(frozen=True, slots=True)
class _Turn:
    """The variable of a loop: its place among the loops around it, where it begins and by how much it grows."""

    depth: int
    first: int
    step: int


@dataclass(slots=True)
class _Block:
    """What is open: the module (kind "module"), the function ("func") or a loop ("for")."""

    kind: str
    count: int = 1
    names: list[str] = field(default_factory=list)
    body: list[Execution | BundleLoop] = field(default_factory=list)


class _Reader:
    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.values: dict[str, BundleAddress | _Turn] = {}
        self.maps: dict[str, tuple[tuple[int, ...], int]] = {}
        self.arguments: list[int] = []
        self.blocks: list[_Block] = []
        self.body: tuple[Execution | BundleLoop, ...] = ()
        self.findings: dict[str, None] = {}
        self.pool_bytes = self.runs = self.line = 0
        self.pool_said = False
        self.began = False
        self.acts: dict[str, Callable[[str, str], None]] = {
            "func.func": self._function,
            "sdscbundle.device_mem_allocate": self._pool,
            "sdscbundle.input_arg_extract": self._extract,
            "sdscbundle.sdsc_execute": self._execute,
            "arith.constant": self._constant,
            "arith.addi": self._sum,
            "affine.apply": self._apply,
            "scf.for": self._for,
        }

    def read(self, text: str) -> Bundle:
        for number, line in enumerate(native_lines(text) if is_generic(text) else text.splitlines(), 1):
            self.line = number
            self._statement(line.partition("//")[0].strip())
        if not self.began:
            raise self.fault("it has no function sdsc_bundle")
        if self.blocks:
            raise self.fault("it ends before its function does: the file is cut off")
        if not self.runs:
            raise self.fault("it executes no file")
        return Bundle(self.body, tuple(self.arguments), self.pool_bytes, tuple(self.findings), self.pool_said)

    def fault(self, why: str) -> InputError:
        return InputError(f"{self.origin}, line {self.line}", why, REMEDY)

    def _statement(self, text: str) -> None:
        if not text or text == "return":
            return
        if _MODULE.fullmatch(text):
            self._open(_Block("module"))
        elif text == "}":
            self._close()
        elif text.startswith("#"):
            self._map(text)
        else:
            found = _WORD.match(text)
            act = self.acts.get(found[2]) if found else None
            if found is None or act is None:
                raise self._strange(text)
            act(found[1] or "", text[found.end() :])

    def _strange(self, text: str) -> InputError:
        shown = text if len(text) < 60 else f"{text[:57]}..."
        return self.fault(f"{shown!r} is no statement of a bundle")

    def _parts(self, form: re.Pattern[str], text: str) -> re.Match[str]:
        found = form.fullmatch(text)
        if found is None:
            raise self._strange(text)
        return found

    # Blocks

    def _open(self, block: _Block) -> None:
        if len(self.blocks) > _DEEPEST_LOOP:
            raise self.fault(f"it has more than {_DEEPEST_LOOP} blocks inside each other")
        self.blocks.append(block)

    def _close(self) -> None:
        if not self.blocks:
            raise self.fault("it closes a block that it never opened")
        block = self.blocks.pop()
        for name in block.names:
            del self.values[name]
        if block.kind == "for":
            self.blocks[-1].body.append(BundleLoop(block.count, tuple(block.body)))
        elif block.kind == "func":
            self.body = tuple(block.body)

    def _loops(self) -> int:
        return sum(block.kind == "for" for block in self.blocks)

    def _function(self, _: str, text: str) -> None:
        if self.began:
            raise self.fault("it has a second function")
        self.began = True
        for name, kind in _PARAM.findall(self._parts(_FUNC, text)[1]):
            self._define(f"%{name}", self._parameter(name, kind))
        self._open(_Block("func"))

    def _parameter(self, name: str, kind: str) -> BundleAddress:
        argument, largest = _ARGUMENT.fullmatch(name), _LARGEST_SIZE.search(kind)
        if argument:
            self.arguments.append(int(argument[1]))
            return BundleAddress(int(argument[1]), 0)
        if name.startswith("pool"):
            self.findings["its pool is handed over by the caller, as in files of June 2026"] = None
            return BundleAddress(POOL, 0)
        self.findings["it has sizes that are known only at launch; the largest ones are shown"] = None
        return BundleAddress(SIZE, int(largest[1]) if largest else 0)

    # Values

    def _define(self, name: str, value: BundleAddress | _Turn) -> None:
        if not name:
            raise self.fault("a value has no name")
        if name in self.values:
            raise self.fault(f"{name} is defined twice")
        if isinstance(value, BundleAddress) and abs(value.beyond) >= LARGEST_NUMBER:
            raise self.fault(f"{name} is larger than any address")
        self.values[name] = value
        if self.blocks:
            self.blocks[-1].names.append(name)

    def _value(self, name: str) -> BundleAddress:
        if name not in self.values:
            raise self.fault(f"{name} is not defined before it is used")
        value = self.values[name]
        if isinstance(value, _Turn):
            raise self.fault(f"{name} is a loop's variable, not an address")
        return value

    def _pool(self, name: str, text: str) -> None:
        self.pool_bytes, self.pool_said = int(self._parts(_POOL, text)[1]), True
        if self.pool_bytes < 0:
            raise self.fault(f"its pool has {self.pool_bytes} bytes")
        self._define(name, BundleAddress(POOL, 0))

    def _extract(self, name: str, text: str) -> None:
        self._define(name, self._value(self._parts(_EXTRACT, text)[1]))

    def _constant(self, name: str, text: str) -> None:
        self._define(name, BundleAddress(ABSOLUTE, int(self._parts(_CONSTANT, text)[1])))

    def _sum(self, name: str, text: str) -> None:
        found = self._parts(_SUM, text)
        left, right = self._value(found[1]), self._value(found[2])
        base, step = (left, right) if right.argument == ABSOLUTE else (right, left)
        if step.argument != ABSOLUTE:
            raise self.fault("it adds two addresses")
        self._define(name, replace(base, beyond=base.beyond + step.beyond))

    def _map(self, text: str) -> None:
        found = self._parts(_MAP, text)
        names = [name.strip() for name in found[2].split(",") if name.strip()]
        factors, constant = dict.fromkeys([*names, found[3]], 0), 0
        for part in found[4].split("+"):
            term = _TERM.fullmatch(part.strip())
            if term and term[2] in factors:
                factors[term[2]] += int(term[1] or 1) * int(term[3] or 1)
            elif re.fullmatch(_NUMBER, part.strip()):
                constant += int(part)
            else:
                raise self._strange(text)
        if factors.pop(found[3]) != 1:
            raise self._strange(text)
        self.maps[found[1]] = tuple(factors.values()), constant

    def _apply(self, name: str, text: str) -> None:
        found = self._parts(_APPLY, text)
        names = [each.strip() for each in found[2].split(",") if each.strip()]
        if found[1] not in self.maps:
            raise self.fault(f"the map {found[1]} is not defined")
        factors, constant = self.maps[found[1]]
        if len(factors) != len(names):
            raise self.fault(f"the map {found[1]} takes {len(factors)} values, {len(names)} are given")
        base = self._value(found[3])
        beyond, steps = base.beyond + constant, [*base.steps, *[0] * (self._loops() - len(base.steps))]
        for factor, each in zip(factors, names, strict=True):
            turn = self.values.get(each)
            if isinstance(turn, _Turn):
                beyond, steps[turn.depth] = beyond + factor * turn.first, steps[turn.depth] + factor * turn.step
            else:
                beyond += factor * self._value(each).beyond
        self._define(name, BundleAddress(base.argument, beyond, tuple(steps)))

    def _for(self, _: str, text: str) -> None:
        found = self._parts(_FOR, text)
        limits = [self._value(found[place]) for place in (2, 3, 4)]
        first, end, step = (limit.beyond for limit in limits)
        if any(limit.argument != ABSOLUTE for limit in limits):
            raise self.fault("the bounds of a loop are no constants")
        count = -(-(end - first) // step) if step > 0 else 0
        if not 0 < count <= MOST_TURNS:
            raise self.fault(f"a loop from {first} to {end} in steps of {step} has no end, no turn or too many")
        self._open(_Block("for", count))
        self._define(found[1], _Turn(self._loops() - 1, first, step))

    def _execute(self, _: str, text: str) -> None:
        found = self._parts(_EXECUTE, text)
        file, ids = _FILE.search(found[2]), _IDS.search(found[2])
        if file is None:
            raise self.fault("it executes a file without a name")
        if not re.fullmatch(r"\w[\w.\-]{0,200}", file[1]):
            raise self.fault(f"{file[1][:60]!r} is no plain name of a file in the same folder")
        if not self.blocks or self.blocks[-1].kind == "module":
            raise self.fault("it executes a file outside of its function")
        names = [name.strip() for name in found[1].split(",") if name.strip()]
        numbers = [self._id(word.strip()) for word in ids[1].split(",") if word.strip()] if ids else []
        if ids and len(numbers) != len(names):
            raise self.fault(f"it gives {len(names)} addresses and {len(numbers)} ids")
        if len(set(numbers)) != len(numbers):
            raise self.fault("it gives the same id to two addresses")
        self.runs += 1
        if self.runs > MOST_RUNS:
            raise self.fault(f"it executes more than {MOST_RUNS:,} files")
        pairs = frozendict(zip(numbers, map(self._value, names), strict=True)) if ids else None
        if ids is None:
            self.findings["it gives no symbol ids, as older files do"] = None
        elif any(address.argument == ABSOLUTE for address in (pairs or {}).values()):
            self.findings["its addresses are absolute, as in older files"] = None
        self.blocks[-1].body.append(Execution(file[1], pairs, self.line))

    def _id(self, word: str) -> int:
        if not re.fullmatch(_NUMBER, word):
            raise self.fault(f"{word[:40]!r} is no symbol id")
        return int(word)
