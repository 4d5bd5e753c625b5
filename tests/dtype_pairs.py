"""Pairs of element types for tests of conversions, and the rule which of them the device has a step for.

Owns the expectation, by the lanes of the types: 64 and 32 lanes convert into each other, bool into and from anything,
equal lanes always.
"""

from itertools import product

from compiler.dtypes import DType
from compiler.loops import LoopProgram
from tests.sketch import Sketch

DTYPES = (DType.F16, DType.BF16, DType.F32, DType.I8, DType.U8, DType.I32, DType.I64, DType.BOOL)
LANES = {
    DType.F16: 64,
    DType.BF16: 64,
    DType.F32: 32,
    DType.I8: 128,
    DType.U8: 128,
    DType.I32: 32,
    DType.I64: 32,
}
PAIRS = tuple(product(DTYPES, DTYPES))


def has_step(source: DType, target: DType) -> bool:
    """True if the device converts whole sticks of one type into the other."""
    if DType.BOOL in (source, target):
        return True
    lanes = {LANES[source], LANES[target]}
    return len(lanes) == 1 or lanes <= {64, 32}


def conversion(source: DType, target: DType, *shape: int) -> LoopProgram:
    """`x.to(target)`, which returns the model's input itself where nothing changes."""
    sketch = Sketch(f"{source}-to-{target}")
    x = sketch.input("x", *shape, dtype=source)
    sketch.output(x if source is target else sketch.cast(x, target))
    return sketch.program()
