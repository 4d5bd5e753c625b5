"""Import words: what a person is told of a plan that was read from files of others.

Owns one sentence about what was found in the files beside the plan.  Refuses to find anything: the readers did, and put
it into the plan's log.
"""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.import_log import disagreements, remarks
from spyre_studio.units import format_count


def told(compilation: Compilation) -> tuple[str, ...]:
    """What was found in the files that a compilation was read from, what disagrees first; none for a plan of ours."""
    return (*disagreements(compilation), *remarks(compilation))


def import_words(compilation: Compilation) -> str:
    """Example: 'Read from files of others: no wrapper is there (and 2 more remarks).'; '' if nothing was found."""
    found = told(compilation)
    if not found:
        return ""
    more = f" (and {format_count(len(found) - 1, 'more remark')})" if found[1:] else ""
    files = "files of others, which disagree" if disagreements(compilation) else "files of others"
    return f"Read from {files}: {found[0]}{more}."
