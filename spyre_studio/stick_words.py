"""A stick layout in words: where device dims come from, how the tensor is cut, how it lies in memory, its bytes.

Owns: the phrases of the stick view's header.  Refuses: Qt, and judging layouts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal

from compiler.coordinates import device_dims, outer_dim
from compiler.counts import verb
from compiler.layout import SPARSE, Arrangement, StickLayout
from spyre_studio.stick_model import StickModel
from spyre_studio.units import format_bytes, format_count, format_percent

Kind = Literal["stick", "dim", "unit", "padding"]


@dataclass(frozen=True, slots=True)
class DeviceDim:
    """A device dim: `holds` names the host dim it comes from, or says 'unit' or 'padding'; `part` what of that dim it
    counts ('sticks', 'lanes', or how many zeros fill it up); `stride` is the host stride, '–' for none."""

    size: int
    holds: str
    part: str
    kind: Kind
    stride: str
    hint: str


def device_dim_facts(layout: StickLayout, shape: tuple[int, ...]) -> tuple[DeviceDim, ...]:
    """A row per device dim, outermost first."""
    return tuple(_fact(layout, shape, place) for place in range(len(layout.device_size)))


def _fact(layout: StickLayout, shape: tuple[int, ...], place: int) -> DeviceDim:
    size, step = layout.device_size[place], layout.stride_map[place]
    stride = f"{step:,}" if step >= 0 else "–"
    dim, last = device_dims(layout)[place], len(layout.device_size) - 1
    lanes = layout.elements_per_stick
    if dim == SPARSE:
        if place == last:
            hint = f"A stick has {lanes} lanes; lane 0 holds an element, the others are padding."
            return DeviceDim(size, "padding", "lanes", "padding", stride, hint)
        return DeviceDim(size, "unit", "", "unit", stride, "A dim of size 1 that no dim of the tensor stands behind.")
    if place == last:
        return DeviceDim(size, f"d{dim}", "lanes", "stick", stride, f"{lanes} neighbours of dim {dim} share a stick.")
    if place == outer_dim(layout):
        values = f"{format_count(shape[dim], 'value')} {verb(shape[dim], 'make')}"
        hint = f"Which stick along dim {dim}: its {values} {format_count(size, 'stick')}."
        return DeviceDim(size, f"d{dim}", "sticks", "stick", stride, hint)
    more = size - shape[dim]
    if more > 0:
        hint = (
            f"Dim {dim} of the tensor has {format_count(shape[dim], 'value')} and is filled up with zeros to {size:,}."
        )
        return DeviceDim(size, f"d{dim}", f"+{more:,} zeros", "dim", stride, hint)
    return DeviceDim(size, f"d{dim}", "", "dim", stride, f"Dim {dim} of the tensor, whole.")


def cut_title(layout: StickLayout) -> str:
    """'sticks along dim 1', 'one value per stick'."""
    if layout.sparse:
        return "one value per stick" if layout.dim_order else "a single value"
    return f"sticks along dim {layout.stick_dim}"


def cut_sentences(layout: StickLayout, shape: tuple[int, ...]) -> str:
    """How the tensor is cut, what fills its dims up, and what a cast did to the order."""
    parts = [_cut(layout, shape)]
    for dim, size in layout.padding:
        parts.append(f"Dim {dim} is filled up with zeros from {shape[dim]:,} to {size:,}.")
    if layout.arrangement is Arrangement.F16_TO_F32:
        parts.append("A cast from 16 bits dealt them out by fours to pairs of sticks, a and b.")
    if layout.arrangement is Arrangement.F32_TO_F16:
        half = layout.elements_per_stick // 2
        parts.append(f"A cast from 32 bits wove the halves of each stick, a and b of {half}, together by fours.")
    return " ".join(parts)


def _cut(layout: StickLayout, shape: tuple[int, ...]) -> str:
    lanes = layout.elements_per_stick
    if prod(shape) == 1:
        return f"A single value in lane 0 of one stick; the other {lanes - 1} lanes are padding."
    if layout.sparse:
        return f"Each value is alone in its stick: lane 0 holds it, the other {lanes - 1} lanes are padding."
    dim, size = layout.stick_dim, shape[layout.stick_dim]
    if size == 1:
        return f"Dim {dim}, cut into sticks, has one value: lane 0 of each holds it, the other {lanes - 1} are padding."
    count = layout.device_size[outer_dim(layout)]
    empty = count * lanes - size
    made = f"its {format_count(size, 'value')} make {format_count(count, 'stick')} of {lanes}"
    cut = f"Dim {dim} is cut into sticks: {made}"
    if not empty:
        return f"{cut} lanes."
    of = "the last" if empty < lanes else "the last two"
    return f"{cut} lanes; {format_count(empty, 'lane')} of {of} {'is' if empty == 1 else 'are'} padding."


def memory_sentence(layout: StickLayout) -> str:
    """How the sticks lie one after the other: 'In memory: 4 columns of 1,024 sticks.'"""
    outer, sizes = outer_dim(layout), layout.device_size[:-1]
    columns, blocks = sizes[outer], prod(sizes[:outer])
    tall = prod(sizes[outer + 1 :])
    if layout.sticks == 1:
        return "In memory: one stick."
    if blocks == 1 and (columns == 1 or tall == 1):
        return f"In memory: {format_count(layout.sticks)} sticks, one after the other."
    if tall == 1:
        return f"In memory: {format_count(blocks, 'row')} of {format_count(columns, 'stick')}."
    if blocks == 1 or columns == 1:
        return f"In memory: {format_count(blocks * columns, 'column')} of {format_count(tall, 'stick')}."
    each = f"{format_count(columns, 'column')} of {format_count(tall, 'stick')}"
    return f"In memory: {format_count(blocks, 'block')}, each {each}."


def figures(model: StickModel) -> str:
    """'4,096 sticks · 512 KiB · no padding', 'padding 12 KiB (22 %), 4 KiB zeros'."""
    layout = model.layout
    words = f"{format_count(layout.sticks, 'stick')} · {format_bytes(layout.size_bytes)}"
    wasted, zeros = model.padding_bytes, model.zero_bytes
    if not wasted:
        return f"{words} · no padding"
    share = format_percent(wasted / layout.size_bytes)
    if zeros == wasted:
        return f"{words} · {format_bytes(zeros)} of zeros ({share})"
    return f"{words} · padding {format_bytes(wasted)} ({share})" + (f", {format_bytes(zeros)} zeros" if zeros else "")
