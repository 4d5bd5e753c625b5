"""KTIR text: lines of one function with fresh names for values.

Owns names, indentation and the spelling of types, sets and constants.  Refuses meaning: what the lines compute is up to
those who ask for them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from frozendict import frozendict

from compiler.formats.element_types import FP16, FP32, INT32

ELEMENTS: Final[frozendict[str, str]] = frozendict({FP16: "f16", FP32: "f32", INT32: "i32", "SENUINT32": "i32"})
"""MLIR's name of element formats."""


def tensor_type(shape: Sequence[int], element: str) -> str:
    """`tensor<2x64xf16>`."""
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def memref_type(shape: Sequence[int], element: str) -> str:
    """`memref<2x64xf16>`."""
    return f"memref<{'x'.join([*map(str, shape), element])}>"


def tile_type(shape: Sequence[int]) -> str:
    """`!ktdp.access_tile<2x64xindex>`."""
    return f"!ktdp.access_tile<{'x'.join([*map(str, shape), 'index'])}>"


def box_set(sizes: Sequence[int], starts: Sequence[int] | None = None) -> str:
    """The set of all points of a box; `starts` default to 0."""
    names = [f"d{place}" for place in range(len(sizes))]
    first = starts or [0] * len(sizes)
    bounds = []
    for name, size, start in zip(names, sizes, first, strict=True):
        bounds.append(f"{name} - {start} >= 0" if start else f"{name} >= 0")
        bounds.append(f"-{name} + {start + size - 1} >= 0")
    return f"affine_set<({', '.join(names)}) : ({', '.join(bounds)})>"


def same_order(rank: int) -> str:
    """The map that keeps the order of dims."""
    names = ", ".join(f"d{place}" for place in range(rank))
    return f"affine_map<({names}) -> ({names})>"


def literal(value: float, element: str) -> str:
    """A constant as MLIR writes it: decimal, or the bits of what has no decimal form."""
    if element.startswith("i") or element == "index":
        return str(int(value))
    if math.isinf(value) or math.isnan(value):
        bits = struct.unpack("<H", struct.pack("<e", value))[0] if element == "f16" else _bits32(value)
        return f"0x{bits:0{4 if element == 'f16' else 8}X}"
    return f"{float(value):.9e}"


def _bits32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


@dataclass(slots=True)
class Lines:
    """The body of a function.  `value` adds a line that defines one; constants are made once, at the start."""

    lines: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    known: dict[tuple[str, str], str] = field(default_factory=dict)
    used: int = 0
    depth: int = 2

    def add(self, line: str) -> None:
        """One line at the present depth."""
        self.lines.append("  " * self.depth + line)

    def value(self, text: str) -> str:
        """A line `%n = text`; returns the name."""
        name = self.fresh()
        self.add(f"{name} = {text}")
        return name

    def fresh(self) -> str:
        """A name that nothing has."""
        self.used += 1
        return f"%v{self.used}"

    def constant(self, value: float, element: str = "index") -> str:
        """The name of a constant."""
        key = (literal(value, element), element)
        if key not in self.known:
            name = f"%c{len(self.known)}"
            self.known[key] = name
            self.head.append(f"    {name} = arith.constant {key[0]} : {element}")
        return self.known[key]

    def mark(self) -> tuple[int, int, int, int]:
        """Where it is now, to come back to."""
        return len(self.lines), len(self.head), self.used, self.depth

    def back_to(self, mark: tuple[int, int, int, int]) -> None:
        """As it was at a mark: no line, name or constant of what came after is left."""
        lines, head, self.used, self.depth = mark
        del self.lines[lines:]
        del self.head[head:]
        while len(self.known) > head:  # one constant to a line
            self.known.popitem()

    def open(self, line: str) -> None:
        """A line that begins a region."""
        self.add(line)
        self.depth += 1

    def close(self) -> None:
        """The end of a region."""
        self.depth -= 1
        self.add("}")
