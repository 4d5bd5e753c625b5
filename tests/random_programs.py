"""Seeded random LoopPrograms: legal input for passes, checker and simulator that no person has seen before.

Owns `random_program(seed)`, a pure function of its arguments, and the three ranges of sizes.  Every index it writes is
in range, also under masks and in gathers.  Refuses to know layouts, divisions or devices: whether a program fits a
device is for the compiler to say.
"""

import random

from compiler.loops import LoopProgram
from tests.random_draft import Draft, Options
from tests.random_ops import FAMILIES

ALL = tuple(FAMILIES)
ODD_EXTENTS = (1, 2, 3, 7, 9, 32, 33, 64, 100, 128, 768)

DEFAULT = Options(ALL, ODD_EXTENTS, max_elements=100_000, max_iterations=1_000_000)
TINY = Options(ALL, (1, 2, 3, 5, 32, 33, 64, 100), max_elements=800, max_iterations=3000)
BEYOND_LIMITS = Options(ALL, (3, 64, 4096, 16384, 32768, 65535, 70000), max_elements=2**33, max_iterations=2**50)


def random_program(seed: int, size: int = 8, options: Options = DEFAULT) -> LoopProgram:
    """A program of at least `size` ops; every computed buffer is read by a later op or is an output.

    TINY programs have a few thousand points, for brute force; those of BEYOND_LIMITS may need more than a device has.
    """
    draft = Draft(random.Random(f"{seed}/{size}"), options)
    while len(draft.ops) < size:
        FAMILIES[draft.rng.choice(options.families)](draft)
    return draft.finish(f"random-{seed}")
