"""Small models that once broke compilers of this kind, each a builder of (module, inputs) under the case's name.

Owns the models and what is right for them in words.  Refuses to judge: the numbers come from eager PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, pad, scaled_dot_product_attention

HALF = torch.float16
Case = tuple[nn.Module, tuple[Tensor, ...]]
Build = Callable[[], Case]

CASES: dict[str, Build] = {}


class Function(nn.Module):
    """A module around a function of tensors."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> object:
        return self.function(*inputs)


def case(name: str) -> Callable[[Build], Build]:
    """Enter a builder into CASES."""

    def enter(build: Build) -> Build:
        CASES[name] = build
        return build

    return enter


def of(function: Callable[..., object], *inputs: Tensor) -> Case:
    """A case that is a function of its inputs."""
    return Function(function).eval(), inputs


def steps(*shape: int, dtype: torch.dtype = HALF, size: float = 1 / 64) -> Tensor:
    """Values that rise in exact steps from -250 to 249 times `size`, then start again: no two neighbours agree."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) % 500 - 250) * size).reshape(shape).to(dtype)


def noise(*shape: int, dtype: torch.dtype = HALF) -> Tensor:
    """Normal values, the same in each run."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(11)).to(dtype)


@case("C01")
def one_row_norm() -> Case:
    """RMS norm of one row: the mean square belongs to one core, the product that uses it is spread over all."""

    def norm(x: Tensor, weight: Tensor) -> Tensor:
        wide = x.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return weight * (x * scale.to(x.dtype))

    return of(norm, steps(1, 1, 4096), steps(4096))


def more_rows_than_cores(rows: int) -> Case:
    """float32 mean of each row; the first half of a row is 1, so that every result is exactly 0.5."""
    x = torch.zeros(rows, 768)
    x[:, :384] = 1
    return of(lambda x: x.mean(-1, keepdim=True), x)


@case("C04")
def one_row_more_than_cores() -> Case:
    """33 rows on 32 cores: one core has two."""
    return more_rows_than_cores(33)


@case("C04-31")
def one_row_less_than_cores() -> Case:
    """31 rows on 32 cores."""
    return more_rows_than_cores(31)


@case("C04-32")
def as_many_rows_as_cores() -> Case:
    """32 rows on 32 cores."""
    return more_rows_than_cores(32)


@case("C04-64")
def twice_as_many_rows_as_cores() -> Case:
    """64 rows on 32 cores."""
    return more_rows_than_cores(64)


@cache
def opaque() -> Callable[[Tensor], Tensor]:
    """The custom operator `casebook::opaque`, registered on first use: what it computes is its own business."""

    @torch.library.custom_op("casebook::opaque", mutates_args=())
    def compute(x: Tensor) -> Tensor:
        return torch.relu(x) + 1

    @compute.register_fake
    def _(x: Tensor) -> Tensor:
        return torch.empty_like(x)

    return compute


@case("C05")
def live_across_an_opaque_operator() -> Case:
    """A value made before a custom operator and used after it survives what the operator does with the scratchpad."""

    def around(x: Tensor, weight: Tensor) -> Tensor:
        kept = x * 1.5 + 0.25
        return opaque()(x @ weight) + kept

    return of(around, steps(64, 256), steps(256, 256, size=1 / 512))


CASES["C41"] = live_across_an_opaque_operator  # saved, and opened where casebook::opaque is not registered


@case("C12")
def mean_of_nine() -> Case:
    """Mean over 9 of 64 lanes: divides by 9, and the 55 padding lanes do not count."""
    return of(lambda x: x.mean(-1, keepdim=True), steps(3, 7, 9))


@case("C12-zero")
def mean_of_nine_zeros() -> Case:
    """The same on zeros gives zeros, whatever the padding holds."""
    return of(lambda x: x.mean(-1, keepdim=True), torch.zeros(3, 7, 9, dtype=HALF))


@case("C13")
def linear_of_an_odd_width() -> Case:
    """784 inputs are 12 sticks and a quarter: the contraction is padded with zeros."""
    torch.manual_seed(5)
    return nn.Linear(784, 512, dtype=HALF).eval(), (steps(2, 784),)


@case("C14")
def write_from_the_middle_of_a_stick() -> Case:
    """Padding and joining rows of one and a half sticks write from lane 32."""
    return of(lambda x, y: (pad(x, [0, 32]) + 1, torch.cat([x, y], 1)), steps(1, 96), steps(1, 32))


