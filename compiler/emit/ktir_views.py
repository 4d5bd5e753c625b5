"""Views of memory in KTIR, and tiles of them.

Owns their text and both spellings of memory spaces.  Refuses to decide what lies where.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from compiler.emit.ktir_text import Lines, box_set, memref_type, same_order, tile_type


class Spelling(StrEnum):
    """How memory spaces are written: as interpreter and scheduler read them now, or as the proposal has them."""

    NEW = "new"
    OLD = "old"


class Views:
    """Writes views into the lines of a function."""

    def __init__(self, out: Lines, spelling: Spelling) -> None:
        self.out, self.spelling = out, spelling

    def memory(
        self, base: str, sizes: Sequence[int], element: str, space: str, starts: Sequence[int] | None = None
    ) -> str:
        """The name of a dense view of these sizes from element `base`; `starts`: its place in a larger one."""
        strides, step = list[int](), 1
        for size in reversed(sizes):
            strides.insert(0, step)
            step *= size
        where = f"{{coordinate_set = {box_set(sizes, starts)}, memory_space = {space}}}"
        kind = memref_type(sizes, element)
        return self.out.value(
            f"ktdp.construct_memory_view {base}, sizes: {list(sizes)}, strides: {strides} {where} : {kind}"
        )

    def tile(self, view: str, whole: Sequence[int], sizes: Sequence[int], starts: Sequence[str], element: str) -> str:
        """The name of a tile of a view, whose sizes are `whole`."""
        shape = f"{{access_tile_set = {box_set(sizes)}, access_tile_order = {same_order(len(sizes))}}}"
        kinds = f"{memref_type(whole, element)} -> {tile_type(sizes)}"
        return self.out.value(f"ktdp.construct_access_tile {view}[{', '.join(starts)}] {shape} : {kinds}")

    def shared(self) -> str:
        """The space of device memory."""
        return "#ktdp.memory_space<global>" if self.spelling is Spelling.NEW else "#ktdp.spyre_memory_space<HBM>"

    def local(self, core: int | None = None) -> str:
        """The space of the scratchpad of this core, or of the one with a number."""
        new = self.spelling is Spelling.NEW
        kind, word = ("memory_space<ct_local", "ct_id") if new else ("spyre_memory_space<LX", "core")
        return f"#ktdp.{kind}>" if core is None else f"#ktdp.{kind}, {word} = {core}>"
