"""Memories: what is kept in how many bytes, and what nobody has written."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from compiler.dtypes import DType
from compiler.errors import InputError
from compiler.layout import stick_layout
from compiler.loops import BufferKind
from compiler.program import CoreBox, DeviceTensor, Memory
from simulator.errors import DeviceError
from simulator.functional.elements import carrier, decode, encode, poisoned, torch_dtype
from simulator.functional.host import walk
from simulator.functional.lifetimes import lifetimes
from simulator.functional.memory import HOST, Memories, Spot
from simulator.functional.room import check_room, free_bytes
from tests.simulator.programs import softmax
from tests.simulator.sketch import LANES, dense

ELEMENTS = (2, 70)


def tensor(
    dtype: DType, address: int = 0, *, name: str = "t", lanes: int | None = None, lx: bool = False
) -> DeviceTensor:
    layout = stick_layout(ELEMENTS, dense(ELEMENTS), lanes or LANES[dtype.device_bytes])
    made = DeviceTensor(name, dtype, BufferKind.COMPUTED, ELEMENTS, dense(ELEMENTS), layout, Memory.HBM, address)
    box = CoreBox(3, (0,) * len(layout.device_size), layout.device_size)
    return replace(made, memory=Memory.LX, boxes=(box,)) if lx else made


def put(memories: Memories, made: DeviceTensor, values: torch.Tensor, core: int = HOST) -> None:
    elements = walk(ELEMENTS, dense(ELEMENTS))
    spot = Spot(made, core, "test", write=True)
    memories.write(spot, memories.block(spot, elements.map(made.layout), elements.space), values)


def get(memories: Memories, made: DeviceTensor, core: int = HOST) -> torch.Tensor:
    elements = walk(ELEMENTS, dense(ELEMENTS))
    spot = Spot(made, core, "test")
    return memories.read(spot, memories.block(spot, elements.map(made.layout), elements.space))


def all_bytes(memories: Memories, made: DeviceTensor, core: int = HOST) -> list[int]:
    """Every byte of a tensor's place, padding included, by way of a byte-wide tensor at the same place."""
    size = made.layout.size_bytes
    flat = replace(
        made,
        dtype=DType.U8,
        layout=stick_layout((size,), (1,), 128),
        boxes=tuple(CoreBox(box.core, (0, 0), (size // 128, 128)) for box in made.boxes),
    )
    elements = walk((size,), (1,))
    spot = Spot(flat, core, "test")
    found = memories.read(spot, memories.block(spot, elements.map(flat.layout), elements.space))
    return [int(each) for each in found]


@pytest.mark.parametrize("dtype", list(DType))
def test_values_come_back_from_the_bytes_of_their_type(dtype: DType) -> None:
    memories = Memories(65536, 0, poison=True)
    made = tensor(dtype, 256)
    memories.born(made)
    values = (torch.arange(140).reshape(ELEMENTS) % 7).to(torch_dtype(dtype))
    put(memories, made, values)
    found = get(memories, made)
    assert found.dtype == torch_dtype(dtype)
    assert torch.equal(found.to(torch.float64), values.to(torch.float64))
    width = made.layout.element_bytes
    assert len(set(all_bytes(memories, made))) >= 2, "padding keeps its poison"
    assert all_bytes(memories, made)[-width:] == [0xFF if dtype.is_float else 0x7F] * width


@pytest.mark.parametrize("dtype", [dtype for dtype in DType if dtype.is_float])
def test_memory_nobody_has_written_is_nan(dtype: DType) -> None:
    memories = Memories(65536, 0, poison=True)
    made = tensor(dtype)
    assert get(memories, made).float().isnan().all(), "before it is born"
    memories.born(made)
    assert get(memories, made).float().isnan().all()
    assert poisoned((3,), dtype).float().isnan().all()


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(DType.I8, 0x7F), (DType.U8, 0x7F), (DType.I16, 0x7F7F), (DType.I32, 0x7F7F7F7F), (DType.I64, 0x7F7F7F7F)],
)
def test_integers_nobody_has_written_are_large(dtype: DType, value: int) -> None:
    memories = Memories(65536, 0, poison=True)
    made = tensor(dtype)
    memories.born(made)
    assert (get(memories, made) == value).all()


def test_without_poison_memory_is_zero() -> None:
    memories = Memories(65536, 1024, poison=False)
    for made, core in ((tensor(DType.F16), HOST), (tensor(DType.I32, lx=True), 3)):
        memories.born(made)
        assert not get(memories, made, core).any()


def test_int64_is_kept_in_32_bits() -> None:
    memories = Memories(4096, 0, poison=True)
    made = tensor(DType.I64)
    memories.born(made)
    put(memories, made, torch.full(ELEMENTS, 2**32 - 5))
    assert (get(memories, made) == -5).all()
    assert made.layout.size_bytes == 2 * 3 * 128


def test_the_dead_are_poison_again() -> None:
    memories = Memories(0, 4096, poison=True)
    made = tensor(DType.F16, 128, lx=True)
    memories.born(made)
    put(memories, made, torch.ones(ELEMENTS), 3)
    memories.died(made)
    assert set(all_bytes(memories, made, 3)) == {0xFF}


def test_a_successor_in_place_keeps_what_it_takes_over() -> None:
    memories = Memories(0, 4096, poison=True)
    parent, child = tensor(DType.F16, lx=True), tensor(DType.F16, name="child", lx=True)
    memories.born(parent)
    put(memories, parent, torch.ones(ELEMENTS), 3)
    memories.born(child)
    assert (get(memories, parent, 3) == 1).all(), "the parent is still to be read"
    put(memories, child, torch.full(ELEMENTS, 2.0), 3)
    memories.died(parent)
    assert (get(memories, child, 3) == 2).all(), "the child lives where the parent died"
    memories.died(child)
    assert get(memories, child, 3).isnan().all()


def test_tensors_on_other_cores_or_in_other_memories_are_not_in_the_way() -> None:
    memories = Memories(4096, 4096, poison=True)
    here = tensor(DType.F16, lx=True)
    box = here.boxes[0]
    there = replace(tensor(DType.F16, name="there", lx=True), boxes=(replace(box, core=4),))
    outside = tensor(DType.F16, name="outside")
    for made, core in ((here, 3), (there, 4), (outside, HOST)):
        memories.born(made)
        put(memories, made, torch.full(ELEMENTS, float(core)), core)
    memories.died(there)
    assert (get(memories, here, 3) == 3).all()
    assert (get(memories, outside) == HOST).all()
    assert get(memories, there, 4).isnan().all()


def test_a_core_reads_its_own_lx_only() -> None:
    memories = Memories(0, 4096, poison=True)
    made = tensor(DType.F16, lx=True)
    memories.born(made)
    with pytest.raises(DeviceError, match="step test: LX read outside what core 2 holds of t"):
        get(memories, made, 2)
    with pytest.raises(DeviceError, match="step test: LX write outside what core 2 holds of t"):
        put(memories, made, torch.ones(ELEMENTS), 2)
    with pytest.raises(DeviceError, match="step test: the host cannot read t, which is in LX"):
        get(memories, made)


@pytest.mark.parametrize("lanes", [32, 64, 128])
def test_bool_takes_the_width_of_its_layout(lanes: int) -> None:
    made = tensor(DType.BOOL, lanes=lanes)
    kind = carrier(made)
    assert kind.itemsize == 128 // lanes
    flags = torch.tensor([True, False])
    assert encode(flags, DType.BOOL, kind).tolist() == [1, 0]
    assert decode(torch.tensor([2, 0], dtype=kind), DType.BOOL).tolist() == [True, False]
    with pytest.raises(DeviceError, match="its layout has 16 elements per stick, bool has not"):
        carrier(tensor(DType.BOOL, lanes=16))


def test_memory_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="bytes do not fit into the memory of this machine"):
        Memories(1 << 60, 0, poison=True)


def test_the_living_and_the_dying() -> None:
    lives = lifetimes(softmax().sketch.program())
    assert [[each.name for each in step] for step in lives.born] == [["m"], ["d"], ["e"], ["s"], ["y"]]
    assert [sorted(each.name for each in step) for step in lives.dying] == [[], ["m", "x"], ["d"], [], ["e", "s"]]


def test_a_program_too_large_for_this_machine_is_refused() -> None:
    program = softmax().sketch.program()
    check_room(program, 1 << 30)
    check_room(program, None)
    huge = replace(program, hbm_bytes=3 << 30)
    with pytest.raises(InputError, match=r"verifying sketch: its numbers take about 12\.0 GiB, and 2\.0 GiB are free"):
        check_room(huge, 2 << 30)


def test_free_memory_is_what_the_system_says(tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    5 kB\n")
    assert free_bytes(tmp_path / "meminfo") == 5120
    (tmp_path / "other").write_text("MemTotal: 9 kB\n")
    assert free_bytes(tmp_path / "other") is None
    assert free_bytes(tmp_path / "missing") is None
