"""A format of exports: a row of the table that menu, command line and documentation are made from.

Owns what a row says, the material it is made of, and the parts it is written in.  Refuses to open files: who writes
gets parts, one after the other, so that nothing large is ever in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from compiler.compilation import Compilation
from compiler.emit.ktir import Module, Spelling, ktir_module
from compiler.emit.op_specs import Specified, op_specs
from compiler.emit.source_hints import ALL, PINNED
from compiler.errors import InputError


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the text of a file; `path` is where it lies in the folder, with slashes, '' for a format of one file.
    The parts of a file follow each other."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What somebody can choose about a format: the first value is the usual one; what each of them means."""

    key: str
    title: str
    values: tuple[str, ...]
    hint: str


SPELLING: Final = Choice(
    "spelling",
    "Memory spaces",
    tuple(Spelling),
    "new: #ktdp.memory_space<...>, as interpreter and scheduler read it now; old: as in the proposal",
)
BUNDLE: Final = Choice(
    "bundle",
    "Bundle",
    ("native", "generic"),
    "native: as the back end reads it; generic: every op quoted, for MLIR tools that do not know the dialect",
)
HINTED: Final = Choice("ops", "Ops", (PINNED, ALL), "pinned: ops whose division is pinned; all: every op of the plan")


@dataclass(frozen=True)
class Material:
    """A plan on its way into a format, and what was chosen; what several formats need is made once."""

    compilation: Compilation
    chosen: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def specified(self) -> Specified:
        """The op specifications of the plan."""
        return op_specs(self.compilation)

    @cached_property
    def module(self) -> Module:
        """The kernels as a KTIR module, in the chosen spelling."""
        spelling = Spelling(self.choice(SPELLING))
        return ktir_module(self.specified.kernels, self.compilation.plan.cores, spelling)

    def choice(self, choice: Choice) -> str:
        """What was chosen, or the usual."""
        return self.chosen.get(choice.key, choice.values[0])


def nothing_unsaid(_material: Material) -> tuple[str, ...]:
    """For formats that can say all of a plan."""
    return ()


@dataclass(frozen=True, slots=True)
class Format:
    """A row: name on the command line, title for menus, ending of the file ('' for a folder), a sentence about it, what
    makes its parts, and what it has no words for, a sentence each with the op it is about.  `nothing`: why it would say
    nothing at all of a plan, '' if it says something."""

    name: str
    title: str
    suffix: str
    note: str
    parts: Callable[[Material], Iterator[Part]]
    unsaid: Callable[[Material], tuple[str, ...]] = nothing_unsaid
    choices: tuple[Choice, ...] = ()
    nothing: Callable[[Material], str] = lambda _material: ""

    @property
    def folder(self) -> bool:
        """True if it is several files."""
        return not self.suffix


def one_file(lines: Callable[[Material], Iterator[str]]) -> Callable[[Material], Iterator[Part]]:
    """The parts of a format of one file."""
    return lambda material: (Part("", line) for line in lines(material))


def whole(text: Callable[[Compilation], str]) -> Callable[[Material], Iterator[Part]]:
    """The one part of a format that is made in one go."""
    return lambda material: iter((Part("", text(material.compilation)),))


@dataclass(frozen=True)
class Ready:
    """A plan on its way into a format."""

    format: Format
    material: Material

    @cached_property
    def limits(self) -> tuple[str, ...]:
        """What the format has no words for, a sentence each."""
        return self.format.unsaid(self.material)

    @cached_property
    def nothing(self) -> str:
        """Why there is nothing to write; '' if there is something."""
        return self.format.nothing(self.material)

    def parts(self, *, partial: bool = False) -> Iterator[Part]:
        """What is to be written, in order.  InputError before the first part for what the format has no words for, by
        name, unless a `partial` export without it is wanted, and where there is nothing to write."""
        if self.nothing:
            what = f"{self.material.compilation.plan.model} as {self.format.name}"
            raise InputError(what, self.nothing, "pin a division, or choose what else is to be said (--set ops=all)")
        if self.limits and not partial:
            more = f", and {len(self.limits) - 1} more" if len(self.limits) > 1 else ""
            what = f"{self.material.compilation.plan.model} as {self.format.name}"
            remedy = "ask for a partial export (--partial), or use another format"
            raise InputError(what, f"the format has no words for {self.limits[0]}{more}", remedy)
        return self.format.parts(self.material)
