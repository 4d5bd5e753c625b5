"""Expressions whose least cost is published (facts 8.2), as a file of PyTorch factories.

Owns the expressions and the text of the file.  Refuses to judge: the tests hold what is restickified against `count`
and `elements`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

Shapes = dict[str, tuple[int, ...]]

S = 128
NUMEL = S * S
HYPER_NUMEL = 64**4

HEAD = '''"""Expressions with transposes, for which the compiler has to choose who is restickified."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class Expression(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Callable[..., Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.function(*inputs)


def example(function: Callable[..., Tensor], *shapes: tuple[int, ...]) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The module and float16 inputs."""
    torch.manual_seed(0)
    return Expression(function).eval(), tuple(torch.randn(*shape, dtype=torch.float16) for shape in shapes)
'''


@dataclass(frozen=True, slots=True)
class Factory:
    """One factory: its name, inputs by name, lines of Python of which the last one is the result, what it costs."""

    name: str
    inputs: tuple[tuple[str, tuple[int, ...]], ...]
    lines: tuple[str, ...]
    count: int
    elements: int

    @property
    def text(self) -> str:
        """The factory as Python."""
        names = ", ".join(f"{name}: Tensor" for name, _ in self.inputs)
        shapes = ", ".join(f"({', '.join(map(str, shape))},)" for _, shape in self.inputs)
        *before, result = self.lines
        body = "".join(f"        {line}\n" for line in (*before, f"return {result}"))
        return (
            f"\n\ndef {self.name}() -> tuple[nn.Module, tuple[Tensor, ...]]:\n"
            f"    def forward({names}) -> Tensor:\n{body}\n"
            f"    return example(forward, {shapes})\n"
        )


def squares(name: str, names: str, expression: str, count: int) -> Factory:
    """A factory on squares, whose cost is `count` of them; earlier lines of the expression end in a semicolon."""
    lines = tuple(line.strip() for line in expression.split(";"))
    return Factory(name, tuple((one, (S, S)) for one in names), lines, count, count * NUMEL)


def shaped(name: str, inputs: Shapes, expression: str, *moved: int) -> Factory:
    """A factory on inputs of given shapes that restickifies tensors of so many elements."""
    lines = tuple(line.strip() for line in expression.split(";"))
    return Factory(name, tuple(inputs.items()), lines, len(moved), sum(moved))


def hypercubes(name: str, names: str, expression: str) -> Factory:
    """A factory on 4-D tensors that restickifies one of them."""
    return shaped(name, dict.fromkeys(names, (64, 64, 64, 64)), expression, HYPER_NUMEL)


ROWS: tuple[Factory, ...] = (
    *(
        shaped(f"r1_{rows}_{columns}", {"a": (rows, columns), "x": (columns, rows)}, "a.t() + x", rows * columns)
        for rows, columns in ((256, 128), (128, 256), (128, 128), (64, 128), (128, 64))
    ),
    shaped("r1_turned", {"a": (256, 128), "x": (128, 256)}, "x + a.t()", 256 * 128),
    squares("r2_first", "abx", "a.t() + b.t() + x", 1),
    squares("r2_second", "abx", "a.t() + x + b.t()", 1),
    squares("r2_third", "abx", "x + a.t() + b.t()", 1),
    squares("r3", "axy", "a.t() + x + y", 1),
    squares("r4", "abxy", "a.t() + b.t() + x + y", 1),
    squares("r5_first", "abxy", "a.t() + x + b.t() + y", 2),
    squares("r5_second", "abxy", "x + a.t() + y + b.t()", 2),
    squares("r5_third", "abxy", "a.t() + x + y + b.t()", 2),
    squares("r6_first", "axyz", "a.t() + x + y + z", 1),
    squares("r6_second", "axyz", "x + a.t() + y + z", 1),
    squares("r6_third", "axyz", "x + y + a.t() + z", 1),
    squares("r6_fourth", "axyz", "x + y + z + a.t()", 1),
    shaped("r7", {"x": (128, 256), "y": (256, 64)}, "x @ y"),
    shaped("r8", {"x": (128, 256), "y": (128, 256)}, "x.t() @ y", 128 * 256),
    shaped("r9", {"x": (128, 256), "y": (128, 256)}, "x @ y.t()", 128 * 256),
    shaped("r10", {"x": (128, 256), "y": (64, 128)}, "x.t() @ y.t()", 128 * 256, 64 * 128),
    squares("r11", "abcdef", "((a + b) + (c.t() + d)) + (e + f)", 1),
    squares("r12", "abcde", "(a + b.t() + c.t() + d.t()) @ e", 2),
    squares("r13", "abc", "a @ (b + c.t())", 1),
    squares("r15", "abc", "a.t() @ (b + c.t())", 2),
    squares("r16_one", "abc", "(a @ b) + c.t()", 1),
    squares("r16_two", "abcd", "(a @ b) + c.t() + d.t()", 1),
    squares("r17", "abc", "(a @ b) @ c", 0),
    squares("r20", "ab", "u = a + b.t(); u + u", 1),
    shaped("r21", {"a": (64, 128), "b": (64, 192)}, "a.t() @ b", 64 * 128),
    shaped("r22", {"a": (S, S), "b": (S, S), "c": (S,)}, "(a + b.t()).sum(0) + c", NUMEL),
    squares("r23", "abc", "(a.t() + b).t() + c", 1),
    squares("r24_sum", "abcd", "(a.t() @ b) + (c @ d.t())", 2),
    squares("r24_product", "abcd", "(a + b.t()) @ (c + d.t())", 2),
    hypercubes("r25", "abcd", "a.transpose(0, 3) + b + c + d"),
    hypercubes("r27", "abcd", "a.transpose(0, 3) + b.transpose(0, 3) + c.transpose(0, 3) + d"),
    hypercubes("r28", "abc", "(a.transpose(2, 3) + b).transpose(2, 3) + c"),
    shaped(
        "r28_small",
        {"a": (2, 3, 128, 64), "b": (2, 3, 64, 128), "c": (2, 3, 128, 64)},
        "(a.transpose(2, 3) + b).transpose(2, 3) + c",
        2 * 3 * 64 * 128,
    ),
    squares("r29_sum", "xy", "torch.ones_like(x) + x.t() + y", 1),
    squares("r29_product", "y", "torch.ones_like(y) @ y", 0),
    squares("r30", "ax", "z = torch.zeros_like(a); (z + a) + (z + x.t())", 1),
    squares("r31", "xy", "x.cumsum(0) + y.t()", 1),
    shaped(
        "r32",
        {"t": (1, 32, 128, 256)},
        'none = torch.full((1, 32, 128, 256), float("-inf"), dtype=torch.float16);'
        "torch.maximum(none.amax(-1), t.amax(-1))",
    ),
    squares("r34", "ab", "a.amin(-1) + b", 1),
    squares("r34_stick_on_dim_0", "ab", "a.amin(-1) + b.t()", 0),
    shaped("r36_matrix", {"a": (S,), "b": (S, S)}, "a + b"),
    shaped("r36_cube", {"a": (S,), "b": (S, S, S)}, "a + b"),
    shaped("r37", {"a": (S,), "b": (S, S)}, "a.unsqueeze(-1) + b", NUMEL),
    shaped("r37_stick_on_dim_0", {"a": (S,), "b": (S, S)}, "a.unsqueeze(-1) + b.t()"),
    shaped("r38", {"v": (64, 64)}, "torch.exp(v.unsqueeze(-1) - v.unsqueeze(-2))", 64 * 64),
    shaped(
        "r38_expanded",
        {"v": (64, 64)},
        "torch.exp(v.unsqueeze(-1).expand(64, 64, 64) - v.unsqueeze(-2).expand(64, 64, 64))",
        64 * 64,
    ),
    squares("r39", "abcdef", "(a.t() + b) + (c.t() + d) + (e.t() + f)", 3),
)

REFUSED: tuple[Factory, ...] = (
    shaped("r33", {"a": (S, S, S), "b": (S, S)}, "a.amin(-1) + b"),
    shaped("r33_stick_on_dim_0", {"a": (S, S, S), "b": (S, S)}, "a.amin(-1) + b.t()"),
)


def write_factories(folder: Path) -> Path:
    """The file with all of them."""
    path = folder / "expressions.py"
    path.write_text(HEAD + "".join(factory.text for factory in (*ROWS, *REFUSED)), encoding="utf-8")
    return path


def write_pins(folder: Path, **layout: int) -> Path:
    """A pins file with stick dims."""
    path = folder / "pins.json"
    path.write_text(json.dumps({"version": 1, "layout": layout}), encoding="utf-8")
    return path
