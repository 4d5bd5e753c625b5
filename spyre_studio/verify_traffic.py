"""The bytes that the steps of a verified run moved, a row per step, and their sums in words.

Owns: adding up accesses by step and memory. Refuses: counting; the simulated memories did, while the program ran.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from simulator.traffic import StepTraffic, Way, moved
from spyre_studio.units import format_bytes


@dataclass(frozen=True, slots=True)
class TrafficRow:
    """Bytes of one step, in whole sticks, of all cores together.  `once` is what device memory delivers at least: a
    stick that several cores read counts once."""

    step: str
    hbm_read: int
    hbm_once: int
    hbm_written: int
    lx_read: int
    lx_written: int
    ring: int
    cores: int

    @property
    def hbm(self) -> int:
        """Through device memory, both ways."""
        return self.hbm_read + self.hbm_written


def traffic_rows(traffic: Iterable[StepTraffic]) -> tuple[TrafficRow, ...]:
    """In the order in which the steps ran."""
    by_step: dict[str, list[StepTraffic]] = {}
    for each in traffic:
        by_step.setdefault(each.step, []).append(each)
    return tuple(_row(step, accesses) for step, accesses in by_step.items())


def traffic_words(traffic: tuple[StepTraffic, ...]) -> str:
    """The sums.  Example: 'Device memory 9 KiB read, 4 KiB written · LX 2 KiB read, 2 KiB written · ring 0 B'."""
    total = _row("", traffic)
    shared = f" ({format_bytes(total.hbm_once)} once for all cores)" if total.hbm_once < total.hbm_read else ""
    return (
        f"Device memory {format_bytes(total.hbm_read)} read{shared}, {format_bytes(total.hbm_written)} written · "
        f"LX {format_bytes(total.lx_read)} read, {format_bytes(total.lx_written)} written · "
        f"ring {format_bytes(total.ring)}"
    )


def _row(step: str, accesses: Iterable[StepTraffic]) -> TrafficRow:
    found = tuple(accesses)
    return TrafficRow(
        step=step,
        hbm_read=moved(found, Way.DEVICE_MEMORY, write=False),
        hbm_once=moved(found, Way.DEVICE_MEMORY, write=False, distinct=True),
        hbm_written=moved(found, Way.DEVICE_MEMORY, write=True),
        lx_read=moved(found, Way.LX, write=False),
        lx_written=moved(found, Way.LX, write=True),
        ring=moved(found, Way.RING),
        cores=len({core for each in found for core, _ in each.by_core if core >= 0}),
    )
