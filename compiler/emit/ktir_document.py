"""KTIR as a file: the module, and after it, in comments, the op specifications that it was made of.

Owns the mark and the spelling of the comments.  KTIR has no words for names, host shapes, element types of the model
and device dims of one element; with the specifications a file can become a plan again.  Refuses to say other ops in the
comments than in the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from compiler.emit.ktir import Module
from compiler.emit.opspec_json import opspec_lines
from compiler.plan import Plan

MARK: Final = "// spyre-opspec: what these functions were made of, so that the plan can be read back"
COMMENT: Final = "// "


def ktir_parts(module: Module, plan: Plan) -> Iterator[str]:
    """The text of the file in parts, none of them large beside the module."""
    yield module.text
    yield f"{MARK}\n"
    for line in _lines(opspec_lines(module.kernels, plan.model, plan.cores)):
        yield f"{COMMENT}{line}\n"


def _lines(parts: Iterable[str]) -> Iterator[str]:
    """Whole lines, out of parts that begin and end anywhere."""
    begun = ""
    for part in parts:
        *whole, begun = (begun + part).split("\n")
        yield from whole
    if begun:
        yield begun
