"""Plain: text that comes from anywhere, made safe to stand in a page or on a terminal.

Owns the escaping.  Refuses to trust a name because it is one: models come from strangers.
"""

from __future__ import annotations

import html
import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\u202a-\u202e\u2066-\u2069]")
"""What neither a page nor a terminal should get from a name: controls, halves of pairs, and changes of direction."""


def clean(text: str) -> str:
    """The text without what is no text.

    >>> clean("a\\x1b[31mb")
    'a\ufffd[31mb'
    """
    return _CONTROL.sub("\ufffd", text)


def escaped(text: str) -> str:
    """The text as it stands in a page, in an element or in an attribute.

    >>> escaped('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(clean(text), quote=True)
