"""Reasons: why a buffer is not in the scratchpad, in words.

One row per `ReasonCode`: a short title, what it means, and what would make the buffer resident.  Refuses figures:
those of one buffer stand in its `Spilled.detail`.
"""

from __future__ import annotations

from dataclasses import dataclass

from frozendict import frozendict

from compiler.plan import ReasonCode


@dataclass(frozen=True, slots=True)
class Reason:
    """A row: title for lists, sentence for people, and the nearest remedy."""

    code: ReasonCode
    title: str
    sentence: str
    remedy: str


NO_REMEDY = "Nothing"
"""How the remedy begins where nothing would help."""

_ROWS = (
    Reason(
        ReasonCode.GRAPH_INPUT,
        "graph input",
        "Inputs, parameters and constants arrive in device memory.",
        "A clone of it can live in LX where its cores read it more than once: the co-optimized pipeline weighs that.",
    ),
    Reason(
        ReasonCode.GRAPH_OUTPUT,
        "graph output",
        "The host fetches results from device memory.",
        "It has to be written out once; where steps read it as well, they can read it in LX and a clone goes out: the "
        "co-optimized pipeline weighs that.",
    ),
    Reason(
        ReasonCode.OPAQUE_USER,
        "used on the host",
        "An op without a loop form reads or writes it, and such ops see device memory only.",
        "Replace the opaque op by ops that run on the cores.",
    ),
    Reason(
        ReasonCode.ACROSS_OPAQUE,
        "alive across a host op",
        "It is needed before and after an op without a loop form, which may overwrite LX.",
        "Replace the opaque op, or compute the buffer after it.",
    ),
    Reason(
        ReasonCode.RESTICKIFY_READER,
        "read by a copy",
        "A copy to another layout reads it, whose cores do not hold the slices they need.",
        "Choose a layout that needs no copy here.",
    ),
    Reason(
        ReasonCode.INDIRECT,
        "indirect access",
        "It is a table or an index of a gather, so that no core knows in advance which part it needs.",
        "Nothing short of another formulation of the gather.",
    ),
    Reason(
        ReasonCode.PARTIAL_READ,
        "read in part",
        "A step reads only a part of it, at an offset or under a mask; one address per core would be wrong for that.",
        "Make the reader use the whole buffer.",
    ),
    Reason(
        ReasonCode.PARTIAL_SUMS,
        "partial sums",
        "Its writer splits a reduced loop, so that the finished values lie on some of the cores only.",
        "Divide the writer along the loops of its result instead.",
    ),
    Reason(
        ReasonCode.DIVISION_MISMATCH,
        "divided differently",
        "A core would have to read what another core holds.",
        "Give writer and readers the same division.",
    ),
    Reason(
        ReasonCode.NOT_READ,
        "never read",
        "No step reads it, so that LX would save nothing.",
        "Nothing: there is nothing to save.",
    ),
    Reason(ReasonCode.EMPTY, "empty", "It has no elements.", "Nothing: there is nothing to place."),
    Reason(
        ReasonCode.LX_GAP,
        "gap in the layout",
        "A device dim is larger than what the cores write, and gaps exist in device memory only.",
        "Divide it so that every core writes an equal, whole box.",
    ),
    Reason(
        ReasonCode.CAPACITY,
        "no room",
        "At some step of its life the scratchpad has no gap that is large enough.",
        "Spread the writer over more cores, or, if it fits alone, keep another buffer out of LX.",
    ),
    Reason(
        ReasonCode.PINNED,
        "pinned to device memory",
        "A pin keeps it out of the scratchpad.",
        "Remove the pin.",
    ),
    Reason(
        ReasonCode.ZERO_PADDED,
        "filled up with zeros",
        "Rows of zeros were added to it for a contraction, and no core owns them.",
        "Make the contracted size a multiple of one stick.",
    ),
    Reason(
        ReasonCode.DEVICE_COPY,
        "copy in device memory",
        "It is the clone of a buffer in LX for readers that need it in device memory.",
        "Nothing: its source is in LX.",
    ),
    Reason(
        ReasonCode.NOT_WORTH_IT,
        "cheaper outside",
        "It could be in LX, but the quickest plan that was found has it in device memory.",
        "Pin it to LX and compile again to see what that costs.",
    ),
    Reason(
        ReasonCode.CLONED_IN,
        "graph input, cloned",
        "It arrives in device memory, and a clone of it is in LX for steps that read it.",
        "Nothing: its clone is in LX.",
    ),
    Reason(
        ReasonCode.NO_CLONE,
        "graph input without a clone",
        "It arrives in device memory, and no copy in LX can give a step what it reads of it.",
        "Give several readers whole parts of it under one division that are small enough for LX.",
    ),
    Reason(
        ReasonCode.UNWEIGHED,
        "as before the search",
        "The model gets it from the host or gives it back, and the search has found no better plan than the one before "
        "it, which makes no clones.",
        "Give the search more seconds.",
    ),
    Reason(
        ReasonCode.AS_READ,
        "outside in the files",
        "The files that the plan was read from have it in device memory, and do not say why.",
        "Plan the model anew, or pin it to LX and compile again: then a reason is given.",
    ),
)
REASONS: frozendict[ReasonCode, Reason] = frozendict((row.code, row) for row in _ROWS)
