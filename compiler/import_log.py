"""Import log: what was found in the files that a plan was read from, as records of its log and as a verdict.

Owns the difference between a remark and a disagreement: files that say two things of which only one can hold are a
failed check, since nobody can tell which of them runs.  Refuses to find anything: the readers do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from compiler.compilation import IMPORTED, Compilation, PassRecord, Verdict

FILES: Final = "files"
"""Name of the check, and of the record of the log with what disagrees."""


class Disagreement(str):
    """A finding, in a sentence, of two things in files that cannot both hold."""

    __slots__ = ()


def placed(where: str, finding: str) -> str:
    """The finding with where it was found before it."""
    sentence = f"{where}: {finding}"
    return Disagreement(sentence) if isinstance(finding, Disagreement) else sentence


def import_log(summary: str, findings: Iterable[str], seconds: float) -> tuple[PassRecord, ...]:
    """The log of an import."""
    every = tuple(dict.fromkeys(findings))
    wrong = tuple(str(one) for one in every if isinstance(one, Disagreement))
    told = PassRecord(IMPORTED, seconds, (summary, *(one for one in every if not isinstance(one, Disagreement))))
    return (told, PassRecord(FILES, 0.0, wrong)) if wrong else (told,)


def disagreements(whole: Compilation) -> tuple[str, ...]:
    """What disagrees in the files that a compilation was read from; nothing for a plan of ours."""
    records = whole.log if whole.imported else ()
    return next((record.decided for record in records if record.spec == FILES), ())


def remarks(whole: Compilation) -> tuple[str, ...]:
    """What was found in the files besides, one sentence each; nothing for a plan of ours."""
    return whole.log[0].decided[1:] if whole.imported and whole.log else ()


def files_verdicts(whole: Compilation) -> tuple[Verdict, ...]:
    """The verdict on the files of an imported plan; none for a plan of ours."""
    wrong = disagreements(whole)
    return (Verdict(FILES, not wrong, wrong),) if whole.imported else ()
