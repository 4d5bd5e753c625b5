"""Legend token: the names of the colours that a legend, and the words about a run, speak of.

Owns the list.  Refuses colours and Qt: the theme says what each looks like.
"""

from __future__ import annotations

from typing import Literal

Token = Literal["matmul", "reduction", "pointwise", "move", "lx", "hbm", "mute", "accent", "bad", "warn", "ok"]
