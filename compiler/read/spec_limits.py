"""Limits of op specifications that were read: what no writer of any version exceeds, and the rules of facts 2.3.

Owns the sentence about the first of them that is broken.  Refuses judgement on how well an op is divided.
"""

from __future__ import annotations

import math
from typing import Final

from compiler.formats.opspec import OpSpec
from compiler.formats.opspec_rules import broken_rule
from compiler.read.plain import LARGEST_NUMBER, MOST_DIMS
from compiler.read.sdsc_frame import MOST_CORES

MOST_ARGUMENTS: Final = 1_000
DEEPEST_BODY: Final = 16
"""Loops inside each other."""


def broken_limit(spec: OpSpec) -> str:
    """The first limit or rule that a specification breaks, in words; '' if it keeps all."""
    if len(spec.iteration) > MOST_DIMS:
        return f"it has {len(spec.iteration):,} dims, at most {MOST_DIMS} are read"
    if len(spec.args) > MOST_ARGUMENTS:
        return f"it has {len(spec.args):,} arguments, at most {MOST_ARGUMENTS:,} are read"
    if any(dim.slices < 1 or dim.extent < 0 for dim in spec.iteration):
        return "a dim has no extent or no slices"
    if math.prod(dim.slices for dim in spec.iteration) > MOST_CORES:
        return f"its slices need more than {MOST_CORES:,} cores"
    numbers = [each for arg in spec.args for each in (*arg.device_size, arg.place.at, arg.argument)]
    if any(abs(each) >= LARGEST_NUMBER for each in (*numbers, *(dim.extent for dim in spec.iteration))):
        return "one of its numbers is larger than any size or address"
    if any(each < 0 for arg in spec.args for each in (*arg.device_size, arg.place.at)):
        return "one of its sizes or addresses is less than 0"
    if any(len(arg.device_size) > MOST_DIMS for arg in spec.args):
        return f"one of its arguments has more than {MOST_DIMS} dims"
    return broken_rule(spec)
