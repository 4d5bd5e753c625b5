"""Report, last part: the words that a report uses, for people who do not know the device.

Owns the section.  Refuses meanings of its own: the glossary has them.
"""

from __future__ import annotations

from compiler.report.document import Section, Terms
from spyre_studio.glossary import hints_in


def glossary(words: str) -> Section:
    """The terms of the glossary that occur in a report, from A to Z."""
    found = sorted((line.partition(": ") for line in hints_in(words).splitlines()), key=lambda part: part[0].casefold())
    return Section("glossary", "Words", (Terms(tuple((word, meaning) for word, _, meaning in found)),))
