"""What a format has no words for."""

from __future__ import annotations


class UnsaidError(Exception):
    """An op or a tensor that the format at hand cannot express; the message says what it is about it."""