@case("C15")
def transposed_square() -> Case:
    """100 by 100, transposed: the old and the new stick dimension both need padding; one restickify."""
    return of(lambda x, y: x.t() + y, steps(100, 100), steps(100, 100, size=1 / 16))


@case("C16")
def half_a_stick_after_a_cast() -> Case:
    """A row of 32 float32 is one stick; as float16 it is half of one, which still takes a whole."""
    return of(lambda x: x.to(HALF) + 1, steps(4, 32, dtype=torch.float32))


@case("C18")
def every_second_row() -> Case:
    """Rows 1, 3, 5, 7 of 9, doubled: the first column is 2, 6, 10, 14."""
    x = torch.arange(9, dtype=HALF)[:, None].expand(9, 128).contiguous()
    return of(lambda x: x[1::2] * 2, x)


@case("C21")
def heads_against_a_flat_row() -> Case:
    """12 heads of 64 lanes meet a row of 768."""
    return of(lambda x, y: (x.reshape(1, 768) + y).reshape(1, 12, 64).sum(1), steps(1, 12, 64), steps(1, 768))


@case("C22")
def slice_of_a_padded_tensor() -> Case:
    """All rows but the first of a tensor whose rows end in the middle of a stick."""
    return of(lambda x: x[1:] + x[1:], steps(4, 100))


@case("C24")
def one_element() -> Case:
    """The negative of 3."""
    return of(torch.neg, torch.full((1, 1, 1), 3.0, dtype=HALF))


@case("C27")
def mean_plus_zeros() -> Case:
    """A reduced value, a constant fill and an operand in one sum, over two sticks."""
    return of(
        lambda x, y: x.mean(-1, keepdim=True) + torch.zeros_like(x) + y, steps(1, 2, 128), steps(1, 2, 128, size=1 / 32)
    )


@case("C28")
def contraction_of_length_one() -> Case:
    """A matrix product that adds nothing up."""
    return of(torch.matmul, steps(1, 32, 1), steps(1, 1, 11))


@case("C29")
def batches_on_either_side() -> Case:
    """A batch of matrices times one matrix, and one matrix times a batch."""
    return of(
        lambda x, weight, batch: (x @ weight, weight @ batch),
        steps(1, 256, 128),
        steps(128, 128, size=1 / 256),
        steps(3, 128, 64, size=1 / 128),
    )


@case("C30")
def shared_keys() -> Case:
    """Eight query heads share two heads of keys and values, which are read once per group and not copied."""
    return of(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, enable_gqa=True),
        steps(1, 8, 7, 64),
        steps(1, 2, 7, 64, size=1 / 96),
        steps(1, 2, 7, 64, size=1 / 32),
    )


@case("C31")
def long_contraction() -> Case:
    """32768 products in float16: the rounding is large, and a result that is 1 % off is still told from it."""
    return of(torch.matmul, noise(1, 32768), noise(32768, 64))


@case("C32")
def division_by_zero() -> Case:
    """x / 0 is infinite; a comparison used as a number counts 64."""
    return of(
        lambda a, b: (a / b, (a != b).to(HALF) @ torch.ones(64, 64, dtype=HALF)),
        torch.ones(64, 64, dtype=HALF),
        torch.zeros(64, 64, dtype=HALF),
    )


@case("C34")
def rows_of_the_largest() -> Case:
    """The positions of the 16 largest scores choose rows of a table."""
    return of(lambda table, score: table[torch.topk(score.float(), 16).indices], steps(512, 128), noise(512))


@case("C35")
def one_token() -> Case:
    """One row of an embedding table."""
    return of(lambda table, token: embedding(token, table), steps(512, 256), torch.tensor([7]))


@case("C42")
def complex_numbers() -> Case:
    """An element type that the device has no format for: refused by name, `complex64`."""
    return of(lambda x: (x * torch.conj(x)).real, torch.ones(2, 64, dtype=torch.complex64))


@case("twice")
def one_result_twice() -> Case:
    """A tensor that is returned under two names, as models do that hand out their last state."""

    def pair(x: Tensor) -> object:
        y = torch.relu(x)
        return y, y, y + 1

    return of(pair, steps(64, 128))
