"""Pins to LX of what arrives in device memory or has to be there for the host: kept by a clone, or refused in words."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.device import Device, load_device
from compiler.joint.conflict import settled
from compiler.loops import LoopProgram
from compiler.passes.divide_matmul import DivideMatmul
from compiler.passes.divide_rest import DivideRest
from compiler.passes.reduce_span import ReduceSpan
from compiler.pins import Pins
from compiler.problem import Problem
from tests.compiler.joint.grounds import tiny_lx
from tests.compiler.shapes import run, unplanned
from tests.programs import attention, softmax
from tests.sketch import Sketch

IN = frozendict({"x": "lx"})
ONE = frozendict({"i": 1})


def single(rows: int = 2048) -> LoopProgram:
    sketch = Sketch("single")
    sketch.output(sketch.apply("neg", sketch.input("x", rows, 1024)))
    return sketch.program()


def refused(program: LoopProgram, pins: Pins, device: Device | None = None, moves: bool = True) -> dict[str, str]:
    """What is said of the pins that cannot be kept, on a program divided op by op."""
    problem = Problem(program, device or load_device("spyre"), pins)
    plan = run((ReduceSpan(), DivideMatmul(), DivideRest()), problem, unplanned(problem))
    return dict(settled(problem, plan, moves).refused)


def on(cores: int) -> Device:
    return load_device("spyre").with_cores(cores)


def test_an_input_that_is_too_large_says_by_how_much_and_how_many_cores_would_do() -> None:
    words = (
        "a clone of x takes 2,097,152 B per core at least, as neg reads it divided by j 2: 471,808 B are lacking, as "
        "LX has 1,625,344 B. Use 4 cores instead of 2"
    )
    assert refused(single(), Pins(placement=IN), on(2)) == {"placement:x": words}
    assert refused(single(), Pins(placement=IN), on(4)) == {}


def test_an_input_whose_reader_is_pinned_says_which_division_would_do() -> None:
    pins = Pins(placement=IN, division=frozendict({"neg": ONE}))
    words = (
        "a clone of x takes 4,194,304 B per core at least, as neg reads it on 1 core, to which it is pinned: "
        "2,568,960 B are lacking, as LX has 1,625,344 B. Divide neg by i 4 j 8"
    )
    assert refused(single(), pins) == {"placement:x": words}
    better = replace(pins, division=frozendict({"neg": frozendict({"i": 4, "j": 8})}))
    assert refused(single(), better) == {}


def test_what_no_number_of_cores_makes_small_enough_asks_for_tiles() -> None:
    words = (
        "a clone of x takes 131,072 B per core at least, as neg reads it divided by i 4 j 8: 65,536 B are lacking, as "
        "LX has 65,536 B. Even spread over all 32 cores it does not fit: the model would have to compute neg in "
        "pieces, one after the other"
    )
    assert refused(single(), Pins(placement=IN), tiny_lx(on(32), 65_536)) == {"placement:x": words}


def test_two_inputs_that_have_no_room_together_name_each_other() -> None:
    sketch = Sketch("sum")
    sketch.output(sketch.apply("add", sketch.input("x", 512, 1024), sketch.input("y", 512, 1024)))
    found = refused(sketch.program(), Pins(placement=frozendict({"x": "lx", "y": "lx"})), on(1))
    assert found == {
        "placement:y": "the copy of x for add 1,048,576 B and the copy of y for add 1,048,576 B per core need to be in "
        "LX at add: 471,808 B are lacking, as it has 1,625,344 B. Use 2 cores instead of 1 or unpin placement:x"
    }


def test_readers_that_need_device_memory_are_named() -> None:
    sketch = Sketch("masked")
    sketch.output(sketch.pad(sketch.input("x", 64, 128), 0, 64))
    words = "x arrives in device memory, and no clone of it in LX would serve a step: pad reads it under a mask"
    assert refused(sketch.program(), Pins(placement=IN)) == {"placement:x": words}


def test_without_moves_there_is_no_clone() -> None:
    words = "x arrives in device memory, and this pipeline makes no clones; use co-optimize with moves=yes"
    assert refused(single(), Pins(placement=IN), moves=False) == {"placement:x": words}


def test_what_nobody_reads_serves_nobody() -> None:
    words = (
        "neg writes neg (16,384 B per core under i 32) in device memory for the host, and no step reads it, so that "
        "in LX it would serve nobody"
    )
    assert refused(single(256), Pins(placement=frozendict({"neg": "lx"}))) == {"placement:neg": words}
    sketch = Sketch("idle")
    sketch.input("y", 64, 64)
    sketch.output(sketch.apply("neg", sketch.input("x", 64, 64)))
    words = "no step reads y, so that nobody would find it in LX"
    assert refused(sketch.program(), Pins(placement=frozendict({"y": "lx"}))) == {"placement:y": words}


def test_an_output_that_a_step_reads_in_part_says_that() -> None:
    """And not that the host fetches it: a clone could go out."""
    sketch = Sketch("both")
    neg = sketch.apply("neg", sketch.input("x", 64, 128))
    sketch.output(neg)
    sketch.output(sketch.pad(neg, 0, 64))
    found = refused(sketch.program(), Pins(placement=frozendict({"neg": "lx"})))
    assert found == {"placement:neg": "pad reads it under a mask. Make the reader use the whole buffer."}


@pytest.mark.parametrize("cores", [1, 3, 32])
@pytest.mark.parametrize("program", [softmax(), attention(), single()], ids=lambda program: program.name)
def test_no_refusal_sends_to_the_pipeline_that_refuses(program: LoopProgram, cores: int) -> None:
    pins = Pins(placement=frozendict(dict.fromkeys(program.buffer_map, "lx")))
    for device in (on(cores), tiny_lx(on(cores), 16_384)):
        for moves in (True, False):
            found = refused(program, pins, device, moves)
            assert found
            assert not any("co-optimized pipeline" in why for why in found.values())


def test_a_product_that_is_too_large_for_a_tiny_lx_says_so() -> None:
    sketch = Sketch("product")
    matmul = sketch.matmul(sketch.input("x", 1024, 64), sketch.input("y", 64, 1024))
    sketch.output(sketch.apply("neg", matmul))
    pins = Pins(placement=frozendict({"matmul": "lx"}))
    words = (
        "matmul takes 65,536 B per core at least: 49,152 B are lacking, as LX has 16,384 B. Even spread over all "
        "32 cores it does not fit: the model would have to compute matmul in pieces, one after the other"
    )
    assert refused(sketch.program(), pins, tiny_lx(on(32), 16_384)) == {"placement:matmul": words}
    assert refused(sketch.program(), pins, tiny_lx(on(32), 65_536)) == {}
