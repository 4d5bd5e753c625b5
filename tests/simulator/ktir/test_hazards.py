"""What the interpreter refuses: exports with one thing changed, and small programs that do one thing wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest

from compiler.device import load_device
from compiler.errors import InputError
from compiler.read.ktir import read_ktir
from simulator.ktir import core
from simulator.ktir.machine import DeviceMemory, run
from simulator.ktir.memory import Array, HazardError
from tests.simulator.ktir.exported import MOVED, exported
from tests.simulator.ktir.small import BARRIER, load, program, ran, store, tile, view

BARRIER_LINES = 12

KEPT = (f"%vl = {view('%c4', 'ct_local')}", f"%tl = {tile('%vl')}", store("%d", "%tl"))


# Exports with one thing changed


def without_barrier(text: str, number: int) -> str:
    """The text without one of its barriers."""
    lines = text.splitlines()
    places = [n for n, line in enumerate(lines) if "inter_tile_produce" in line and "tensor<1xf32>" in line]
    del lines[places[number] : places[number] + BARRIER_LINES]
    return "\n".join(lines)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_missing_barrier_is_a_race(number: int) -> None:
    example = exported("mlp", 4)
    with pytest.raises(HazardError, match=r"no barrier between|nobody has written"):
        example.run(without_barrier(example.text, number))


def test_a_relayout_before_all_have_written_is_a_race() -> None:
    example = exported("mismatch", 4, MOVED)
    with pytest.raises(HazardError, match=r"no barrier between|nobody has written"):
        example.run(without_barrier(example.text, 0))


def test_more_of_a_scratchpad_than_there_is() -> None:
    example = exported("mismatch", 4)
    spyre = load_device("spyre")
    highest = max(lx_ends(example.text))
    assert highest < spyre.count("lx_bytes")
    example.run(device=spyre.with_number("lx_bytes", highest))
    with pytest.raises(HazardError, match=rf"reaches byte {highest:,} of a scratchpad of {highest - 128:,}"):
        example.run(device=spyre.with_number("lx_bytes", highest - 128))


def lx_ends(text: str) -> list[int]:
    """Where the views of a text in f16 end in LX, in bytes."""
    bases = dict(re.findall(r"(%c\d+) = arith.constant (\d+) : index", text))
    found = re.findall(r"memory_view (%c\d+), sizes: \[([\d, ]+)\].* memory_space = #ktdp.memory_space<ct_local>", text)
    return [2 * (int(bases[base]) + int(np.prod(list(map(int, sizes.split(", ")))))) for base, sizes in found]


def test_two_tensors_over_the_same_bytes_of_a_scratchpad() -> None:
    example = exported("rmsnorm", 4)
    bases = dict.fromkeys(re.findall(r"memory_view (%c\d+), sizes: [^{]*{[^}]*ct_local", example.text))
    assert len(bases) > 1
    first, *others = bases
    hazards = []
    for other in others:
        with pytest.raises(HazardError) as caught:
            example.run(re.sub(rf"memory_view {other},", f"memory_view {first},", example.text))
        hazards.append(str(caught.value))
    assert all("over the same bytes of LX" in each for each in hazards)


def test_a_tile_beyond_its_view() -> None:
    example = exported("mismatch", 4)
    with pytest.raises(HazardError, match="core 3 reaches beyond its view"):
        example.run(example.text.replace("arith.constant 64 : index", "arith.constant 65 : index"))


def test_tiles_that_lie_on_each_other_leave_a_gap() -> None:
    example = exported("mismatch", 4)
    changed = example.run(example.text.replace("arith.constant 32 : index", "arith.constant 16 : index"))
    with pytest.raises(AssertionError):
        example.judge(changed)


def test_slices_that_lie_on_each_other_are_a_race() -> None:
    example = exported("mismatch", 4)
    with pytest.raises(HazardError, match="core 1: writes what another core writes, with no barrier between"):
        example.run(example.text.replace("arith.constant 64 : index", "arith.constant 63 : index"))


# Small programs


def test_a_core_reads_what_it_kept() -> None:
    text = program([*KEPT, f"%got = {load('%tl')}", store("%got", "%ty")])
    assert ran(text).tolist() == list(range(8))


OTHER = (f"%v0 = {view('%c4', 'ct_local, ct_id = 0')}", f"%t0 = {tile('%v0')}", f"%got = {load('%t0')}")


def test_a_core_reads_what_another_kept_after_a_barrier() -> None:
    assert ran(program([*KEPT, BARRIER, *OTHER, store("%got", "%ty")])).tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_parts_of_a_group_are_added_up() -> None:
    assert ran(program([BARRIER, store("%sum", "%ty")])).tolist() == [4, 6, 8, 10, 4, 6, 8, 10]


JOINED = (
    f"%p0 = {view('%c4', 'ct_local, ct_id = 0')}",
    f"%p1 = {view('%c4', 'ct_local, ct_id = 1', first=4)}",
    "%all = ktdp.construct_distributed_memory_view (%p0, %p1 : memref<4xf16>, memref<4xf16>) : memref<8xf16>",
)


def test_a_distributed_view_reads_from_both_its_parts() -> None:
    lines = ["%c2 = arith.constant 2 : index", *KEPT, BARRIER, *JOINED, f"%t = {tile('%all', '%c2', 8)}"]
    assert ran(program([*lines, f"%got = {load('%t')}", store("%got", "%ty")])).tolist() == [2, 3, 4, 5, 2, 3, 4, 5]


WRONG = {
    "reads what nobody has written": [
        f"%vl = {view('%c4', 'ct_local')}",
        f"%tl = {tile('%vl')}",
        f"%g = {load('%tl')}",
    ],
    "core 1: reads what another core writes, with no barrier between": [*KEPT, *OTHER],
    "core 1 writes into the scratchpad of core 0": [*OTHER[:2], store("%d", "%t0")],
    "there is no core 7": [
        f"%v7 = {view('%c4', 'ct_local, ct_id = 7')}",
        f"%t7 = {tile('%v7')}",
        f"%g = {load('%t7')}",
    ],
    "its base is not in the memory that it names": [f"%v = {view('%x', 'ct_local')}"],
    "it writes into a distributed view": [*JOINED, f"%t = {tile('%all', '%c0', 8)}", store("%d", "%t")],
    "reads 4 elements that no part has": [
        *KEPT,
        BARRIER,
        f"%p1 = {view('%c4', 'ct_local, ct_id = 1', first=4)}",
        "%all = ktdp.construct_distributed_memory_view (%p1 : memref<4xf16>) : memref<8xf16>",
        f"%t = {tile('%all', '%c0', 8)}",
        f"%g = {load('%t')}",
    ],
    "core 0: waits for cores that never come": [
        "%first = arith.cmpi eq, %id, %c0 : index",
        "scf.if %first {",
        BARRIER,
        "}",
    ],
    "reaches beyond the memory it was given": [
        "%far = arith.addi %from, %c4 : index",
        "%v = " + view("%far", "global"),
        f"%t = {tile('%v')}",
        f"%g = {load('%t')}",
    ],
    "its step is not above 0": ["scf.for %n = %c0 to %c4 step %c0 {", "}"],
    "the tensors of core 0 take 8,000,016 bytes": ["%big = tensor.splat %null : tensor<4000000xf16>"],
    "only sums of an argument and a number are addresses": ["%p = arith.muli %x, %c4 : index"],
    "it takes an address for a number": ["scf.for %n = %c0 to %x step %c4 {", "}"],
}


@pytest.mark.parametrize("why", WRONG)
def test_a_program_that_does_one_thing_wrong(why: str) -> None:
    with pytest.raises(HazardError, match=re.escape(why)):
        ran(program(WRONG[why]))


def test_a_program_that_goes_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "MOST_OPERATIONS", 1000)
    lines = ["%c1 = arith.constant 1 : index", "%many = arith.constant 2000 : index"]
    lines += ["scf.for %n = %c0 to %many step %c1 {", "%more = arith.addi %n, %n : index", "}"]
    with pytest.raises(HazardError, match="core 0 does more than 1,000 operations"):
        ran(program(lines))


def test_two_element_types_over_the_same_bytes() -> None:
    wide = [
        "%c2 = arith.constant 2 : index",
        "%w = arith.extf %d : tensor<4xf16> to tensor<4xf32>",
        f"%vw = {view('%c2', 'ct_local')}".replace("xf16", "xf32"),
        f"%tw = {tile('%vw')}".replace("xf16", "xf32"),
        store("%w", "%tw").replace("xf16", "xf32"),
    ]
    with pytest.raises(HazardError, match="over the same bytes of LX"):
        ran(program([*KEPT, *wide, f"%got = {load('%tl')}"]))


# Calls that do not fit


def call(name: str = "main", buffers: tuple[str, ...] = ("x", "y"), cores: int = 2, kind: type = np.float16) -> None:
    arrays: dict[str, Array] = {"x": np.zeros(8, kind), "y": np.zeros(8, kind)}
    memory = DeviceMemory(arrays, frozenset({"x"}))
    run(read_ktir(program([], cores)), [(name, buffers)], memory, load_device("spyre"))


def test_calls_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="the module has none of this name"):
        call("other")
    with pytest.raises(InputError, match="it has 2 parameters, 1 are given"):
        call(buffers=("x",))
    with pytest.raises(InputError, match="there is no array for z"):
        call(buffers=("x", "z"))
    with pytest.raises(InputError, match="its grid has 64 cores"):
        call(cores=64)
    with pytest.raises(HazardError, match="x holds float32, not f16"):
        call(kind=np.float32)
