"""A small model of equal blocks, for tests of what is the same in each of them.

Owns the program: per block a projection with a weight of its own, a `silu`, and two projections of one shape.
"""

from compiler.loops import LoopProgram
from tests.sketch import Sketch


def blocks(count: int = 3, size: int = 64) -> LoopProgram:
    """`layers.N.mlp.gate`, `.silu`, `.up`, `.down`; before them a `neg` and behind them another, in no block."""
    sketch = Sketch("blocks")
    value = sketch.apply("neg", sketch.input("x", size, size), name="head.neg")
    for number in range(count):
        path = f"layers.{number}.mlp"
        gate, up, down = (sketch.parameter(f"{path}.{name}.weight", size, size) for name in ("gate", "up", "down"))
        held = sketch.apply("relu", sketch.matmul(value, gate, f"{path}.gate"), name=f"{path}.silu")
        value = sketch.matmul(sketch.matmul(held, up, f"{path}.up"), down, f"{path}.down")
    sketch.output(sketch.apply("neg", value, name="tail.neg"))
    return sketch.program()
