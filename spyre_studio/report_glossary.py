"""Report, last part: the words that a report uses, for people who do not know the device.

Owns one row per word.  Refuses words that the report does not use.
"""

from __future__ import annotations

from typing import Final

from compiler.report.document import Section, Terms

_ROWS: Final = (
    ("core", "One of the chip's equal compute units, each with a scratchpad of its own."),
    ("LX", "The scratchpad of a core: fast memory that the compiler, not a cache, decides the contents of."),
    ("device memory", "The large memory of the card, shared by all cores. What does not stay in LX goes through it."),
    ("stick", "128 bytes that lie together and are moved together; all of a tensor's layout is in sticks."),
    ("restickify", "A copy of a tensor to a layout whose sticks run along another dimension."),
    ("reorder", "A copy of a tensor that keeps its sticks and changes the order of its other dimensions."),
    ("relayout", "A copy from LX to LX, over the ring, to the cores that read it."),
    ("clone", "A second copy of a buffer in the other kind of memory."),
    ("ring", "The ring that connects the cores; data goes from core to core on it."),
    ("division", "How the loops of an op are split over cores: `m 8 n 4` is 8 parts of m times 4 parts of n."),
    ("partial sums", "Results of a split reduction before those of all cores are added up."),
    ("padding", "Places of a stick or a dimension that hold no element but are moved all the same."),
    ("span", "How much of a tensor a core has to be able to address; the device has a limit."),
    ("turnaround", "The time that device memory loses when it changes between reading and writing."),
    ("replicated operand", "An operand that several cores need whole, loaded once for each of them."),
    ("shared operand", "An operand that one load delivers to several cores."),
    ("kernel", "Steps that run as one program, one after the other, without going back to the host."),
    ("pin", "A decision that a person fixed; the compiler decides the rest around it."),
    ("pipeline", "The list of passes that made the plan, with their options."),
    ("bound", "A time that no plan of the search's choices goes below, by proof."),
    ("gap", "The share of the predicted time that a better plan could save at most."),
    ("critical path", "The chain of steps and waits that decides how long a run takes."),
    ("matmul", "A matrix product; the only kind of op that the matrix units compute."),
    ("reduction", "An op that folds many values into one, such as a sum or a maximum."),
    ("pointwise", "An op that computes each result from the values at the same place."),
)


def glossary(words: str) -> Section:
    """The rows whose word occurs in the report."""
    lower = words.casefold()
    return Section("glossary", "Words", (Terms(tuple(row for row in _ROWS if row[0].casefold() in lower)),))
