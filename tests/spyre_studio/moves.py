"""A plan with every kind of move within the chip, for tests of what the window says about them.

Owns one program: relu(x @ w), both operands cloned into LX, the product over the ring to other cores and, as a result
of its own, out to device memory at the end.
"""

from dataclasses import replace

from compiler.compilation import Compilation
from compiler.cost.model import price
from compiler.division import Division, Split
from compiler.materialize import materialize
from tests.moved_plans import clone_in, clone_out, ring, with_moves
from tests.sketch import Sketch

EDITS = (
    clone_in("x", "mm", replicas=2),
    clone_in("w", "mm", replicas=4),
    ring("mm", "relu"),
    clone_out("mm", "", "output:out0"),
)


def divided(**steps: tuple[int, int]) -> Division:
    """loop=(factor, step), fastest first."""
    return Division(tuple(Split(loop, *parts) for loop, parts in steps.items()))


def moved() -> Compilation:
    """The plan on 8 cores."""
    sketch = Sketch("moved")
    product = sketch.matmul(sketch.input("x", 64, 256), sketch.parameter("w", 256, 128), name="mm")
    sketch.output(product, sketch.apply("relu", product))
    divisions = {
        "x@in": divided(d0=(4, 16), replica=(2, 1)),
        "w@in": divided(replica=(4, 1), d1=(2, 64)),
        "mm": divided(i=(4, 16), j=(2, 64)),
        "mm@ring": divided(d0=(8, 8)),
        "mm@out": divided(d0=(4, 16), d1=(2, 64)),
        "relu": divided(i=(8, 8)),
    }
    lx = {"x@in": 0, "w@in": 8192, "mm": 40960, "mm@ring": 43008}
    made, plan = with_moves(sketch.program(), divisions, EDITS, lx)
    program, cost = materialize(made.problem, plan), price(made.problem, plan)
    return replace(made, plan=plan, program=program, cost=cost)
