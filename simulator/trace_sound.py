"""Trace sound: whether a trace that comes from a file hangs together, so that nobody who draws it has to ask.

Owns types and lengths of columns, and that every number which stands for a core, a step, a unit, a tensor or a cause
stands for one.  Refuses to judge times: whether they are those of the machine is the simulator's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from simulator.timing.timeline import Cause
from simulator.trace import CARD, Holds, OpRuns, Spans, Stalls, Trace

Column = NDArray[np.integer]
_TABLES = (Spans, Stalls, Holds)


def is_sound(trace: Trace) -> bool:
    """True if every part of a trace can be looked up."""
    return all(
        (
            trace.cores >= 0 and trace.total_ps >= 0 and trace.lx_bytes >= 0,
            len(trace.units) > 0,
            all(_typed(getattr(trace, name), cls) for name, cls in _COLUMNS),
            all(_even(getattr(trace, name)) for name, cls in _COLUMNS if cls in _TABLES),
            _runs(trace),
        )
    ) and all((*_numbers(trace), *_values(trace)))


def _typed(table: Spans | Stalls | Holds | OpRuns, cls: type) -> bool:
    """Whether every column has the type that the table says."""
    return all(getattr(table, name).dtype == dtype for name, dtype in _DTYPES[cls].items())


def _even(table: Spans | Stalls | Holds) -> bool:
    """Whether all columns are lists of the same length."""
    shapes = {getattr(table, field.name).shape for field in fields(table)}
    return len(shapes) == 1 and len(shapes.pop()) == 1


def _runs(trace: Trace) -> bool:
    shape = (len(trace.steps), trace.cores)
    return all(getattr(trace.runs, field.name).shape == shape for field in fields(OpRuns))


def _numbers(trace: Trace) -> Iterator[bool]:
    """Whether the columns of numbers stay within what they count."""
    spans, stalls, holds = trace.spans, trace.stalls, trace.holds
    cores, steps, causes = trace.cores, len(trace.steps), len(Cause)
    yield _within(spans.core, CARD, cores)
    yield _within(spans.unit, 0, len(trace.units))
    yield _within(spans.step, 0, steps)
    yield bool((spans.count > 0).all())
    yield bool((spans.busy_ps <= spans.end_ps - spans.start_ps).all())
    yield _within(stalls.core, 0, cores)
    yield _within(stalls.step, 0, steps)
    yield _within(stalls.cause, 0, causes)
    yield _within(stalls.by_step, -1, steps)
    yield _within(stalls.by_core, -1, cores)
    yield _within(holds.core, 0, cores)
    yield _within(holds.tensor, 0, len(trace.tensors))
    yield _within(trace.runs.bound, 0, causes)


def _values(trace: Trace) -> Iterator[bool]:
    """Whether the values that are no columns do."""
    cores, steps = trace.cores, len(trace.steps)
    yield all(0 <= one.first <= one.last <= steps for one in trace.kernels)
    for link in trace.critical:
        yield 0 <= link.step < steps and CARD <= link.core < cores and 0 <= link.cause < len(Cause)
    yield all(0 <= one.step < steps and 0 <= one.tensor < len(trace.tensors) for one in trace.traffic)
    yield all(one.unit in trace.units and len(one.share) == cores for one in trace.use)
    yield [one.core for one in trace.lx] == list(range(cores))


def _within(column: Column, low: int, high: int) -> bool:
    return not column.size or bool(low <= int(column.min()) and int(column.max()) < high)


def _dtypes(cls: type) -> dict[str, np.dtype[np.generic]]:
    """The type of each column: the one that its annotation names."""
    hints = get_type_hints(cls)
    return {field: np.dtype(get_args(get_args(hints[field])[1])[0]) for field in hints}


_COLUMNS = (("spans", Spans), ("stalls", Stalls), ("holds", Holds), ("runs", OpRuns))
_DTYPES: dict[type, dict[str, np.dtype[np.generic]]] = {cls: _dtypes(cls) for _, cls in _COLUMNS}
