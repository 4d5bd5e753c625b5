"""Occupancies of any size, made without a compiler: boxes that never overlap, the same at every run.

Owns `made_occupancy`.  Refuses plans: nothing is known of ops and layouts but their names.
"""

import numpy as np
from frozendict import frozendict

from spyre_studio.occupancy import KINDS, Occupancy, Resident

BUDGET, STICK = 1_625_344, 128


def made_occupancy(buffers: int, steps: int, cores: int = 32, lanes: int = 64, seed: int = 0) -> Occupancy:
    """`buffers` boxes in `lanes` ranges of addresses over `steps` steps; every second core holds only half of them."""
    rng = np.random.default_rng(seed)
    lane = BUDGET // lanes // STICK * STICK
    each = -(-buffers // lanes)
    residents: list[Resident] = []
    for number in range(buffers):
        row, place = divmod(number, each)
        first, end = place * steps // each, max((place + 1) * steps // each, place * steps // each + 1)
        size = int(rng.integers(1, lane // STICK)) * STICK
        kind = KINDS[int(rng.integers(len(KINDS) - 1))]
        residents.append(Resident(f"b{number}", kind, row * lane, size, first, end - 1, "", f"s{first}", (), cores))
    rects = np.array([(one.first, one.address, one.last + 1, one.address + one.size) for one in residents], float)
    present = np.ones((buffers, cores), np.bool_)
    present[::2, 1::2] = False
    change = np.zeros((cores, steps + 1), np.int64)
    for row, one in enumerate(residents):
        change[present[row], one.first] += one.size
        change[present[row], one.last + 1] -= one.size
    return Occupancy(
        steps=tuple(f"s{number}" for number in range(steps)),
        residents=tuple(residents),
        outside=(),
        rects=rects.reshape(-1, 4),
        kinds=np.array([KINDS.index(one.kind) for one in residents], np.intp),
        present=present,
        fill=np.asarray(change.cumsum(axis=1)[:, :steps], np.int64),
        budget=BUDGET,
        lx_bytes=2_097_152,
        stick_bytes=STICK,
        resident_map=frozendict((one.name, row) for row, one in enumerate(residents)),
        outside_map=frozendict(),
    )
