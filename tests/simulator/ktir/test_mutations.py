"""Small programs with words of theirs left out, doubled or changed: refused in a sentence, or run to the end."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from compiler.device import load_device
from compiler.errors import StudioError
from compiler.read.ktir import read_ktir
from simulator.ktir import core
from simulator.ktir.machine import DeviceMemory, run
from tests.simulator.ktir.small import BARRIER, load, program, store, tile, view

PROGRAM = program(
    [
        f"%vl = {view('%c4', 'ct_local')}",
        f"%tl = {tile('%vl')}",
        store("%d", "%tl"),
        BARRIER,
        "%c1 = arith.constant 1 : index",
        f"%v0 = {view('%c4', 'ct_local, ct_id = 0')}",
        f"%t0 = {tile('%v0')}",
        "%r = scf.for %n = %c0 to %c4 step %c1 iter_args(%so_far = %d) -> (tensor<4xf16>) {",
        f"%got = {load('%t0')}",
        "%more = arith.addf %so_far, %got : tensor<4xf16>",
        "scf.yield %more : tensor<4xf16>",
        "}",
        store("%r", "%ty"),
    ]
)
WORDS = ("0", "-1", "64", "99999999999", "%c0", "%x", "%d", "f32", "i1", "index", "true", "{", "}", "(", "]", "4x0xf16")
TIMES = 150


def changed(seed: int) -> str:
    """The program with one to three words changed."""
    draw = random.Random(seed)
    words = re.findall(r"\s+|[\w.%@#!^-]+|.", PROGRAM)
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(words))
        words[place] = draw.choice(["", words[place] * 2, draw.choice(words), draw.choice(WORDS)])
    return "".join(words)


def outcome(text: str) -> str:
    """'' for a program that runs, or what is said about it."""
    memory = DeviceMemory({name: np.zeros(64, np.float16) for name in "xy"}, frozenset("xy"))
    try:
        module = read_ktir(text)
        run(module, [(module.functions[0].name, ("x", "y"))], memory, load_device("spyre"))
    except StudioError as error:
        return str(error)
    return ""


def test_whatever_is_changed_there_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "MOST_OPERATIONS", 1000)
    assert outcome(PROGRAM) == ""
    said = [outcome(changed(seed)) for seed in range(TIMES)]
    assert all("\n" not in each and len(each) < 400 for each in said)
    assert 0 < sum(not each for each in said) < TIMES / 2
