"""Large models, made without PyTorch: a deep stack of small decoder layers, the same at every run.

Owns `stack`, whose ops carry the module paths a front end would give them, and the file that holds one.  Refuses real
sizes: views and transport are what is looked at, and they feel ops, not elements.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from compiler.loops import LoopProgram, Origin
from tests.programs import softmax_of, transposed
from tests.random_draft import View
from tests.sketch import Sketch
from tests.spyre_studio.plans import write_model

LENGTH, WIDTH = 64, 64
OPS_PER_LAYER = 20


class _Stack(Sketch):
    """A sketch that notes in which module its ops are made, and numbers names instead of looking for free ones."""

    def __init__(self) -> None:
        super().__init__("stack")
        self.paths: list[str] = []
        self._counted: Counter[str] = Counter()

    def inside(self, path: str) -> None:
        """Ops made since the last call belong to this module."""
        self.paths += [path] * (len(self.ops) - len(self.paths))

    def _free(self, label: str) -> str:
        self._counted[label] += 1
        return f"{label}_{self._counted[label]}"

    def program(self) -> LoopProgram:
        """With module and line of every op."""
        made = super().program()
        placed = zip(made.ops, self.paths, strict=True)
        ops = tuple(replace(op, origin=Origin((), path, "model.py:1", f"aten.{op.name}")) for op, path in placed)
        return replace(made, ops=ops)


def stack(layers: int) -> LoopProgram:
    """`layers` times attention and a gated block, OPS_PER_LAYER ops each."""
    sketch = _Stack()
    value = sketch.input("x", LENGTH, WIDTH)
    weights = [sketch.parameter(name, WIDTH, WIDTH) for name in ("q", "k", "v", "o", "gate", "up", "down")]
    for layer in range(layers):
        value = _block(sketch, f"layers.{layer}", value, weights)
    sketch.output(value)
    return sketch.program()


def write_stack(folder: Path, layers: int) -> Path:
    """The captured model as a file."""
    return write_model(folder, stack(layers))


def _block(sketch: _Stack, path: str, value: View, weights: list[View]) -> View:
    q, k, v, out, gate, up, down = weights
    query, key, content = (sketch.matmul(value, weight) for weight in (q, k, v))
    sketch.inside(f"{path}.attn.project")
    scores = sketch.matmul(query, transposed(key))
    sketch.inside(f"{path}.attn")
    shares = softmax_of(sketch, scores)
    sketch.inside(f"{path}.attn.softmax")
    mixed = sketch.matmul(sketch.matmul(shares, content), out)
    sketch.inside(f"{path}.attn")
    middle = sketch.apply("add", mixed, value)
    sketch.inside(path)
    gated, wide = sketch.matmul(middle, gate), sketch.matmul(middle, up)
    lit = sketch.apply("truediv", gated, sketch.apply("exp", sketch.apply("neg", gated)))
    narrow = sketch.matmul(sketch.apply("mul", lit, wide), down)
    sketch.inside(f"{path}.mlp")
    result = sketch.apply("add", narrow, middle)
    sketch.inside(path)
    return result
