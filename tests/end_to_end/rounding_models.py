"""Models that are right and whose results differ from PyTorch's by rounding: few elements, long chains, differences of
large terms, close decisions, and sums of what shares an error.

Owns the table MODELS, by name a module and shapes of its inputs, and `random_expression`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

Shape = tuple[int, ...]
HALF = torch.float16


class Function(nn.Module):
    """A module around a function of tensors."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> object:
        return self.function(*inputs)


def centred(x: Tensor) -> Tensor:
    """A row minus its mean."""
    return x - x.mean(-1, keepdim=True)


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """With values far from 0, so that the weights' common factor counts."""
    return functional.scaled_dot_product_attention(q * 2, k * 2 + 1, v + 3)


def rotated(x: Tensor, angle: Tensor) -> Tensor:
    """Pairs of values turned by an angle."""
    turned = torch.cat([-x[..., 64:], x[..., :64]], -1)
    return x * angle.cos() + turned * angle.sin()


FUNCTIONS: dict[str, tuple[Callable[..., object], tuple[Shape, ...]]] = {
    "mean of six": (lambda x: x.mean(), ((2, 3),)),
    "mean of seventy": (lambda x: x.mean(), ((7, 10),)),
    "spread": (lambda x: (x.std(), x.var(0), x.mean(-1)), ((7, 70),)),
    "residual": (lambda a, b, c: a + (b @ c * 0.1), ((128, 70), (128, 128), (128, 70))),
    "long residual": (lambda a, b, c: a + b @ c / 16, ((128, 512), (128, 256), (256, 512))),
    "products of columns": (lambda x: x.prod(0), ((10, 70),)),
    "long products": (lambda x: (1 + x / 16).prod(0), ((300, 70),)),
    "nothing left": (lambda a, b: a @ b - a.flip(-1) @ b.flip(0), ((70, 128), (128, 70))),
    "centred sum": (lambda x: centred(x + 10).sum(-1), ((50, 70),)),
    "mean of a norm": (lambda x: functional.layer_norm(x * 3 + 20, (70,)).mean(-1), ((50, 70),)),
    "sum of shares": (lambda x: x.softmax(-1).sum(-1), ((50, 70),)),
    "large logits": (lambda x: (x * 5).softmax(-1), ((50, 70),)),
    "log of shares": (lambda x: (x * 5).log_softmax(0), ((50, 70),)),
    "difference of squares": (lambda x: ((x + 3) ** 2).mean(-1) - (x + 3).mean(-1) ** 2, ((9, 128),)),
    "divergence": (lambda x: (x.softmax(-1) * (x.log_softmax(-1) - (x * 1.01).log_softmax(-1))).sum(-1), ((9, 128),)),
    "near a pole": (lambda x, w: 1 / (x @ w + 0.01), ((9, 100), (100, 70))),
    "close comparison": (lambda x: x.sin() * x.cos() > 0.25, ((130, 70),)),
    "close choice": (lambda x: torch.where(x.sin() > 0.3, x.exp(), x), ((130, 70),)),
    "whole part": (lambda x: ((x.exp() * 4).floor(), (x.exp() * 4).long()), ((130, 70),)),
    "rest": (lambda x: torch.remainder(x.exp() * 4, 1.5), ((130, 70),)),
    "place of the largest": (lambda x: (x.tanh() * 8).argmax(-1), ((130, 70),)),
    "row of the largest": (lambda x: x.gather(1, x.sin().argmax(-1, keepdim=True)), ((130, 70),)),
    "largest few": (lambda x: (x.sin() * 3).topk(4, -1), ((130, 70),)),
    "sorted": (lambda x: x.exp().sort(-1), ((130, 70),)),
    "running sums": (lambda x: (x.exp().cumsum(-1), x.cumsum(0)), ((130, 70),)),
    "functions": (lambda x: (functional.mish(x), functional.softplus(x), functional.hardswish(x)), ((130, 70),)),
    "unit rows": (lambda x, w: functional.normalize(x, dim=-1) @ functional.normalize(w, dim=-1).mT, ((9, 128),) * 2),
    "attention": (attention, ((2, 3, 20, 64),) * 3),
    "mean of attention": (lambda q, v: ((q * 4).softmax(-1) @ (v + 5)).mean(-1), ((20, 64), (64, 70))),
    "rotation": (rotated, ((2, 5, 128), (5, 128))),
    "loss": (lambda x: functional.cross_entropy(x, torch.arange(9)), ((9, 128),)),
}


def layers(width: int) -> nn.Module:
    """Six layers, a norm before each."""
    parts = [part for _ in range(6) for part in (nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())]
    return nn.Sequential(*parts)


