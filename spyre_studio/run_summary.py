"""The summary of a simulated run: one JSON document for other programs, and a few lines for people.

Owns the names of its fields, which others rely on.  Refuses to compute times: every figure is read off the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from compiler.compilation import Compilation
from simulator.trace import PS_PER_US, LxUse, Trace, UnitUse
from spyre_studio.timeline_data import TimelineData, timeline_of
from spyre_studio.timeline_words import CAUSES, bound_of, bound_shares, bounds_of
from spyre_studio.units import format_bytes, format_count, format_percent, format_time

Document = dict[str, object]
SHOWN, TOLD = 8, 0.0005
"""How many of the longest are listed, and the least share that is."""
CARD_WAYS, RING_WAYS = ("own", "shared", "replicated", "host"), ("ring",)
"""Ways of operands that pass the port of device memory, and those of parts and partial results on the ring."""


def summary(compilation: Compilation, trace: Trace) -> Document:
    """The document: times in us, shares in parts of 1, bytes of device memory and ring as they were moved; of what is
    read, `delivered_bytes` reach the cores, which is more where they share a load."""
    data = timeline_of(trace)
    fullest = _fullest(trace)
    return {
        "model": trace.model,
        "device": trace.device,
        "cores": trace.cores,
        "pipeline": compilation.plan.pipeline,
        "total_us": trace.total_us,
        "predicted_us": compilation.cost.total_us,
        "kernels": [
            {"name": one.name, "steps": one.last - one.first, **_when(one.start_ps, one.end_ps)}
            for one in trace.kernels
        ],
        "steps": _steps(data),
        "bound": {CAUSES[cause].title: share for cause, share in bound_shares(data)},
        "units": [_unit(use) for use in trace.use],
        "lx": {
            "budget_bytes": trace.lx_bytes,
            "peak_bytes": fullest.peak_bytes,
            "peak_core": fullest.core,
            "mean_bytes": _mean_held(trace),
            "fragmentation": _fragmentation(trace),
        },
        "traffic": {
            "read_bytes": sum(_read(trace)),
            "delivered_bytes": sum(_read(trace, delivered=True)),
            "written_bytes": sum(_written(trace)),
            "ring_bytes": sum(_sent(trace)),
        },
        "stalls": [
            {"cause": CAUSES[cause].title, "core_us": took / PS_PER_US, "share": share}
            for cause, took, share in _waits(trace)
        ],
        "critical_path": [
            {
                "step": trace.steps[one.step],
                "core": one.core,
                "bound": CAUSES[one.cause].title,
                **_when(one.start_ps, one.end_ps),
            }
            for one in trace.critical
        ],
        "tiles": trace.spans.tiles,
    }


def describe(compilation: Compilation, trace: Trace) -> tuple[str, ...]:
    """The run in a few lines, beside the time that was predicted."""
    return describe_run(trace, f" (predicted {format_time(compilation.cost.total_us)})")


def describe_run(trace: Trace, beside: str = "") -> tuple[str, ...]:
    """The run in a few lines; `beside` follows its time."""
    data = timeline_of(trace)
    bounds = ", ".join(f"{CAUSES[cause].title} {format_percent(share)}" for cause, share in bound_shares(data))
    return (
        f"{trace.model} on {trace.device}, {format_count(trace.cores, 'core')}",
        f"  simulated  {_time(trace.total_ps)}{beside}",
        *_listed("kernels", tuple(_kernels(trace))),
        *([f"  bound by   {bounds} of the critical path"] if bounds else []),
        *_listed("units", tuple(_used(trace))),
        f"  LX         {_held(trace)}",
        f"  traffic    {_traffic(trace)}",
        *_listed("waits", tuple(_waited(trace))),
        *_listed("longest", tuple(_longest(data))),
    )


def _time(picoseconds: int) -> str:
    """As times are written in the whole report."""
    return format_time(picoseconds / PS_PER_US)


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    """Lines under a title in the margin."""
    return [f"  {title if not number else '':<10} {line}" for number, line in enumerate(lines)]


def _when(start_ps: int, end_ps: int) -> Document:
    return {"start_us": start_ps / PS_PER_US, "simulated_us": (end_ps - start_ps) / PS_PER_US}


def _steps(data: TimelineData) -> list[Document]:
    trace = data.trace
    kernels = [kernel.name for kernel in trace.kernels for _ in range(kernel.first, kernel.last)]
    read, delivered, written, ring = _read(trace), _read(trace, delivered=True), _written(trace), _sent(trace)
    bounds = bounds_of(data)
    cores = (trace.runs.start_ps >= 0).sum(axis=1)
    return [
        {
            "name": name,
            "kernel": kernels[step],
            **_when(int(data.step_start[step]), int(data.step_end[step])),
            "bound": CAUSES[int(bounds[step])].title,
            "cores": int(cores[step]),
            "read_bytes": read[step],
            "delivered_bytes": delivered[step],
            "written_bytes": written[step],
            "ring_bytes": ring[step],
        }
        for step, name in enumerate(trace.steps)
    ]


def _unit(use: UnitUse) -> Document:
    mean = sum(use.share) / max(len(use.share), 1)
    return {
        "name": use.unit,
        "least": use.least,
        "most": use.most,
        "mean": mean,
        "busiest_core": use.busiest_core,
        "share": list(use.share),
    }


def _kernels(trace: Trace) -> Iterator[str]:
    """The longest, in their order."""
    chosen = sorted(range(len(trace.kernels)), key=lambda one: _took(trace, one), reverse=True)[:SHOWN]
    for number in sorted(chosen):
        kernel = trace.kernels[number]
        steps = format_count(kernel.last - kernel.first, "step")
        yield f"{kernel.name}  {_time(kernel.end_ps - kernel.start_ps)}, {steps}"
    if len(trace.kernels) > SHOWN:
        yield f"and {format_count(len(trace.kernels) - SHOWN, 'shorter one')}"


def _took(trace: Trace, kernel: int) -> int:
    return trace.kernels[kernel].end_ps - trace.kernels[kernel].start_ps


def _used(trace: Trace) -> Iterator[str]:
    for use in trace.use:
        if use.most >= TOLD:
            least, most = format_percent(use.least), format_percent(use.most)
            spread = most if least == most else f"{least} to {most}, core {use.busiest_core} busiest"
            yield f"{use.unit:<9} {spread}"


def _fullest(trace: Trace) -> LxUse:
    """The core that holds most at any time; the lowest number of equals."""
    return max(trace.lx, key=lambda use: (use.peak_bytes, -use.core), default=LxUse(-1, 0, 0.0, 0.0))


def _fragmentation(trace: Trace) -> float:
    """The largest share, on any core and at any time, of the bytes below the highest address in use that nobody
    holds."""
    return max((one.fragmentation for one in trace.lx), default=0.0)


def _mean_held(trace: Trace) -> float:
    return sum(use.mean_bytes for use in trace.lx) / max(len(trace.lx), 1)


def _held(trace: Trace) -> str:
    fullest, budget = _fullest(trace), format_bytes(trace.lx_bytes)
    if not fullest.peak_bytes:
        return f"nothing held of {budget} per core"
    peak, mean = format_bytes(fullest.peak_bytes), format_bytes(_mean_held(trace))
    told = f"at most {peak} of {budget} (core {fullest.core}), {mean} per core on average"
    unused = _fragmentation(trace)
    if unused < TOLD:
        return told
    return f"{told}; of the bytes below the highest address in use, at most {format_percent(unused)} unused"


def _traffic(trace: Trace) -> str:
    counts = (_read(trace), _read(trace, delivered=True), _written(trace), _sent(trace))
    moved, delivered, written, ring = (format_bytes(sum(each)) for each in counts)
    read = f"{moved} read (moved by device memory; {delivered} delivered to cores)"
    return f"{read}, {written} written" + (f", {ring} over the ring" if any(counts[-1]) else "")


def _read(trace: Trace, *, delivered: bool = False) -> list[int]:
    """Bytes of each step that device memory moves to cores, or those that they get."""
    rows = (one for one in trace.traffic if one.way in CARD_WAYS and not one.write)
    return _by_step(trace, ((one.step, one.delivered if delivered else one.moved) for one in rows))


def _written(trace: Trace) -> list[int]:
    rows = (one for one in trace.traffic if one.way in CARD_WAYS and one.write)
    return _by_step(trace, ((one.step, one.moved) for one in rows))


def _sent(trace: Trace) -> list[int]:
    """Bytes of each step that cores send each other: parts of what they read, and partial results."""
    return _by_step(trace, ((one.step, one.moved) for one in trace.traffic if one.way in RING_WAYS))


def _by_step(trace: Trace, amounts: Iterable[tuple[int, int]]) -> list[int]:
    found = [0] * len(trace.steps)
    for step, amount in amounts:
        found[step] += amount
    return found


def _waits(trace: Trace) -> list[tuple[int, int, float]]:
    """Causes with the time of all cores that wait (ps) and its share of the time of all cores, the longest first."""
    stalls = trace.stalls
    took = np.bincount(stalls.cause, weights=stalls.end_ps - stalls.start_ps, minlength=max(CAUSES) + 1)
    whole = max(trace.total_ps * trace.cores, 1)
    rows = [(cause, int(took[cause]), float(took[cause]) / whole) for cause in CAUSES if took[cause] > 0]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _waited(trace: Trace) -> Iterator[str]:
    for cause, _, share in _waits(trace):
        if share < TOLD:
            continue
        yield f"{format_percent(share)} of all core time for {CAUSES[cause].wait}"


def _longest(data: TimelineData) -> Iterator[str]:
    trace = data.trace
    took = data.step_end - data.step_start
    chosen = np.lexsort((np.arange(len(took)), -took))[:SHOWN].tolist()
    moved = [read + written for read, written in zip(_read(trace), _written(trace), strict=True)]
    width = max((len(trace.steps[step]) for step in chosen), default=0)
    for step in chosen:
        bound = CAUSES[bound_of(data, step)].title
        yield f"{trace.steps[step]:<{width}}  {_time(int(took[step]))}, {bound}, {format_bytes(moved[step])}"
