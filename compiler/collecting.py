"""Collecting: a pause of Python's search for cyclic garbage while very many values are made.

Owns when it is worth it: values of the compiler are frozen and hold no cycles, and each search goes through all that
there are, which takes as long as making them.  Refuses to leave it off: it goes on when the work has ended.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Nobody looks for cyclic garbage meanwhile, unless somebody else turns that on."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
