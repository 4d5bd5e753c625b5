"""Copy names: pins on what is no buffer and no op of the model, but a copy that a plan makes by itself.

Owns the sentences on them: whose copy it is, and which pin says the same of that.  Copies to another layout are part of
the program by the time that places are decided, and can be pinned.  Refuses to look for copies: names tell.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from compiler.plan import HOMEWARD, Plan
from compiler.schedule import Schedule

NAMED = 3


def made_copies(plan: Plan) -> frozenset[str]:
    """Names of the moves of a plan and of what they write: copies that keep the layout."""
    moves = [edit for edit in plan.edits if edit.kind in HOMEWARD]
    return frozenset({*(edit.name for edit in moves), *(edit.target for edit in moves)})


def source_of(name: str, known: Container[str]) -> str:
    """The buffer of which a copy has this name, out of those that are known and no copies; empty if it is none.

    >>> source_of("x@ring~2", {"x"}), source_of("x", {"x"}), source_of("y@in", {"x"})
    ('x', '', '')
    """
    source = name.rpartition("@")[0]
    while source and source not in known:
        source = source.rpartition("@")[0]
    return source


def no_copied_buffer(name: str, known: Container[str]) -> str:
    """Why a pin cannot name the buffer of a copy, and what to pin instead; empty if it is no name of a copy.

    >>> no_copied_buffer("x@in", {"x"})
    'x@in is no buffer of the model, but a copy that a plan makes of x by itself; pin placement:x or relayout:x instead'
    """
    source = source_of(name, known)
    if not source:
        return ""
    return (
        f"{name} is no buffer of the model, but a copy that a plan makes of {source} by itself; "
        f"pin placement:{source} or relayout:{source} instead"
    )


def no_copied_op(name: str, schedule: Schedule, made: Iterable[str] = ()) -> str:
    """Why a pin of a division cannot name a copy, `made` being those of the schedule; empty if it is no such name."""
    copies = frozenset(made)
    source = source_of(name, schedule.buffers.keys() - copies)
    if not source:
        return ""
    steps = (step for step in schedule.steps if step.edit is None and step.name not in copies)
    readers = [step.name for step in steps if any(read.buffer in (source, name) for read in step.op.reads)]
    advice = f"; pin the division of {', '.join(readers[:NAMED])} instead" if readers else ""
    return (
        f"{name} is no op of the model, but a copy that a plan makes of {source} by itself, "
        f"divided as its readers need it{advice}"
    )
