"""Names of ops and loops: short, meaningful and the same in every capture.

Owns the rules `module.call/step`, `.2` for the second of the same base, and loop letters by kind of op.  Refuses
counters of a run: a name depends on the model alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from compiler.frontend.nests import CONV, MATMUL
from compiler.frontend.origin import module_of

_SHORT = {
    "scaled_dot_product_attention": "sdpa",
    "_scaled_dot_product_flash_attention_for_cpu": "sdpa",
    "convert_element_type": "cast",
    "_to_copy": "cast",
    "to": "cast",
    "amax": "max",
    "amin": "min",
    "constant_pad_nd": "pad",
    "window_max": "max",
    "window_sum": "sum",
    "convolution": "conv",
    "conv1d": "conv",
    "conv2d": "conv",
    "conv3d": "conv",
    "_unsafe_view": "view",
    "_unsafe_index": "index",
    "_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "mm": "matmul",
    "bmm": "matmul",
    "__and__": "bitwise_and",
    "__or__": "bitwise_or",
}
_LETTERS = "ijklmnopqrstuvwxyz"


class Names:
    """Hands out unique names: `base`, `base.2`, `base.3` in order of asking."""

    def __init__(self, taken: Sequence[str] = ()) -> None:
        self._count: dict[str, int] = {}
        self._taken = set(taken)

    def unique(self, base: str) -> str:
        """`base` with the first free suffix."""
        while True:
            self._count[base] = self._count.get(base, 0) + 1
            name = base if self._count[base] == 1 else f"{base}.{self._count[base]}"
            if name not in self._taken:
                self._taken.add(name)
                return name


def short_name(target: object) -> str:
    """What people call an ATen overload: `aten.softmax.int` -> softmax, `aten.add_.Tensor` -> add."""
    name = target._schema.name.split("::")[-1] if isinstance(target, torch._ops.OpOverload) else str(target)
    if name not in _SHORT and name.endswith("_") and not name.endswith("__"):
        name = name[:-1]
    return _SHORT.get(name, name)


def op_name(node: torch.fx.Node, call: str, step: str) -> str:
    """`module.call/step`; the step is left out where it says the same as the call."""
    module = module_of(node)
    leaf = call if step == call else f"{call}/{step}"
    return f"{module}.{leaf}" if module else leaf


def loop_names(kind: str, output: Sequence[int], reduced: Sequence[int]) -> tuple[list[str], list[str]]:
    """Names of output and reduction loops; a loop of extent 1 gets '' (it is dropped).

    >>> loop_names("sum", [512, 1], [1024])
    (['i', ''], ['j'])
    >>> loop_names("spyre_matmul", [1, 8, 7, 64], [32])
    (['', 'b', 'm', 'n'], ['k'])
    """
    if kind == MATMUL:
        batch = _numbered("b", output[:-2])
        tail = [letter if size != 1 else "" for letter, size in zip("mn", output[-2:], strict=True)]
        return [*batch, *tail], ["k" if size != 1 else "" for size in reduced]
    if kind == CONV:
        taps = len(reduced) - 1
        space = list("zyx")[3 - taps :]
        lead = ["n", "o"] if len(output) == 2 + taps else ["n", "g", "o"]
        return _present([*lead, *space], output), _present(["c", *(f"k{axis}" for axis in space)], reduced)
    letters = iter(_LETTERS)
    named = [next(letters) if size != 1 else "" for size in (*output, *reduced)]
    return named[: len(output)], named[len(output) :]


def _present(names: Sequence[str], sizes: Sequence[int]) -> list[str]:
    return [name if size != 1 else "" for name, size in zip(names, sizes, strict=True)]


def _numbered(letter: str, sizes: Sequence[int]) -> list[str]:
    """`b` for a single loop, `b0 b1 ..` for several."""
    many = sum(size != 1 for size in sizes) > 1
    names: list[str] = []
    for size in sizes:
        names.append("" if size == 1 else f"{letter}{sum(map(bool, names))}" if many else letter)
    return names
