"""Ring links: what every link of the ring carries while cores exchange parts of tensors.

Owns ways, loads and the busiest link of each core.  The ring joins neighbouring core numbers and the last with the
first; each of its links has two directions that do not disturb each other.  A part takes the shorter way, and of two
that are equal the one of rising core numbers.  Refuses time: the walk through LX is the work's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.timing.work import Counts, Fragments

FloatLoads = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """The links of every fragment, shape (fragments, longest way), -1 beyond its end.  Link `core` leads from that core
    to the next one, link `cores + core` to the one before."""

    fragments: Fragments
    links: Counts
    cores: int


def ways_of(fragments: Fragments, cores: int) -> Ways:
    """The way of every fragment on a ring of `cores`; no link for what a core keeps."""
    rising = (fragments.target - fragments.source) % cores
    falling = (cores - rising) % cores
    up = rising <= falling
    length = np.where(up, rising, falling)[:, None]
    hop = np.arange(cores // 2)
    source = fragments.source[:, None]
    links = np.where(up[:, None], (source + hop) % cores, cores + (source - hop) % cores)
    return Ways(fragments, np.where(hop < length, links, -1).astype(np.int64), cores)


def link_loads(ways: Ways, core: int = -1) -> FloatLoads:
    """Bytes that each link carries, shape (2, cores): rising, falling; of all cores or of what one core sends and
    takes."""
    chosen = ways.links >= 0
    if core >= 0:
        chosen &= ((ways.fragments.source == core) | (ways.fragments.target == core))[:, None]
    moved = np.broadcast_to(ways.fragments.bytes[:, None], chosen.shape)[chosen]
    loads = np.bincount(ways.links[chosen], weights=moved, minlength=2 * ways.cores)
    return loads.astype(np.float64).reshape(2, ways.cores)


def busiest_links(ways: Ways) -> FloatLoads:
    """Bytes that the busiest link carries of those which each core's own parts take, by core."""
    loads = np.append(link_loads(ways).ravel(), 0.0)  # link -1, beyond the end of a way, carries nothing
    most = loads[ways.links].max(axis=1, initial=0.0)
    busiest = np.zeros(ways.cores)
    np.maximum.at(busiest, ways.fragments.source, most)
    np.maximum.at(busiest, ways.fragments.target, most)
    return busiest


def busiest_links_alone(ways: Ways) -> FloatLoads:
    """The same if every core's parts were the only ones on the ring."""
    return np.array([link_loads(ways, core).max(initial=0.0) for core in range(ways.cores)])
