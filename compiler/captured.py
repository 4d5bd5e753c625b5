"""Captured: a model as the compiler takes it, the traced graph and its loop nests.

Owns nothing but the pair.  Refuses torch: the model process makes one, everybody else reads it.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.graph import ModelGraph
from compiler.loops import LoopProgram


@dataclass(frozen=True, slots=True)
class Captured:
    """The model as its author knows it, and as loop nests."""

    graph: ModelGraph
    program: LoopProgram