def encoder() -> nn.Module:
    """A layer of an encoder."""
    return nn.TransformerEncoderLayer(128, 2, 256, batch_first=True, dropout=0.0)


BUILT: dict[str, tuple[Callable[[], nn.Module], tuple[Shape, ...]]] = {
    "layers": (lambda: layers(128), ((5, 128),)),
    "encoder": (encoder, ((2, 30, 128),)),
    "transposed convolution": (lambda: nn.ConvTranspose2d(6, 4, 3, stride=2), ((2, 6, 9, 11),)),
    "up and down": (
        lambda: nn.Sequential(nn.ConvTranspose2d(6, 4, 3, stride=2), nn.Conv2d(4, 64, 3)),
        ((2, 6, 9, 11),),
    ),
    "groups": (lambda: nn.GroupNorm(5, 70), ((2, 70, 9),)),
}
NAMES = (*FUNCTIONS, *BUILT)


def noise(shape: Shape, seed: int) -> Tensor:
    """Normal values, the same in each run."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def model(name: str, dtype: torch.dtype) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """A model of the table and its inputs."""
    if name in FUNCTIONS:
        function, shapes = FUNCTIONS[name]
        module: nn.Module = Function(function)
    else:
        torch.manual_seed(3)
        build, shapes = BUILT[name]
        module = build().to(dtype)
    return module.eval(), tuple(noise(shape, place).to(dtype) for place, shape in enumerate(shapes))


# Random expressions

Term = Callable[[list[Tensor]], Tensor]
EXTENTS = (2, 5, 64, 70, 128)


def random_expression(seed: int) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """A function of up to eight tensors, made of sums, products, quotients, norms and reductions, and its inputs."""
    rng = random.Random(seed)
    shapes: list[Shape] = []
    while not 0 < len(shapes) < 9 or sum(map(math.prod, shapes)) > 100_000:
        shapes.clear()
        term = _term(rng, rng.randint(2, 4), tuple(rng.choice(EXTENTS) for _ in range(rng.choice((1, 2, 2)))), shapes)
    dtype = rng.choice((HALF, HALF, torch.bfloat16, torch.float32))
    inputs = tuple(
        (noise(shape, place) * rng.choice((1, 1, 3)) + rng.choice((0, 0, 5))).to(dtype)
        for place, shape in enumerate(shapes)
    )
    return Function(lambda *tensors: term(list(tensors))).eval(), inputs


def _term(rng: random.Random, depth: int, shape: Shape, shapes: list[Shape]) -> Term:
    if depth == 0 or rng.random() < 0.1:
        shapes.append(shape)
        place = len(shapes) - 1
        return lambda tensors: tensors[place]
    if rng.random() < 0.4:
        return _pair(rng, depth, shape, shapes)
    if rng.random() < 0.3 and len(shape) < 3:
        dim = rng.randrange(len(shape) + 1)
        inner = _term(rng, depth - 1, (*shape[:dim], rng.choice((3, 64, 70)), *shape[dim:]), shapes)
        fold = rng.choice((torch.amax, torch.mean, torch.sum, torch.std, torch.logsumexp))
        return lambda tensors: fold(inner(tensors), dim)
    inner, function = _term(rng, depth - 1, shape, shapes), rng.choice(_OF_ONE)
    return lambda tensors: function(inner(tensors))


def _pair(rng: random.Random, depth: int, shape: Shape, shapes: list[Shape]) -> Term:
    if len(shape) > 1 and rng.random() < 0.3:
        between = rng.choice(EXTENTS)
        left = _term(rng, depth - 1, (*shape[:-1], between), shapes)
        right = _term(rng, depth - 1, (*shape[:-2], between, shape[-1]), shapes)
        return lambda tensors: left(tensors) @ right(tensors) * 0.1
    left, right = (_term(rng, depth - 1, shape, shapes) for _ in range(2))
    function = rng.choice(_OF_TWO)
    return lambda tensors: function(left(tensors), right(tensors))


_OF_ONE: tuple[Callable[[Tensor], Tensor], ...] = (
    *(torch.sin, torch.tanh, torch.sigmoid, torch.relu, torch.abs, torch.erf, functional.gelu, centred),
    lambda x: x.softmax(-1),
    lambda x: x.cumsum(0),
    lambda x: functional.layer_norm(x, x.shape[-1:]),
    lambda x: x / (x.abs().amax() + 1),
    lambda x: x * 0.3 - 2,
    lambda x: x * x.mean() + x.amax(),
)
_OF_TWO: tuple[Callable[[Tensor, Tensor], Tensor], ...] = (
    torch.add,
    torch.mul,
    lambda x, y: x - y * 0.9,
    lambda x, y: x / (y.abs() + 0.1),
    lambda x, y: torch.where(x > y, x, y * 2),
)
