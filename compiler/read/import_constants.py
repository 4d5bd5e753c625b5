"""Imported constants: tensors of one element whose name says their value, as our own op specifications write them.

Owns the reading of such names.  Refuses formulas of several elements: these stay inputs that the host fills.
"""

from __future__ import annotations

import math
import re
from typing import Final

from compiler.formats.opspec import Room, TensorArg
from compiler.read.import_flow import Tensor

_NUMBER: Final = re.compile(r"-?(?:\d{1,40}(?:\.\d{1,40})?(?:e[+-]?\d{1,4})?|inf)|nan|True|False")


def constant_of(tensor: Tensor, arg: TensorArg) -> float | int | bool | None:
    """The value of a tensor that is a constant, None if it is none."""
    if not tensor.given or tensor.place.room is not Room.HBM or math.prod(arg.device_size[:-1]) != 1:
        return None
    if any(each.terms for each in arg.coordinates):
        return None
    _, sign, text = tensor.name.rpartition("#")
    if not sign or not _NUMBER.fullmatch(text):
        return None
    if text in ("True", "False"):
        return text == "True"
    return int(text) if text.lstrip("-").isdecimal() else float(text)
