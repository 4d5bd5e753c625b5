"""Full scratchpads: occupancies box by box, and a model whose buffers do not all fit.

Owns `crowd`, and the plans of `crowded`.  Refuses to be large: see `occupancies`.
"""

from dataclasses import replace

import numpy as np
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.loops import LoopProgram
from compiler.pins import Pins
from spyre_studio.occupancy import Occupancy, Resident
from tests.sketch import Sketch
from tests.spyre_studio.occupancies import made_occupancy
from tests.spyre_studio.plans import compiled

NEED = 655_360
"""Bytes on a core of every buffer that `crowded` computes; two of them fit into LX."""


def crowd(*boxes: tuple[int, int, int, int]) -> Occupancy:
    """One core with boxes b0, b1, .. of (address, size, first step, last step)."""
    steps = max(last for _, _, _, last in boxes) + 1
    residents = tuple(
        Resident(f"b{number}", "pointwise", address, size, first, last, "", "", (), 1)
        for number, (address, size, first, last) in enumerate(boxes)
    )
    rects = [(one.first, one.address, one.last + 1, one.address + one.size) for one in residents]
    return replace(
        made_occupancy(0, steps, cores=1),
        residents=residents,
        rects=np.array(rects, float),
        kinds=np.zeros(len(boxes), np.intp),
        present=np.ones((len(boxes), 1), np.bool_),
        resident_map=frozendict((one.name, row) for row, one in enumerate(residents)),
    )


def crowded_program() -> LoopProgram:
    """A model in which a, b, c and d live long; on eight cores none of them fits beside two others."""
    sketch = Sketch("crowd")
    x = sketch.input("x", 4096, 640)
    a, b, c = (sketch.apply(what, x, name=name) for what, name in (("neg", "a"), ("exp", "b"), ("relu", "c")))
    d, e = sketch.apply("add", a, b, name="d"), sketch.apply("mul", a, c, name="e")
    g = sketch.apply("mul", sketch.apply("add", d, e, name="f"), e, name="g")
    late = sketch.apply("add", b, sketch.apply("add", c, d))
    sketch.output(sketch.apply("add", g, sketch.apply("add", a, late)))
    return sketch.program()


def crowded(**placement: str) -> Compilation:
    """A plan for eight cores of that model."""
    return compiled(pins=Pins(placement=frozendict(placement)), cores=8, program=crowded_program())
