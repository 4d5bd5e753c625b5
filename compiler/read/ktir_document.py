"""KTIR files of ours as op specifications: those that stand after the code, held against the code.

Owns finding them, and the proof that the code is what they say: written anew from them it has to be the same.  Refuses
modules without them: KTIR says what cores do, and has no words for most of what a plan decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compiler.emit.ktir import Spelling, ktir_module
from compiler.emit.ktir_document import COMMENT, MARK
from compiler.errors import InputError
from compiler.formats.ktir_ir import Function, Operation
from compiler.import_log import Disagreement
from compiler.read.ktir import read_ktir
from compiler.read.opspec_json import ReadSpecs, read_opspecs

_MARK: Final = MARK.partition(":")[0]
_REMEDY: Final = "open a KTIR file that this program exported, or the plan or kernel folder that it was made of"


def read_ktir_document(text: str, origin: str) -> tuple[ReadSpecs, tuple[str, ...]]:
    """The op specifications, and what in the code is not as they say, one sentence each.

    InputError, with one sentence, for a module without specifications, and for code or specifications that are broken.
    """
    code, mark, rest = text.partition(f"\n{_MARK}")
    if not mark:
        why = "this KTIR module says what cores do, and nothing of the plan behind it"
        raise InputError(origin, why, _REMEDY)
    _, *lines = rest.split("\n")
    beyond = next((number for number, line in enumerate(lines) if line and not line.startswith(COMMENT.rstrip())), -1)
    if beyond >= 0:
        line = code.count("\n") + 3 + beyond
        raise InputError(origin, f"line {line} goes on after the op specifications, which end the file", _REMEDY)
    document = "\n".join(line.removeprefix(COMMENT.rstrip()) for line in lines)
    specs = read_opspecs(document, f"the op specifications in {origin}")
    return specs, tuple(map(Disagreement, _differences(f"{code}\n", specs, origin)))


def _differences(code: str, specs: ReadSpecs, origin: str) -> Iterator[str]:
    """Where the code is not what is written for these kernels; nothing for other spaces, comments and spellings."""
    spelling = Spelling.OLD if "#ktdp.spyre_memory_space" in code else Spelling.NEW
    written = ktir_module(specs.kernels, specs.cores or 1, spelling)
    if written.text == code:
        return
    theirs, ours = read_ktir(code, origin).functions, read_ktir(written.text).functions
    yield from (f"the op specifications have what no KTIR says ({limit})" for limit in written.limits)
    by_name = {function.name: function for function in theirs}
    for mine in ours:
        other = by_name.pop(mine.name, None)
        if other is None:
            yield f"there is no function {mine.name}, of which there are op specifications"
        else:
            yield from _of_function(other, mine)
    yield from (f"there are no op specifications of function {name}" for name in by_name)


def _of_function(theirs: Function, ours: Function) -> Iterator[str]:
    if (len(theirs.parameters), theirs.grid) != (len(ours.parameters), ours.grid):
        yield f"line {theirs.line}: arguments or grid of {theirs.name} are not those of its op specifications"
        return
    names = dict(zip(theirs.parameters, ours.parameters, strict=True))
    line = _first_other(theirs.body, ours.body, theirs.line, names)
    if line > 0:
        yield f"line {line} of {theirs.name} is not what its op specifications say"


def _first_other(theirs: tuple[Operation, ...], ours: tuple[Operation, ...], line: int, names: dict[str, str]) -> int:
    """The line of the first operation that is another one, or after which one is missing; 0 where all are the same.
    `line` is where they begin, `names` are those that values have in ours."""
    for one, other in zip(theirs, ours, strict=False):
        if _own(one) != _own(other) or [names.get(name) for name in one.operands] != list(other.operands):
            return one.line
        names.update(zip(one.results, other.results, strict=True))
        for mine, yours in zip(one.regions, other.regions, strict=True):
            pairs = zip(mine.arguments, yours.arguments, strict=True)
            names.update((name, called) for (name, _), (called, _) in pairs)
            inner = _first_other(mine.body, yours.body, one.line, names)
            if inner:
                return inner
        line = one.line
    if len(theirs) > len(ours):
        return theirs[len(ours)].line
    return line if len(theirs) < len(ours) else 0


def _own(one: Operation) -> tuple[object, ...]:
    """What an operation says itself, without lines, names, and what its regions do."""
    regions = tuple(tuple(kind for _, kind in region.arguments) for region in one.regions)
    return one.name, len(one.results), one.attributes, one.types, one.operand_types, regions
