"""Variants: what a person gave a name, so that it can be found, shown and compared again, as a tree.

Owns the value of a variant and of all of them, and what may become of the tree.  Refuses plans: what was made from a
variant is found by what the variant asks for.  Refuses Qt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from compiler.device import Device
from compiler.errors import InputError
from compiler.pins import Pins
from compiler.text.pins_text import print_pins
from spyre_studio.options import CompileOptions

LONGEST: Final = 80
"""So long a name may be, in characters."""
FIRST: Final = "first plan"
"""What the root is called that every model begins with."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A name for pins, device and options; `parent` is the name of the variant it was made from, '' for a root."""

    name: str
    pins: Pins
    device: Device
    options: CompileOptions
    parent: str = ""
    note: str = ""

    def asks_as(self, other: Variant) -> bool:
        """True if both are plans for the same; the order of pins counts, the names do not."""
        mine, theirs = ((one.device, one.options.pipeline, one.options.seconds) for one in (self, other))
        return mine == theirs and print_pins(self.pins) == print_pins(other.pins)


@dataclass(frozen=True, slots=True)
class Variants:
    """All variants in the order they were made, parents before children; `chosen` is the name of the one that was kept
    or shown last, '' if it is gone."""

    entries: tuple[Variant, ...] = ()
    chosen: str = ""

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, name: str) -> Variant | None:
        """The variant of a name, or None."""
        return next((one for one in self.entries if one.name == name), None)

    def children(self, name: str) -> tuple[Variant, ...]:
        """What was made from a variant; of '', the roots."""
        return tuple(one for one in self.entries if one.parent == name)

    def walk(self) -> Iterator[tuple[int, Variant]]:
        """Depth and variant, top down, children below their parent."""
        waiting = [(0, one) for one in reversed(self.children(""))]
        while waiting:
            depth, one = waiting.pop()
            yield depth, one
            waiting.extend((depth + 1, child) for child in reversed(self.children(one.name)))

    def add(self, variant: Variant) -> Variants:
        """With one more, which becomes the chosen one; InputError for a name that cannot be used."""
        self._check(variant.name)
        parent = variant.parent if self.get(variant.parent) else ""
        return Variants((*self.entries, replace(variant, parent=parent)), variant.name)

    def rename(self, name: str, new: str) -> Variants:
        """With another name for one; InputError for a name that cannot be used."""
        if name == new or self.get(name) is None:
            return self
        self._check(new)

        def renamed(one: Variant) -> Variant:
            called = new if one.name == name else one.name
            return replace(one, name=called, parent=new if one.parent == name else one.parent)

        chosen = new if self.chosen == name else self.chosen
        return Variants(tuple(map(renamed, self.entries)), chosen)

    def annotate(self, name: str, note: str) -> Variants:
        """With another note on one."""
        return replace(self, entries=tuple(replace(one, note=note) if one.name == name else one for one in self))

    def remove(self, name: str) -> Variants:
        """Without one; its children go to its parent, which also becomes the chosen one in its place."""
        gone = self.get(name)
        if gone is None:
            return self
        kept = (one for one in self.entries if one is not gone)
        entries = tuple(replace(one, parent=gone.parent) if one.parent == name else one for one in kept)
        return Variants(entries, gone.parent if self.chosen == name else self.chosen)

    def choose(self, name: str) -> Variants:
        """With another one chosen; the same if there is none of that name."""
        return replace(self, chosen=name) if self.get(name) else self

    def free_name(self, wanted: str) -> str:
        """The wanted name, or one like it that no variant has.

        >>> Variants().free_name("m 8")
        'm 8'
        """
        short = " ".join(wanted.split())[:LONGEST].strip() or "variant"
        if self.get(short) is None:
            return short
        numbered = (f"{short[: LONGEST - 6].strip()} ({number})" for number in range(2, len(self) + 3))
        return next(name for name in numbered if self.get(name) is None)

    def __iter__(self) -> Iterator[Variant]:
        return iter(self.entries)

    def _check(self, name: str) -> None:
        what = f"the variant '{name}'" if name.strip() else "the variant"
        if self.get(name) is not None:
            raise InputError(what, "there is one of that name already", "choose another name")
        fault = name_fault(name)
        if fault:
            raise InputError(what, fault, "choose another name")


def name_fault(name: str) -> str:
    """Why a variant cannot have this name, '' if it can."""
    if not name.strip():
        return "its name is empty"
    if name != name.strip() or not name.isprintable():
        return "its name has spaces at its ends, or characters that cannot be shown"
    return f"its name is longer than {LONGEST} characters" if len(name) > LONGEST else ""


def tree_fault(variants: Variants) -> str:
    """What is wrong with variants that were read from somewhere, '' if nothing is."""
    known: set[str] = set()
    for one in variants:
        fault = name_fault(one.name)
        if fault:
            return f"of a variant {fault}"
        if one.name in known:
            return f"it has two variants '{one.name}'"
        if one.parent and one.parent not in known:
            return f"the variant '{one.name}' comes from '{one.parent}', which is not before it"
        known.add(one.name)
    if variants.chosen and variants.chosen not in known:
        return f"it shows the variant '{variants.chosen}', which it does not have"
    return ""
