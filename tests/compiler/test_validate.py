"""What is read from a file is judged: sound programs pass, a broken one ends in a sentence that names op and fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from compiler.codec import from_json, structure, to_json
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.dtypes import DType
from compiler.errors import InputError, StudioError, UnsupportedError
from compiler.graph import GraphInput, GraphNode, InputKind, ModelGraph, TensorType
from compiler.loops import LoopProgram
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from compiler.text.document import from_text, to_text
from compiler.validate import validate
from tests import programs
from tests.compiler.mutations import mutated
from tests.random_draft import Options
from tests.random_programs import BEYOND_LIMITS, DEFAULT, TINY, random_program
from tests.sketch import Sketch

GRAPH = ModelGraph("m", (), (), ())
Plain = Any  # JSON data of any shape
Change = Callable[[Plain], object]


@pytest.mark.parametrize("options", [DEFAULT, TINY, BEYOND_LIMITS], ids=["default", "tiny", "beyond"])
def test_sound_programs_pass(options: Options) -> None:
    for seed in range(60):
        validate(random_program(seed, 6, options), "x.json")


def test_programs_of_the_sketch_pass() -> None:
    for program in (programs.softmax(), programs.attention(), programs.chain(3, 5), programs.product(4, 5, 6)):
        validate(program, "x.json")


@cache
def softmax() -> str:
    return to_json(programs.softmax(64, 128))


def index_of(plain: Plain, op: int, read: int = 0) -> Plain:
    return plain["ops"][op]["reads"][read]["index"]


def term_of(plain: Plain, op: int, **changes: int) -> None:
    index_of(plain, op)["terms"][0].update(changes)


def op_of(name: str, **changes: object) -> Change:
    def change(plain: Plain) -> None:
        next(op for op in plain["ops"] if op["name"] == name).update(changes)

    return change


BROKEN: list[tuple[Change, str]] = [
    (lambda p: p["ops"][1]["reads"][0].update(buffer="zzz"), "op sub reads a buffer 'zzz' that it does not have"),
    (lambda p: p["ops"][1]["writes"][0].update(buffer="zzz"), "op sub writes a buffer 'zzz' that it does not have"),
    (lambda p: p["buffers"].append(p["buffers"][0]), "it has two buffers 'x'"),
    (lambda p: p["ops"].append(p["ops"][0]), "it has two ops 'max'"),
    (lambda p: p["outputs"].append(p["outputs"][0]), "it has two outputs 'out0'"),
    (lambda p: p["buffers"][0].update(name=""), "one of its buffers has no name"),
    (lambda p: p["buffers"][0].update(strides=[128]), "buffer x has 2 dims and 1 strides"),
    (lambda p: p["buffers"][0].update(strides=[0, 1]), "buffer x has the strides [0, 1], which leave gaps or overlap"),
    (lambda p: p["buffers"][0].update(strides=[256, 1]), "which leave gaps or overlap"),
    (lambda p: p["buffers"][0].update(shape=[-1, 128]), "buffer x has the shape [-1, 128]"),
    (lambda p: p["buffers"][0].update(shape=[2**40, 2**40]), "more elements than any memory holds"),
    (lambda p: p["buffers"][0].update(shape=[2**70, 1]), "a number beyond 64 bits"),
    (lambda p: p["buffers"][0].update(kind="computed"), "op max reads x before it is written"),
    (lambda p: p["ops"][0]["loops"][0].update(extent=-1), "op max has a loop i of -1 iterations"),
    (lambda p: p["ops"][0]["loops"][0].update(extent=0), "op max has a loop i of 0 iterations"),
    (lambda p: p["ops"][0]["loops"][0].update(extent=2**60), "more iterations than 64 bits can count"),
    (lambda p: p["ops"][0]["loops"][0].update(name="q"), "names a loop 'i' that the op does not have"),
    (lambda p: p["ops"][0]["loops"][0].update(name="j"), "op max has two loops 'j'"),
    (lambda p: term_of(p, 0, divisor=0), "op max has an index of x that divides by 0"),
    (lambda p: term_of(p, 0, modulus=-1), "takes the remainder of -1"),
    (lambda p: term_of(p, 0, coefficient=0), "names i and does not move along it"),
    (lambda p: term_of(p, 0, divisor=1000), "names i and does not move along it"),
    (lambda p: term_of(p, 0, coefficient=2**62), "numbers beyond 64 bits"),
    (lambda p: term_of(p, 0, coefficient=129), "op max reads x with an index that reaches element 8254 of 8192"),
    (lambda p: index_of(p, 0).update(offset=-1), "reaches 1 element before the first one"),
    (lambda p: p["ops"][0].update(reads=[]), "loads read 0 of 0"),
    (op_of("max", combine="median"), "op max is reduction and combines by 'median'"),
    (op_of("max", combine=""), "is reduction and combines by ''"),
    (op_of("sub", combine="sum"), "op sub is pointwise and combines by 'sum'"),
    (op_of("sub", kind="matmul"), "is matmul and combines by ''"),
    (op_of("sub", kind="opaque"), "op sub is opaque and has no call"),
    (op_of("sub", results=[]), "op sub is pointwise and has 0 results, not 1"),
    (op_of("sub", results=[9]), "returns %9 of 3 instructions"),
    (op_of("sub", results=[-1]), "returns %-1 of 3 instructions"),
    (op_of("sub", body=[]), "op sub is pointwise and has no body"),
    (op_of("sub", writes=[]), "op sub is pointwise and has 0 writes, not 1"),
    (op_of("sub", call={"target": "a", "arguments": [], "keywords": []}), "is pointwise and has a call"),
    (lambda p: p["ops"][1]["body"][2].update(primitive="zap"), "an instruction %2 that applies 'zap'"),
    (lambda p: p["ops"][1]["body"][2].update(args=[0]), "applies sub to 1 values, not 2"),
    (lambda p: p["ops"][1]["body"][2].update(args=[0, 2]), "uses %2, which does not stand before it"),
    (lambda p: p["ops"][1]["body"][0].update(read=-1), "loads read -1 of 2"),
    (lambda p: p["ops"][1]["body"][0].update(mask=5), "uses %5, which does not stand before it"),
    (lambda p: p["ops"].reverse(), "before it is written"),
    (lambda p: p["ops"].pop(), "buffer truediv is computed and no op writes it"),
    (lambda p: p["ops"][1]["writes"][0]["index"]["terms"].pop(), "buffer sub is written by op sub again along j"),
    (lambda p: p["ops"][1]["loops"][0].update(extent=63), "buffer sub is not written whole, each element once"),
    (lambda p: p["outputs"][0].update(buffer="zzz"), "output out0 is a view of a buffer 'zzz' that it does not have"),
    (lambda p: p["outputs"][0].update(offset=1), "output out0 is a view that leaves truediv"),
    (lambda p: p["outputs"][0].update(strides=[128, -1]), "output out0 is a view that leaves truediv"),
    (lambda p: p["outputs"][0].update(strides=[1]), "output out0 has 2 dims and 1 strides"),
    (lambda p: p["ops"][1].update(name="s\ud800"), "half of a character"),
]


@pytest.mark.parametrize(("change", "words"), BROKEN, ids=[words for _, words in BROKEN])
def test_a_broken_program_is_refused_in_one_sentence(change: Change, words: str) -> None:
    document = json.loads(softmax())
    change(document["value"])
    with pytest.raises(InputError) as caught:
        from_json(LoopProgram, json.dumps(document), "x.json")
    assert words in caught.value.sentence
    assert caught.value.sentence.startswith("x.json: ")


def test_a_contraction_reads_its_two_operands() -> None:
    document = json.loads(to_json(programs.product(64, 64, 64)))
    document["value"]["ops"][0]["body"][1]["read"] = 0
    with pytest.raises(InputError, match="is matmul and does not multiply its two reads"):
        from_json(LoopProgram, json.dumps(document), "x.json")


def test_a_product_over_nothing_is_left_to_the_planner() -> None:
    """A capture makes it, so its document is sound; what cannot be planned is refused by name."""
    document = json.loads(to_json(programs.product(64, 64, 64)))
    op = document["value"]["ops"][0]
    op["loops"][2]["extent"] = 0
    op["reads"] = []
    op["body"] = [{"step": "const", "value": "nan", "dtype": "f16"}]
    op["results"] = [0, 0]
    program = from_json(LoopProgram, json.dumps(document), "x.json")
    with pytest.raises(UnsupportedError):
        compile_problem(GRAPH, programs.problem_of(program))


def test_a_product_of_one_value_repeated_is_refused_by_name() -> None:
    sketch = Sketch()
    x, weight = sketch.input("x", 4, 1), sketch.input("w", 64, 64)
    sketch.matmul(x.expanded((4, 64)), weight)
    with pytest.raises(UnsupportedError, match="x does not change along k, which is summed"):
        compile_problem(GRAPH, programs.problem_of(sketch.program()))


def test_a_masked_read_stays_inside_under_its_mask() -> None:
    sketch = Sketch()
    sketch.pad(sketch.input("x", 8, 64), 64, 64)
    program = sketch.program()
    validate(program, "x.json")
    document = json.loads(to_json(program))
    document["value"]["ops"][0]["body"][3]["value"] += 1
    with pytest.raises(InputError, match="reads x with an index that reaches element 512 of 512"):
        from_json(LoopProgram, json.dumps(document), "x.json")


def test_a_listing_is_judged_too() -> None:
    text = to_text(programs.softmax(64, 128))
    with pytest.raises(InputError, match="the listing: buffer x has the strides"):
        from_text(LoopProgram, text.replace("f16[64,128]  strides [128,1]", "f16[64,128]  strides [129,1]", 1))


def test_half_a_character_in_a_listing_is_refused() -> None:
    with pytest.raises(InputError, match="expected a quoted text"):
        from_text(LoopProgram, 'program "\\ud800"  of "m" ""\n')


def test_a_graph_reads_what_stands_before() -> None:
    kind = TensorType(DType.F16, (4,))
    given = (GraphInput("x", InputKind.USER, kind, "x"),)
    sound = ModelGraph("m", given, (GraphNode("neg", "aten.neg", ("x",), (kind,), (), "", ""),), ("neg",))
    assert from_json(ModelGraph, to_json(sound)) == sound
    document = to_json(sound)
    for broken, words in (
        (document.replace('"inputs": ["x"]', '"inputs": ["y"]'), "call neg of its graph reads 'y'"),
        (document.replace('"outputs": ["neg"]', '"outputs": ["y"]'), "its graph returns 'y', which does not exist"),
        (document.replace('"shape": [4]', '"shape": [-4]'), "a tensor of the shape [-4]"),
    ):
        with pytest.raises(InputError) as caught:
            from_json(ModelGraph, broken, "x.json")
        assert words in caught.value.sentence


def copied(plain: Plain, kind: str, replicas: int) -> None:
    edit = {"name": "y", "kind": kind, "source": "x", "target": "y", "before": "", "readers": [], "replicas": replicas}
    plain["plan"]["edits"].append(edit)


@cache
def compiled() -> str:
    return to_json(compile_problem(GRAPH, programs.problem_of(programs.softmax(64, 128), device="sample")))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p["plan"].update(cores=3), "its plan is for 3 cores and its problem for 4"),
        (lambda p: p["plan"].update(model="q"), "its plan is for the model 'q' and its problem for 'softmax'"),
        (lambda p: p["plan"].update(device="q"), "its plan is for the device 'q'"),
        (lambda p: p["program"].update(cores=3), "its device program is for 3 cores"),
        (lambda p: copied(p, "pad", 2), "its pad y has 2 replicas, which only a move into LX can have"),
        (lambda p: copied(p, "clone-out", 0), "its clone-out y has 0 replicas, and the least is 1"),
        (lambda p: copied(p, "clone-in", 0), "its clone-in y has 0 replicas, and the least is 1"),
        (lambda p: copied(p, "restickify", -3), "its restickify y has -3 replicas, and the least is 1"),
        (lambda p: copied(p, "relayout", 5), "its relayout y has 5 replicas for 4 cores"),
        (lambda p: p["cost"].update(total_us=1e999), "not valid JSON (Infinity"),
        (lambda p: p["problem"]["program"]["buffers"].pop(), "that it does not have"),
        (lambda p: p["problem"]["device"]["numbers"]["fill_rows"].update(value=0), "fill_rows is 0"),
        (lambda p: p["problem"]["device"]["numbers"]["loop_trip_limit"].update(value=0.5), "loop_trip_limit is 0.5"),
        (lambda p: p["problem"]["device"]["elements_per_stick"].update(f16=-1), "elements_per_stick of f16 is -1"),
        (lambda p: p["problem"]["device"]["numbers"].pop("fill_rows"), "the number 'fill_rows' is missing"),
    ],
)
def test_the_parts_of_a_saved_plan_belong_together(change: Change, words: str) -> None:
    document = json.loads(compiled())
    change(document["value"])
    with pytest.raises(InputError) as caught:
        from_json(Compilation, json.dumps(document), "plan.json")
    assert words in caught.value.sentence


def test_a_number_too_large_for_a_float_is_refused() -> None:
    text = compiled().replace('"total_us": ', '"total_us": 1e999, "x": ', 1)
    with pytest.raises(InputError, match="inf is not a finite number"):
        structure(Compilation, json.loads(text)["value"], "plan.json")


SOURCES = (
    programs.softmax(64, 128),
    programs.attention(2, 64, 64),
    *(random_program(seed, 5, TINY) for seed in (1, 2, 3, 4)),
    *(random_program(seed, 4) for seed in (11, 12, 13)),
)
DOCUMENTS = tuple(map(to_json, SOURCES))


@pytest.mark.parametrize("batch", range(10))
def test_one_change_is_refused_or_compiles(batch: int) -> None:
    """40 changes: each document is refused, or its program compiles or is refused by name, and nothing else happens."""
    device = load_device("sample")
    ends = {"refused": 0, "compiled": 0}
    for number in range(40 * batch, 40 * batch + 40):
        text = mutated(DOCUMENTS[number % len(DOCUMENTS)], str(number))
        try:
            program = from_json(LoopProgram, text, "x.json")
            compile_problem(GRAPH, Problem(program, device))
            ends["compiled"] += 1
        except StudioError as error:
            error.sentence.encode("utf-8")
            ends["refused"] += 1
    assert all(ends.values()), "both ends are met"
