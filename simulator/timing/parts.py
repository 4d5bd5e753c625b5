"""Parts: what each core has to do between two marks of a step, while its transfers are double-buffered.

Owns the cut of a step's work into its parts; `steady` is long with many tiles and empty with one:

    fill    steady                  last                hand-over     drain
    R/n     R(n-1)/n                                                           memory, in
            W max(0,n-2)/n          W min(1,n-1)/n                    W/n      memory, out
            C(n-1)/n                C/n                                        units
                                                        partial sums           ring

with R, W the services of the memory, C the time of the core's units and n tiles; what stands in one column runs side by
side.  A core that gets a partial result knows no part of its own result before that has come: it writes all of W in the
drain.  With one buffer nothing overlaps, which is the same as one tile.  Nothing goes through a core's own movers
faster than they are, however idle the memory and however many cores share a load.  Refuses time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.timing.work import OpWork, Times


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Arrays have shape (steps, cores), 0 where a core takes no part.

    `fill` and `steady_read` are services of the memory where `shares` is set; else what is read comes beside it and
    they are times.  `delivery` is the least time of all that is read; `movers_in` and `movers_out` are what the units
    between card and core take for all that is read and written, 0 where something else takes as long.  `most_in` and
    `most_out` are the highest paces of the services that follow from these.  `tiles` as floats; `read_moving` and
    `write_moving` are the work's `read_share` and `write_share`.
    """

    tiles: Times
    fill: Times
    steady_read: Times
    steady_write: Times
    steady_own: Times
    last_own: Times
    last_write: Times
    drain: Times
    delivery: Times
    movers_in: Times
    movers_out: Times
    most_in: Times
    most_out: Times
    read_moving: Times
    write_moving: Times
    shares: NDArray[np.bool_]


def parts_of(work: Sequence[OpWork], own: Times, cores: int, buffers: int) -> Parts:
    """Cut all steps.  `own` is the time of each core's own units, shape (steps, cores); `buffers` how many tiles of an
    operand a core has room for."""
    tiles, late = np.ones((len(work), cores)), np.zeros((len(work), cores), dtype=bool)
    read, write, delivery, read_moving, write_moving = (np.zeros((len(work), cores)) for _ in range(5))
    into, out = np.zeros((len(work), cores)), np.zeros((len(work), cores))
    for place, each in enumerate(work):
        if each.on_host:
            continue
        tiles[place, each.cores] = each.tiles if buffers > 1 else 1
        read[place, each.cores] = each.read_ns
        write[place, each.cores] = each.write_ns
        delivery[place, each.cores] = each.delivery_ns
        read_moving[place, each.cores] = each.read_share
        write_moving[place, each.cores] = each.write_share
        late[place, [hop.target for hop in each.hops]] = True
        for stage in (stage for stage in each.stages if stage.level == 0):
            side = into if stage.read else out
            side[place, each.cores] = np.maximum(side[place, each.cores], stage.busy)
    shares, handed = read > 0, np.maximum(read, delivery)
    taken = np.where(shares, read, np.maximum(delivery, into))
    early = np.where(late, 0.0, write)
    return Parts(
        tiles=tiles,
        fill=taken / tiles,
        steady_read=taken * (tiles - 1) / tiles,
        steady_write=early * np.maximum(0, tiles - 2) / tiles,
        steady_own=own * (tiles - 1) / tiles,
        last_own=own / tiles,
        last_write=early * np.minimum(1, tiles - 1) / tiles,
        drain=np.where(late, write, write / tiles),
        delivery=delivery,
        movers_in=np.where(into > handed, into, 0.0),
        movers_out=np.where(out > write, out, 0.0),
        most_in=_pace(read, np.maximum(delivery, into)),
        most_out=_pace(write, out),
        read_moving=read_moving,
        write_moving=write_moving,
        shares=shares,
    )


def _pace(service: Times, least: Times) -> Times:
    """The highest pace of a service that takes some time at least."""
    return np.divide(service, least, out=np.ones_like(service), where=(service > 0) & (least > service))
