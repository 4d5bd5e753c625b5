"""The machine in device files and saved devices: read, printed, kept, and refused in a sentence where it is none."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import resources

import pytest
from frozendict import frozendict

from compiler.codec import from_json, to_json
from compiler.device import Device, Quantity, load_device, parse_device
from compiler.errors import InputError
from compiler.graph import ModelGraph
from compiler.machine import NO_MACHINE, DataPath, Machine, MachineMemory, MachineUnit, Scope, UnitKind
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from compiler.text.document import from_text, to_text
from compiler.validate_device import TIMING_NUMBERS, validate_device
from tests.programs import attention

SAMPLE = resources.files("resources").joinpath("devices", "sample.toml").read_text("utf-8")
BARE = re.sub(r"\n# Another shape.*", "\n", SAMPLE, flags=re.DOTALL)
MAC = '[machine.units.mac]\ntitle = "Multiplier"\nkind = "matrix"\n'


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_device(text, "d.toml")
    assert caught.value.sentence.startswith("device file d.toml")
    return caught.value.sentence


def lacking(text: str, key: str) -> str:
    shorter, count = re.subn(rf"\[{key}\]\n(?:.+\n)+", "", text)
    assert count == 1
    return shorter


@pytest.mark.parametrize("name", ["spyre", "sample"])
def test_a_machine_survives_every_form(name: str) -> None:
    device = load_device(name)
    assert device.machine != NO_MACHINE
    assert from_json(Device, to_json(device)) == device
    assert from_text(Device, to_text(device)) == device
    assert '[machine.units."' in to_text(device)
    for changed in (device.with_cores(2), device.with_number("corelets", 3)):
        assert changed.machine == device.machine
        validate_device(changed, "it")


def test_the_machine_of_spyre_is_the_one_of_its_file() -> None:
    machine = load_device("spyre").machine
    assert machine.memories == (
        MachineMemory("hbm", "Device memory", Scope.CARD, "hbm_usable_bytes", "hbm_one_way_bytes_per_ns"),
        MachineMemory("lx", "LX scratchpad", Scope.CORE, "lx_bytes"),
    )
    assert machine.units[2] == MachineUnit("pt", "PT array", UnitKind.MATRIX, "sustained_mac_per_ns_core", "corelets")
    assert machine.paths[:2] == (DataPath("hbm", "dma_in"), DataPath("dma_in", "lx"))


def test_equal_devices_with_other_machines_differ() -> None:
    device = load_device("sample")
    bare = replace(device, machine=NO_MACHINE)
    assert bare != device
    assert hash(replace(device, machine=replace(device.machine))) == hash(device)


def test_a_device_without_a_machine_compiles_and_needs_no_numbers_of_timing() -> None:
    assert "machine" not in BARE
    for key in TIMING_NUMBERS:
        assert parse_device(lacking(BARE, key), "d.toml").machine == NO_MACHINE
        assert f"the number '{key}' is missing; add [{key}]" in refusal(lacking(SAMPLE, key))
    text = BARE
    for key in TIMING_NUMBERS:
        text = lacking(text, key)
    device = parse_device(text, "d.toml")
    assert "machine" not in to_text(device)
    assert from_text(Device, to_text(device)) == device
    assert compile_problem(ModelGraph("m", (), (), ()), Problem(attention(2, 64, 64), device)).ok


def test_documents_from_before_there_were_machines_open() -> None:
    device = load_device("sample")
    document = json.loads(to_json(device))
    del document["value"]["machine"]
    for key in TIMING_NUMBERS:
        del document["value"]["numbers"][key]
    old = from_json(Device, json.dumps(document))
    assert old.machine == NO_MACHINE
    assert old.numbers.keys() == device.numbers.keys() - TIMING_NUMBERS.keys()


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("corelets", "0", "corelets is 0; give a whole number from 1 to 4096"),
        ("transfer_buffers", "3", "transfer_buffers is 3; give a whole number from 1 to 2"),
        ("transfer_tile_bytes", "64", "transfer_tile_bytes is 64; give a whole number from 128"),
        ("inner_tile_bytes", "128.5", "inner_tile_bytes is 128.5; give a whole number"),
        ("ring_bytes_per_ns", "0", "ring_bytes_per_ns is 0; give a number from 1e-12"),
        ("kernel_launch_ns", "-1", "kernel_launch_ns is -1; give a number from 0"),
    ],
)
def test_numbers_of_timing_have_bounds_with_and_without_a_machine(key: str, value: str, words: str) -> None:
    for text in (SAMPLE, BARE):
        changed, count = re.subn(rf"(\[{key}\]\nvalue = )\S+", rf"\g<1>{value}", text)
        assert count == 1
        assert words in refusal(changed)


@pytest.mark.parametrize(
    ("buffers", "tile", "words"),
    [
        (2, 32768, ""),
        (
            2,
            32769,
            "is 32769 and transfer_buffers 2, which is more than the 65536 of lx_bytes; give",
        ),
        (2, 4194304, "give a transfer_tile_bytes up to 32768"),
        (1, 65536, ""),
        (
            1,
            65664,
            "is 65664 and transfer_buffers 1, which is more than the 65536 of lx_bytes; give",
        ),
    ],
)
def test_buffers_of_transfers_have_to_fit_into_the_scratchpad(buffers: int, tile: int, words: str) -> None:
    numbers = (("transfer_buffers", buffers), ("transfer_tile_bytes", tile))
    texts = [SAMPLE, BARE]
    for key, value in numbers:
        texts = [re.sub(rf"(\[{key}\]\nvalue = )\S+", rf"\g<1>{value}", text) for text in texts]
    assert parse_device(texts[1], "d.toml").machine == NO_MACHINE, "nothing is transferred in buffers without one"
    if words:
        assert words in refusal(texts[0])
    else:
        assert parse_device(texts[0], "d.toml").count("transfer_tile_bytes") == tile


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (MAC, MAC.replace("matrix", "tensor"), "its kind is 'tensor'; use one of move, matrix, vector, ring."),
        ('scope = "card"', 'scope = "chip"', "[machine.memories.dram]: its scope is 'chip'; use one of card, core."),
        (MAC, MAC.replace('kind = "matrix"\n', ""), "[machine.units.mac]: it has no kind; write title, kind, rate"),
        (MAC, MAC + 'speed = "x"\n', "[machine.units.mac]: it has an unknown entry 'speed'; write title, kind, rate"),
        (MAC, MAC.replace('"Multiplier"', "7"), "[machine.units.mac]: its title is 7; give a text."),
        (MAC, MAC + "instances = 2\n", "its instances is 2; give the name of a number of this file."),
        (MAC, MAC.replace('"Multiplier"', '""'), "the title of the unit 'mac' is empty; say what it is"),
        (MAC, MAC + 'instances = "corelet"\n', "the instances of the unit 'mac' is 'corelet', which is no number of"),
        (MAC, MAC + 'instances = "lx_backend_fraction"\n', "the instances of the unit 'mac' is 'lx_backend_fraction'"),
        ('rate = "sustained_mac', 'rate = "sustain_mac', "which is no number of the device; write sustained_mac_per"),
        ('rate = "sustained_mac_per_ns_core"', 'rate = ""', "the unit 'mac' has no rate; name the number"),
        ('rate = "vector_bytes_per_ns_core"', 'rate = "colour"', "is 'colour', which is no number of the device; add"),
        ('rate = "hbm_one_way_bytes_per_ns"\n', "", "the card's memory 'dram' has no rate; name the number"),
        ('size = "lx_bytes"', 'size = "lx_bytes"\nrate = "ring_bytes_per_ns"', "the core's memory 'pad' has a rate"),
        ('size = "lx_bytes"', 'size = "lx_program_bytes"', "its machine has no scratchpad; add a memory with scope"),
        ('size = "hbm_usable_bytes"', 'size = "lx_bytes"', "the size of the card's memory 'dram' is 'lx_bytes'; write"),
        ('scope = "card"', 'scope = "core"', "its machine has no memory of the card; add one"),
        ('scope = "core"', 'scope = "card"', "two memories of the card, 'dram' and 'pad'"),
        ('["mac", "drain"]', '["mac", "drian"]', "'drian' is neither a memory nor a unit; write drain."),
        ('["mac", "drain"]', '["mac", "xyz"]', "'xyz' is neither a memory nor a unit; add it, or remove the path."),
        ('["mac", "drain"]', '["mac"]', "machine.paths has the entry ['mac'], which is no pair of names"),
        ('["mac", "drain"]', '["mac", 3]', "machine.paths has the entry ['mac', 3], which is no pair of names"),
        ('["mac", "drain"]', '["alu", "drain"]', "the path from 'alu' to 'drain' is listed twice"),
        ('["mac", "drain"]', '["mac", "mac"]', "the path from 'mac' to 'mac' leads nowhere"),
        ('["mac", "drain"]', '["pad", "dram"]', "the path from 'pad' to 'dram' joins two memories; put a unit"),
        ('    ["mac", "drain"],\n', "", "no path leads from the unit 'mac'; add one, or remove the unit"),
        ('    ["pad", "mac"],\n', "", "no path leads to the unit 'mac'; add one, or remove the unit"),
        (
            '["mac", "drain"]',
            '["mac", "drain"], ["fetch", "dram"]',
            "the unit 'fetch' leads from 'dram' and back to it",
        ),
        ('["loop", "pad"]', '["loop", "drain"]', "the ring unit 'loop' does not lead back to what it comes from"),
        ("[machine.units.mac]", "[machine.units.pad]", "two things of its machine are called 'pad'"),
        ("[machine.units.mac]", '[machine.units."m c"]', "a unit of its machine is called 'm c'; use letters"),
        ("[machine.units.mac]", "[machine.units.host]", "a unit of its machine is called 'host', as the computer"),
        ("[machine]\n", "[machine]\nspeed = 1\n", "[machine] has an unknown entry 'speed'; use memories, units, paths"),
        ("[machine]\npaths", "[machine]\nways", "[machine] has an unknown entry 'ways'"),
    ],
)
def test_a_machine_that_is_none_is_refused_in_a_sentence(old: str, new: str, words: str) -> None:
    assert old in SAMPLE
    assert words in refusal(SAMPLE.replace(old, new, 1))


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        ("machine = 3", "'machine' is not a table; write [machine] with paths, memories and units"),
        ("[machine]", "[machine] has no memories; start from a bundled device file"),
        ("[machine]\nmemories = 3\nunits = 3\npaths = 3", "'machine.memories' is not a table; write [machine.memories"),
        ("[machine]\nunits = {}\npaths = 3\n[machine.memories]\na = 1", "[machine.memories.a]: it is not a table"),
        ("[machine]\nmemories = {}\nunits = {}\npaths = 3", "'machine.paths' is not a list; write paths ="),
        ("[machine]\nmemories = {}\nunits = {}\npaths = [['a', 'b']]", "its machine has no memory of the card"),
    ],
)
def test_the_tables_of_a_machine_have_a_form(machine: str, words: str) -> None:
    text = f"{machine}\n{BARE}" if machine.startswith("machine =") else f"{BARE}\n{machine}\n"
    assert words in refusal(text)


def test_a_machine_in_a_document_obeys_the_same_rules() -> None:
    sample = load_device("sample")
    machine = sample.machine
    idle = tuple(unit for unit in machine.units if unit.kind not in (UnitKind.MATRIX, UnitKind.VECTOR))
    attic = MachineMemory("attic", "Attic", Scope.CORE, "overflow_bytes")
    many = tuple(replace(attic, name=f"attic{number}") for number in range(64))
    spare = replace(machine.memories[1], name="spare")
    for broken, words in (
        (replace(machine, units=idle), "the device in p.json: its machine has no unit that computes; add one"),
        (replace(machine, units=(*machine.units, machine.units[0])), "two things of its machine are called 'fetch'"),
        (replace(machine, memories=(*machine.memories, attic)), "no path touches the memory 'attic'"),
        (replace(machine, memories=(*machine.memories, spare)), "both 'pad' and 'spare' have the size lx_bytes"),
        (
            replace(machine, memories=(*machine.memories, *many)),
            "its machine has 72 memories and units; use at most 64",
        ),
        (Machine(paths=machine.paths), "its machine has no memory of the card"),
    ):
        with pytest.raises(InputError) as caught:
            from_json(Device, to_json(replace(sample, machine=broken)), "p.json")
        assert words in caught.value.sentence
    text = to_json(sample).replace('"kind": "ring"', '"kind": "rope"')
    with pytest.raises(InputError, match=r"is none of move, matrix, vector, ring @ value\.machine\.units\.kind"):
        from_json(Device, text, "p.json")


def test_numbers_that_only_the_machine_names_belong_to_the_device() -> None:
    sample = load_device("sample")
    own = Quantity(12.5, "B/ns/core", "choice", "made up")
    units = tuple(replace(u, rate="drain_rate") if u.name == "drain" else u for u in sample.machine.units)
    device = replace(
        sample, numbers=sample.numbers.set("drain_rate", own), machine=replace(sample.machine, units=units)
    )
    assert from_json(Device, to_json(device)) == device
    assert from_text(Device, to_text(device)) == device
    assert device.with_number("drain_rate", 3).number("drain_rate") == 3
    for broken, words in (
        (
            device.with_number("drain_rate", 0),
            "the rate of the unit 'drain' is 'drain_rate', which is 0; give a number",
        ),
        (replace(device, machine=sample.machine), "'drain_rate' is not a number of a device; remove it"),
        (replace(device, numbers=frozendict(sample.numbers)), "'drain_rate', which is no number of the device"),
        (replace(device, numbers=device.numbers.set("drain_rate", replace(own, kind="rumour"))), "the kind of 'drain_"),
    ):
        with pytest.raises(InputError) as caught:
            validate_device(broken, "it")
        assert words in caught.value.sentence
