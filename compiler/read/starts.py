"""Starts: an access that begins inside of a tensor, as coordinates that are ahead."""

from __future__ import annotations

import math
from collections.abc import Sequence

from compiler.formats.expression import Expression, added, number


def ahead(
    coordinates: Sequence[Expression], device_size: Sequence[int], start: int
) -> tuple[tuple[Expression, ...], int]:
    """Coordinates of all dims but the lane with a start, in elements, added to the dims where it lies; and what is left
    of it, within a stick.

    >>> from compiler.formats.expression import symbol
    >>> [str(each) for each in ahead([symbol("c0"), symbol("c1")], [4, 8, 64], 8 * 64 + 3 * 64)[0]]
    ['c0 + 1', 'c1 + 3']
    """
    rest, found = start, list[Expression]()
    for place, coordinate in enumerate(coordinates):
        steps, rest = divmod(rest, math.prod(device_size[place + 1 :]))
        found.append(added(coordinate, number(steps)))
    return tuple(found), rest
