"""Wording: cost terms whose formula is told with the numbers of the device.

Owns the text of a formula: `{key}` stands for a number of the device file, so that words and law cannot drift apart and
a reader can look up kind, source and accuracy of each.  Refuses to compute.
"""

from __future__ import annotations

import re
from functools import lru_cache

from compiler.device import Device
from compiler.price import CostTerm

_KEY = re.compile(r"\{(\w+)\}")


def term(device: Device, name: str, microseconds: float, words: str, inputs: str) -> CostTerm:
    """A term; `words` is its formula with `{keys}` of the device file.

    >>> from compiler.device import load_device
    >>> made = term(load_device("spyre"), "memory", 27.96, "bytes / {hbm_one_way_bytes_per_ns}", "bytes=4,194,304")
    >>> made.formula, made.constants
    ('bytes / 150', ('hbm_one_way_bytes_per_ns',))
    """
    formula, keys = _told(device, words)
    return CostTerm(name, microseconds, formula, inputs, keys)


@lru_cache(maxsize=1 << 10)
def _told(device: Device, words: str) -> tuple[str, tuple[str, ...]]:
    keys = tuple(dict.fromkeys(_KEY.findall(words)))
    return words.format_map({key: f"{device.number(key):,.12g}" for key in keys}), keys
