"""Glossary: the words of the field, each with one sentence; tooltips, headings, legends and Help > Words read it.

Owns: the table, and finding a word of it in what a label says.  Refuses Qt, and explaining what a view already does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Term:
    """`also` are other forms under which it is found; `area` is where it belongs; `meaning` is one sentence without a
    full stop, which goes on from 'WORD: '."""

    word: str
    area: str
    meaning: str
    also: tuple[str, ...] = ()


_DEVICE, _LAYOUT, _PLAN, _MOVE = "device", "layout", "plan", "moves"
_TIME, _COST, _CLOCK = "time", "cost term", "simulated run"

TERMS: Final[tuple[Term, ...]] = (
    Term("core", _DEVICE, "one of the units of the card that work at the same time, each with a scratchpad of its own"),
    Term("LX", _DEVICE, "the scratchpad of a core: small, and nothing in it is moved to be read", ("scratchpad",)),
    Term(
        "device memory",
        _DEVICE,
        "the memory of the card, outside the cores, from and to which ops move what they read and write",
        ("hbm", "outside LX"),
    ),
    Term("ring", _DEVICE, "the links from core to core, over which parts reach cores that do not hold them"),
    Term("budget", _DEVICE, "the bytes of a scratchpad that buffers may take"),
    Term("reserve", _DEVICE, "the part of a scratchpad that is kept free for what the cores need besides buffers"),
    Term("kernel", _DEVICE, "steps that the card runs without asking the host in between", ("kernels",)),
    Term("step", _PLAN, "one op or one inserted move; steps run in order", ("steps",)),
    Term("op", _PLAN, "a loop nest with one body: what the model computes, as the compiler sees it", ("ops",)),
    Term("buffer", _PLAN, "a tensor with a name: input, weight, result, or what lies between ops", ("buffers",)),
    Term("plan", _PLAN, "all decisions for a model: divisions, layouts, moves, and what lies where"),
    Term("pin", _PLAN, "a decision that you fix; the pipeline decides the rest around it", ("pins",)),
    Term("variant", _PLAN, "pins, device, pipeline and plan under a name, to be compared", ("variants",)),
    Term("pipeline", _PLAN, "the passes that make a plan, in order"),
    Term("division", _PLAN, "into how many parts each loop of an op is cut, one part a core", ("split", "splits")),
    Term("candidate", _PLAN, "a division that the op could have", ("candidates",)),
    Term("loop", _PLAN, "an index that an op runs over; those that are not reduced are dims of its result", ("loops",)),
    Term(
        "partial sums", _PLAN, "sums of a part each, where a reduced loop is cut: they go from core to core to be added"
    ),
    Term("span", _PLAN, "the bytes from the first to the last that one core reaches in a tensor; the card limits it"),
    Term("claim", _PLAN, "how good a choice is said to be: what it costs, and the bound that nothing goes below"),
    Term("check", _PLAN, "a proof of one property of a plan, made from problem and plan alone", ("checks",)),
    Term("numerics", _PLAN, "whether the numbers of the device agree with PyTorch; not known until they are verified"),
    Term("why not", _PLAN, "why a buffer is not in LX, and what would change that"),
    Term("stick", _LAYOUT, "128 bytes, 64 elements of fp16: the least that memory moves and units take", ("sticks",)),
    Term("lane", _LAYOUT, "the place of one element in its stick", ("lanes",)),
    Term("sparse", _LAYOUT, "one value per stick, which a reduction along the stick leaves"),
    Term("padding", _LAYOUT, "bytes of sticks that no element uses"),
    Term("order", _LAYOUT, "which dim of a tensor follows which in memory"),
    Term("layout", _LAYOUT, "which dim of a buffer is cut into sticks, and the order of the others", ("layouts",)),
    Term(
        "restickify",
        _MOVE,
        "a copy of a tensor whose sticks are cut along another dim",
        ("restickifies",),
    ),
    Term("reorder", _MOVE, "a copy of a tensor with another order of dims", ("reorders",)),
    Term("pad", _MOVE, "a copy of a tensor that is filled up with zeros", ("pads",)),
    Term(
        "relayout",
        _MOVE,
        "a copy of a buffer from the scratchpads of some cores to those of others, over the ring",
        ("relayouts",),
    ),
    Term("clone in", _MOVE, "a load of a buffer into LX, once for several readers"),
    Term("clone out", _MOVE, "a copy of a buffer in LX to device memory, for the host, for readers, or to make room"),
    Term("handed over", _MOVE, "what one op writes and another reads, and whether the cores fit", ("handover",)),
    Term("ways out", _MOVE, "what can be done where a core reads what another one holds, and what each costs"),
    Term("predicted", _TIME, "the time that the cost model gives a plan; nothing was measured on a card"),
    Term("simulated", _TIME, "the time that a run against the clock of the device takes; nothing was measured"),
    Term("bound", _TIME, "a time below which no plan goes, for what was on offer"),
    Term("gap", _TIME, "the share of the predicted time that a better plan could save at most"),
    Term("bound by", _TIME, "what takes longest on most of its cores"),
    Term("terms", _TIME, "the parts that the price of a step is made of, each with its formula", ("term",)),
    Term("roofline", _TIME, "the speed that memory and compute allow for so many operations per byte"),
    Term("compute", _COST, "what the units of the cores take for the arithmetic"),
    Term("memory", _COST, "what device memory takes to move the bytes, at the same time as compute"),
    Term("dim order", _COST, "what a product takes longer because of the order of the dims of its operands"),
    Term("delivery", _COST, "what handing out an operand takes beyond moving its bytes"),
    Term("not hidden", _COST, "what overlaps with neither compute nor memory: it stands beside them"),
    Term("points", _COST, "a preference of the published rule, not a time"),
    Term("batch step", _COST, "what a batched product takes longer when cores are cut along the batch"),
    Term("split re-read", _COST, "what reading operands again takes where output tiles are large"),
    Term("fused reduction", _COST, "what folding the slowest reduction of a kernel takes"),
    Term("turnaround", _COST, "what changing between reads and writes takes", ("read/write turnaround",)),
    Term("reduction alone", _COST, "a reduction that is a kernel of its own, by its rows and cores"),
    Term("reduction across rows", _COST, "the slow pattern of a sum along rows that lie apart"),
    Term("concatenation", _COST, "the slow pattern of tensors that are put one behind the other"),
    Term("swap of outer dims", _COST, "the slow pattern of two outer dims that change places"),
    Term("stack", _COST, "the slow pattern of tensors that are put side by side along a new dim"),
    Term("row broadcast", _COST, "the slow pattern of one row that is read for every other"),
    Term("scalar or column broadcast", _COST, "the slow pattern of one value that is read for a whole row"),
    Term("replicated operand", _COST, "an operand that every core loads for itself"),
    Term("shared operand", _COST, "an operand that several cores load together, more slowly the more there are"),
    Term("partitioned operand", _COST, "an operand of which each core uses every element only once"),
    Term("indirect store", _COST, "a write to places that an index names"),
    Term("requests", _COST, "what asking for bytes in runs too short for the memory takes", ("copy requests",)),
    Term("short bursts", _COST, "what reading in short runs takes beyond moving the bytes"),
    Term("load into LX", _COST, "bytes that are loaded once for all readers, before they begin"),
    Term("critical path", _CLOCK, "the chain of steps and waits that decides how long the run takes"),
    Term("waits", _CLOCK, "the time that a core stands still, and for whom", ("wait",)),
    Term("producer", _CLOCK, "another core that still writes what the step reads"),
    Term("ring partners", _CLOCK, "the cores of a copy over the ring, which begins when all are ready"),
    Term("kernel end", _CLOCK, "the moment at which all cores are done, before which no other kernel begins"),
    Term("step before", _CLOCK, "a core runs its steps in order, and the one before still runs"),
    Term("poison", _CLOCK, "NaN in padding and in unused memory, so that reading it shows"),
    Term("rounding", _CLOCK, "a difference that half a step at every op explains"),
    Term("corrupted", _CLOCK, "a difference that rounding does not explain"),
)


@lru_cache(maxsize=1)
def _table() -> dict[str, Term]:
    return {name.lower(): term for term in TERMS for name in (term.word, *term.also)}


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    names = sorted(_table(), key=len, reverse=True)
    return re.compile(rf"(?<![\w/-])({'|'.join(map(re.escape, names))})(?![\w/-])", re.IGNORECASE)


def term_of(label: str) -> Term | None:
    """The term that a whole label is, without what is no word: a unit, a count, a figure, a colon.

    >>> term_of("Bound, µs").word, term_of("12 pins").word, term_of("compute 9.4 µs").word
    ('bound', 'pin', 'compute')
    """
    words = label.lower().partition(", ")[0].strip(" :.·")
    bare = re.sub(r"^[\d.,]+ +| +[−+]?[\d.,]+ *(µs|ms|s|%|b|[kmg]i?b)?$", "", words).strip(" :")
    return _table().get(words) or _table().get(bare) or _table().get(bare.partition(": ")[2])


def sentence(term: Term) -> str:
    """The term with its sentence, for a tooltip."""
    return f"{term.word}: {term.meaning}."


def hint_of(label: str) -> str:
    """The sentence on the term that a whole label is, '' if it is none."""
    found = term_of(label)
    return sentence(found) if found else ""


def hints_in(text: str) -> str:
    """A line for every term in a text, each once, in its order; '' if there is none."""
    found = dict.fromkeys(_table()[name.lower()] for name in _pattern().findall(text))
    return "\n".join(map(sentence, found))


def hinted(title: str, hint: str) -> str:
    """What a label says of itself, and below it what its word means, unless that is the same."""
    meaning = hint_of(title)
    return "\n".join(part for part in (hint, meaning) if part)
