"""Report forms: which form a file's name stands for.

Owns the suffixes.  Refuses to write: nothing that a report is made of is needed to ask for one.
"""

from __future__ import annotations

from typing import Final

from frozendict import frozendict

HTML, TEXT = "html", "text"
SUFFIXES: Final[frozendict[str, str]] = frozendict({".html": HTML, ".htm": HTML, ".txt": TEXT, ".md": TEXT})
"""Forms by the suffix of a file."""


def form_of(path: str, wanted: str = "") -> str:
    """The form that is wanted, or the one that a file's name stands for: text for .txt, else HTML."""
    return wanted or next((form for suffix, form in SUFFIXES.items() if path.lower().endswith(suffix)), HTML)
