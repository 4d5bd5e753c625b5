"""Verify request: what the process that verifies is asked, as a JSON file.

Owns reading the file: `{"program": {...}, "model": "SPEC", "seed": 5, "poison": true, "sizes": {"s0": 64}, "lx_bytes":
2097152}`, of which program and model are needed; `program` is a program document of `compiler.codec`.  Refuses whatever
does not fit, in one sentence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from frozendict import frozendict

from compiler.codec import from_json, structure
from compiler.errors import InputError
from compiler.program import Program

ORIGIN = "the verify request"


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """Which program to run, and of which model: spec as given to `capture`, seed with which its inputs are drawn (None:
    its own where it has some), values of open sizes.  `lx_bytes` is the size of every core's LX, 0 for what the program
    uses."""

    program: Program
    model: str
    seed: int | None = None
    poison: bool = True
    sizes: frozendict[str, int] = field(default_factory=frozendict)
    lx_bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Options:
    model: str
    seed: int | None = None
    poison: bool = True
    sizes: frozendict[str, int] = field(default_factory=frozendict)
    lx_bytes: int = 0


def read_request(path: Path) -> VerifyRequest:
    """The request in a file; InputError if it is not one."""
    try:
        plain = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{ORIGIN} {path}", f"it cannot be read ({error})", "give a JSON file") from error
    if not isinstance(plain, dict) or "program" not in plain:
        raise InputError(f"{ORIGIN} {path}", "it holds no program", "give an object with program and model")
    options = structure(_Options, {key: value for key, value in plain.items() if key != "program"}, ORIGIN)
    program = from_json(Program, json.dumps(plain["program"]), f"the program of {ORIGIN}")
    return VerifyRequest(program, options.model, options.seed, options.poison, options.sizes, options.lx_bytes)
