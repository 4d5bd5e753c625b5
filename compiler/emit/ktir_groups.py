"""Groups of cores in KTIR, and what they make of their parts.

Owns the sets that name groups, partial results as one on each core of a group, and barriers.  Refuses to know why cores
share work.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.emit.ktir_body import Logical
from compiler.emit.ktir_text import Lines


@dataclass(frozen=True, slots=True)
class Groups:
    """Cores in groups of `count`, whose numbers are `inner` apart; the last group of all may have fewer."""

    inner: int
    count: int
    cores: int

    @property
    def members(self) -> str:
        """The cores i of group g."""
        if self.inner == 1:
            return f"affine_set<(i)[g] : (i - {self.count}*g >= 0, -i + {self.count}*g + {self.count - 1} >= 0)>"
        whole = self.inner * self.count
        same = f"i mod {self.inner} - g mod {self.inner} == 0"
        return f"affine_set<(i)[g] : ({same}, i floordiv {whole} - g floordiv {self.inner} == 0)>"

    @property
    def domain(self) -> str:
        """All groups."""
        last = -(-self.cores // (self.inner * self.count)) * self.inner - 1
        return f"affine_set<(g) : (g >= 0, -g + {last} >= 0)>"


def barrier(out: Lines, cores: int) -> None:
    """All cores wait for each other: a reduction over one number."""
    one = out.constant(0.0, "f32")
    part = out.value(f"tensor.splat {one} : tensor<1xf32>")
    reduced(out, Logical(part, ("",), (1,), "f32"), Groups(1, cores, cores), "arith.addf", 0.0)


def reduced(out: Lines, value: Logical, groups: Groups, word: str, start: float) -> Logical:
    """The values of a group's cores joined by the operation `word`, of which `start` changes nothing; all get it."""
    members, domain = groups.members, groups.domain
    future = f"!ktdp.tile_future<{value.type}, groups = {domain}>"
    sent = out.fresh()
    out.add(f"{sent} = ktdp.inter_tile_produce producer_tiles_per_group = {members} : {value.type} -> {future}")
    out.open("{")
    out.add("^bb0(%gid: index):")
    out.add(f"ktdp.yield_partial {value.name} : {value.type}")
    out.close()
    number = out.constant(start, "f32")
    neutral = out.value(f"tensor.splat {number} : {value.type}")
    got = out.fresh()
    out.add(
        f"{got} = ktdp.inter_tile_reduce({sent}) consumer_tiles_per_group = {members}, "
        f"identity({neutral} : {value.type}) : {future} -> {value.type}"
    )
    out.open("{")
    out.add(f"^bb0(%lhs: {value.type}, %rhs: {value.type}):")
    both = out.value(f"{word} %lhs, %rhs : {value.type}")
    out.add(f"ktdp.yield_reduced {both} : {value.type}")
    out.close()
    return Logical(got, value.symbols, value.shape, value.element)
