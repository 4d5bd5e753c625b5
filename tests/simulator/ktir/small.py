"""Small KTIR programs: two cores, two arrays of eight numbers, and lines that a test adds.

Owns how such a program is written and run.  Refuses to judge what comes out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from compiler.device import load_device
from compiler.read.ktir import read_ktir
from simulator.ktir.machine import DeviceMemory, run
from simulator.ktir.memory import Array

VIEW = (
    "ktdp.construct_memory_view {base}, sizes: [4], strides: [1] {{coordinate_set = affine_set<(d0) : (d0 - {first}"
    " >= 0, -d0 + {last} >= 0)>, memory_space = #ktdp.memory_space<{space}>}} : memref<4xf16>"
)
TILE = (
    "ktdp.construct_access_tile {view}[{at}] {{access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + {last} >= 0)>,"
    " access_tile_order = affine_map<(d0) -> (d0)>}} : memref<{size}xf16> -> !ktdp.access_tile<4xindex>"
)
MEMBERS = "affine_set<(i)[g] : (i - 2*g >= 0, -i + 2*g + 1 >= 0)>"
FUTURE = "!ktdp.tile_future<tensor<4xf16>, groups = affine_set<(g) : (g >= 0, -g >= 0)>>"
BARRIER = f"""
%sent = ktdp.inter_tile_produce producer_tiles_per_group = {MEMBERS} : tensor<4xf16> -> {FUTURE}
{{
  ^bb0(%gid: index):
  ktdp.yield_partial %d : tensor<4xf16>
}}
%sum = ktdp.inter_tile_reduce(%sent) consumer_tiles_per_group = {MEMBERS}, identity(%zero : tensor<4xf16>)
  : {FUTURE} -> tensor<4xf16>
{{
  ^bb0(%lhs: tensor<4xf16>, %rhs: tensor<4xf16>):
  %both = arith.addf %lhs, %rhs : tensor<4xf16>
  ktdp.yield_reduced %both : tensor<4xf16>
}}"""


def view(base: str, space: str, first: int = 0) -> str:
    """A view of 4 elements."""
    return VIEW.format(base=base, space=space, first=first, last=first + 3)


def tile(of: str, at: str = "%c0", size: int = 4) -> str:
    """A tile of 4 elements of a view."""
    return TILE.format(view=of, at=at, last=3, size=size)


def store(value: str, into: str) -> str:
    return f"ktdp.store {value}, {into} : tensor<4xf16>, !ktdp.access_tile<4xindex>"


def load(tile_name: str) -> str:
    return f"ktdp.load {tile_name} : !ktdp.access_tile<4xindex> -> tensor<4xf16>"


def program(lines: Sequence[str], cores: int = 2) -> str:
    """A function of two arrays: %d holds the first four elements of the first on core 0, the next four on core 1."""
    start = [
        "%c0 = arith.constant 0 : index",
        "%c4 = arith.constant 4 : index",
        "%null = arith.constant 0.0 : f16",
        "%zero = tensor.splat %null : tensor<4xf16>",
        "%id = ktdp.get_compute_tile_id : index",
        "%mine = arith.muli %id, %c4 : index",
        "%from = arith.addi %x, %mine : index",
        f"%vx = {view('%from', 'global')}",
        f"%tx = {tile('%vx')}",
        f"%d = {load('%tx')}",
        "%into = arith.addi %y, %mine : index",
        f"%vy = {view('%into', 'global')}",
        f"%ty = {tile('%vy')}",
    ]
    body = "\n".join([*start, *lines])
    return f"func.func @main(%x: index, %y: index) attributes {{grid = [{cores}]}} {{\n{body}\nreturn\n}}\n"


def ran(text: str) -> Array:
    """The second array after a run; the first counts from 0."""
    arrays = {"x": np.arange(8, dtype=np.float16), "y": np.zeros(8, np.float16)}
    memory = DeviceMemory(arrays, frozenset({"x"}))
    return run(read_ktir(text), [("main", ("x", "y"))], memory, load_device("spyre"))["y"]
