"""Kernels of others: tensors by their places, ops without a loop form, what disagrees and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.device import load_device
from compiler.errors import InputError
from compiler.formats.expression import parse_expression
from compiler.formats.opspec import KernelArgument, KernelSpec, LoopSpec, OpSpec, Place, Room, WorkDivision
from compiler.loops import Apply, Load, OpKind
from compiler.plan import EditKind, ReasonCode, Slot, Spilled
from compiler.read.imported import Imported, imported
from tests.compiler.formats.imports import violations
from tests.compiler.spec_sketch import COLUMN, ROWS, add, copied, matmul, softmax, spec, tensor

DEVICE = load_device("spyre")
BY_ROWS = "c0 512/32, c1 1024"


def made(*ops: OpSpec | LoopSpec, arguments: tuple[KernelArgument, ...] = ()) -> Imported:
    """One kernel."""
    return imported((KernelSpec("kernel", ops, arguments),), "model", DEVICE)


def failed(one: Imported) -> set[str]:
    """Names of the checks that found something."""
    return {verdict.check for verdict in one.compilation.verdicts if not verdict.ok}


def argument(number: int, name: str, *, is_input: bool = True) -> KernelArgument:
    """[512, 1024] fp16, row major."""
    sizes = ((512, 1024), (1024, 1), "float16", (16, 512, 64), (64, 1024, 1), "SEN169_FP16")
    return KernelArgument(number, name, is_input, *sizes)


# Places


def test_the_published_softmax_is_a_plan_that_holds() -> None:
    found = imported((softmax(),), "softmax", DEVICE)
    plan, program = found.compilation.plan, found.compilation.problem.program
    assert not found.findings
    assert not violations(found.compilation)
    names = ["k0.arg0", "k0.t1", "k0.t2", "k0.t3", "k0.t4", "k0.arg1"]
    assert [buffer.name for buffer in program.buffers] == names
    assert [op.name for op in program.ops] == ["1_max", "2_sub", "3_exp", "4_sum", "5_realdiv"]
    assert [(edit.kind, edit.name, edit.target) for edit in plan.edits] == [(EditKind.CLONE_IN, "0_identity", "k0.t0")]
    assert plan.edits[0].readers == ("1_max", "2_sub")
    slots = {name: place for name, place in plan.placement.items() if isinstance(place, Slot)}
    assert {name: (slot.address, slot.first_step, slot.last_step) for name, slot in slots.items()} == {
        "k0.t0": (2048, 0, 2),
        "k0.t1": (0, 1, 2),
        "k0.t2": (2048, 2, 3),
        "k0.t3": (2048, 3, 5),
        "k0.t4": (0, 4, 5),
    }
    assert (slots["k0.t2"].in_place_of, slots["k0.t3"].in_place_of) == ("k0.t0", "k0.t2")
    assert plan.kernels[0].name == "sdsc_fused_softmax_0"


def test_both_sides_of_an_addition_may_be_one_tensor() -> None:
    one = tensor(*ROWS, "hbm 0")
    found = made(spec("add", BY_ROWS, one, one, tensor(*ROWS, "hbm 1", output=True))).compilation
    op = found.problem.program.ops[0]
    assert len(op.reads) == 1
    assert op.body[-1] == Apply("add", (0, 0), op.body[0].dtype)


def test_a_name_is_one_tensor_for_all_kernels_and_a_number_is_not() -> None:
    steps = (
        spec("neg", BY_ROWS, tensor(*ROWS, "hbm 0"), tensor(*ROWS, "hbm 1", output=True)),
        spec("exp", BY_ROWS, tensor(*ROWS, "hbm 0"), tensor(*ROWS, "hbm 1", output=True)),
    )
    named = (argument(0, "x"), argument(1, "y", is_input=False)), (argument(0, "y"), argument(1, "z", is_input=False))
    kernels = tuple(KernelSpec("twice", (op,), own) for op, own in zip(steps, named, strict=True))
    program = imported(kernels, "model", DEVICE).compilation.problem.program
    assert [buffer.name for buffer in program.buffers] == ["x", "y", "z"]
    assert [view.name for view in program.outputs] == ["z"]
    both = imported(kernels, "model", DEVICE, ("y", "z", "elsewhere")).compilation.problem.program
    assert [view.name for view in both.outputs] == ["y", "z"]
    plain = tuple(
        replace(kernel, arguments=tuple(replace(each, name=f"arg{each.number}") for each in kernel.arguments))
        for kernel in kernels
    )
    again = imported(plain, "model", DEVICE).compilation
    assert [buffer.name for buffer in again.problem.program.buffers] == ["arg0", "arg0.2", "arg1", "arg1.2"]
    assert [view.name for view in again.problem.program.outputs] == ["arg1", "arg1.2"]
    assert [kernel.name for kernel in again.plan.kernels] == ["twice", "twice.k1"]
    assert not violations(again)


def test_a_part_of_the_pool_is_read_where_it_lies() -> None:
    walked = "c0; floor(c1/64); 0; Mod(c1, 64)"
    first = spec("neg", "c0 8, c1 128", tensor("8 2 1 64", walked, "hbm 0"), tensor("8 2 1 64", walked, "hbm_pool 0"))
    first = replace(first, args=(first.args[0], replace(first.args[1], is_input=False)))
    half = tensor("8 2 1 64", "c0; floor(c1/64); 0; Mod(c1, 64)", "hbm_pool 128")
    out = tensor("8 1 1 64", "c0; 0; 0; Mod(c1, 64)", "hbm 1", output=True)
    found = made(first, spec("exp", "c0 8, c1 64", half, out))
    assert not found.findings
    read = found.compilation.problem.program.ops[1].reads[0]
    assert read.buffer == "k0.t0"
    assert read.index.offset == 64


def test_a_result_over_its_operand_in_the_pool_is_told() -> None:
    walked = "floor(c1/64); c0; Mod(c1, 64)"
    given = tensor("2 8 64", walked, "hbm 0")
    first = spec("neg", "c0 8, c1 128", given, tensor("2 8 64", walked, "hbm_pool 1024", output=True))
    second = tensor("2 8 64", walked, "hbm_pool 0", output=True)
    found = made(first, spec("exp", "c0 8, c1 128", tensor("2 8 64", walked, "hbm_pool 1024"), second))
    said = "writes 2,048 B at byte 0 of the pool, over what it reads at byte 1,024"
    assert any(said in each for each in found.findings)
    again = tensor("2 8 64", walked, "hbm_pool 1024", output=True)
    held = made(first, spec("exp", "c0 8, c1 128", tensor("2 8 64", walked, "hbm_pool 1024"), again))
    assert not any("over what it reads" in each for each in held.findings), "in its place"


def test_a_part_of_lx_is_read_where_it_lies() -> None:
    walked = "floor(c1/64); c0; Mod(c1, 64)"
    first = spec(
        "neg", "c0 8/4, c1 128", tensor("2 8 64", walked, "hbm 0"), tensor("2 8 64", walked, "lx 0", output=True)
    )
    half = tensor("2 8 64", "0; c0; Mod(c1, 64)", "lx 256")
    out = tensor("1 8 64", "0; c0; Mod(c1, 64)", "hbm 1", output=True)
    found = made(first, spec("exp", "c0 8/4, c1 64", half, out))
    read = found.compilation.problem.program.ops[1].reads[0]
    assert not found.findings
    assert (read.buffer, read.index.offset) == ("k0.t0", 64)
    assert failed(found) == {"ownership"}  # reading a part of what lies in LX is nothing that a plan of ours does


def test_a_repeated_part_is_shown_once() -> None:
    found = made(LoopSpec(4, (add(),)))
    assert found.findings == ("kernel kernel runs 1 op 4 times, they are shown once",)


# What disagrees


def test_what_nobody_has_written_is_said_and_taken_as_given() -> None:
    sum_ = spec("sum", BY_ROWS, tensor(*ROWS, "lx 128"), tensor(*COLUMN, "hbm 0", output=True), reduction=True)
    found = made(sum_)
    assert found.findings == ("op 0 (sum) of k0 reads a tensor at byte 128 of LX, which no op has written before",)
    place = found.compilation.plan.placement["k0.in0"]
    assert isinstance(place, Spilled)
    assert place.code is ReasonCode.GRAPH_INPUT
    assert not violations(found.compilation)


def test_what_was_written_over_in_part_is_said_and_fails_the_check() -> None:
    block = tensor(*ROWS, "lx 0", output=True)
    copy = spec("identity", BY_ROWS, tensor(*ROWS, "hbm 0"), block)
    over = spec("exp", BY_ROWS, tensor(*ROWS, "hbm 0"), tensor(*ROWS, "lx 2048", output=True))
    last = spec("add", BY_ROWS, tensor(*ROWS, "lx 0"), tensor(*ROWS, "lx 2048"), tensor(*ROWS, "hbm 1", output=True))
    found = made(copy, over, last)
    assert any("which 1_exp has written over in part" in finding for finding in found.findings)
    assert failed(found) == {"overlap"}


def test_another_size_at_a_place_is_another_tensor() -> None:
    copy = spec("identity", BY_ROWS, tensor(*ROWS, "hbm 0"), tensor(*ROWS, "lx 0", output=True))
    other = spec("exp", "c0 512/32", tensor(*COLUMN, "lx 0"), tensor(*COLUMN, "hbm 1", output=True))
    found = made(copy, other)
    assert "where k0.t0 of 1,048,576 B was last" in found.findings[0]


def test_cores_that_do_not_hold_what_they_read_fail_the_check() -> None:
    copy = spec("identity", "c0 512, c1 1024/16", tensor(*ROWS, "hbm 0"), tensor(*ROWS, "lx 0", output=True))
    exp = spec("exp", "c0 512/16, c1 1024", tensor(*ROWS, "lx 0"), tensor(*ROWS, "hbm 1", output=True))
    assert "ownership" in failed(made(copy, exp))


def _shuffled(of_core: tuple[frozendict[str, int], ...]) -> Imported:
    held = WorkDivision(frozendict({"c0": 1, "c1": 8}), of_core)
    columns = "c0 512, c1 1024/8"
    copy = spec("identity", columns, tensor(*ROWS, "hbm 0"), tensor(*ROWS, "lx 0", output=True))
    source = replace(tensor(*ROWS, "lx 0"), division=held)
    shuffle = spec("shuffle", "c0 512/8, c1 1024", source, tensor(*ROWS, "lx 131072", output=True))
    last = spec("exp", "c0 512/8, c1 1024", tensor(*ROWS, "lx 131072"), tensor(*ROWS, "hbm 1", output=True))
    return made(copy, shuffle, last)


def test_a_shuffle_is_a_relayout_between_the_owners_that_it_names() -> None:
    found = _shuffled(tuple(frozendict({"c1": core}) for core in range(8)))
    assert not found.findings
    assert [edit.kind for edit in found.compilation.plan.edits] == [EditKind.CLONE_IN, EditKind.RELAYOUT]
    assert not violations(found.compilation)


@pytest.mark.parametrize(
    ("of_core", "why"),
    [
        (tuple(frozendict({"c1": 7 - core}) for core in range(8)), "core 0 holds slice 7 of j"),
        ((frozendict({"c1": 0}),), "it is held by 1 core, but was written by 8"),
    ],
)
def test_owners_that_are_not_those_who_wrote_are_told(of_core: tuple[frozendict[str, int], ...], why: str) -> None:
    found = _shuffled(of_core)
    assert len(found.findings) == 1
    assert f"1_shuffle says of k0.t0 that {why}" in found.findings[0]


# Ops


def test_an_op_without_a_loop_form_is_left_a_call() -> None:
    norm = spec("layernormscale", "c0 512/32", tensor(*COLUMN, "hbm 0"), tensor(*COLUMN, "hbm 1", output=True))
    found = made(replace(norm, constants=frozendict({"eps": 0.5})))
    op = found.compilation.problem.program.ops[0]
    assert found.findings == (
        "0_layernormscale (layernormscale) has no loop form here: what it computes and how it is divided is left open",
    )
    assert op.kind is OpKind.OPAQUE
    assert op.call is not None
    assert (op.call.target, op.call.keywords) == ("layernormscale", (("eps", "0.5"),))
    assert not violations(found.compilation)


def test_a_tensor_written_in_part_is_the_result_of_a_call_that_reads_what_was_there() -> None:
    cache = tensor("16 512 64", "floor(c1/64); c0 + 8; Mod(c1, 64)", "hbm 1", output=True)
    row = tensor("16 8 64", "floor(c1/64); c0; Mod(c1, 64)", "hbm 0")
    reader = spec("exp", BY_ROWS, tensor(*ROWS, "hbm 1"), tensor(*ROWS, "hbm 2", output=True))
    before = spec("neg", BY_ROWS, tensor(*ROWS, "hbm 1"), tensor(*ROWS, "hbm 3", output=True))
    found = made(before, spec("identity", "c0 8/8, c1 1024", row, cache), reader)
    call = found.compilation.problem.program.ops[1]
    assert call.kind is OpKind.OPAQUE
    assert [read.buffer for read in call.reads] == ["k0.arg0", "k0.arg1"]
    assert found.compilation.problem.program.ops[2].reads[0].buffer == call.writes[0].buffer == "k0.arg1.2"
    assert found.findings == ("1_identity (identity) writes only a part of k0.arg1.2: it is left a call",)


def test_ops_that_write_halves_of_a_tensor_write_it_together() -> None:
    half, walked = tensor("1 512 64", "0; c0; Mod(c1, 64)", "hbm 0"), "c0; Mod(c1, 64)"
    halves = [
        spec(
            name,
            "c0 512/32, c1 64",
            half,
            tensor("2 512 64", f"floor(c1/64) + {number}; {walked}", "hbm 1", output=True),
        )
        for number, name in enumerate(("neg", "exp"))
    ]
    found = made(*halves)
    program = found.compilation.problem.program
    assert [op.write.buffer for op in program.ops] == ["k0.arg1", "k0.arg1"]
    assert [op.write.index.offset for op in program.ops] == [0, 64]
    assert [view.shape for view in program.outputs] == [(512, 128)]
    assert not found.findings
    assert not violations(found.compilation)


@pytest.mark.parametrize(("start", "place"), [(1, 0), (0, 128), (0, 0)])
def test_copies_side_by_side_are_one_concatenation(start: int, place: int) -> None:
    """The start of a piece is told by its coordinates or by its place in LX; if it is not, pieces are in order."""
    pieces = [
        spec(
            "identity",
            "c0 8/8, c1 64",
            tensor("1 8 64", "0; c0; Mod(c1, 64)", f"hbm {number}"),
            tensor("2 8 64", f"floor(c1/64) + {start * number}; c0; Mod(c1, 64)", f"lx {place * number}", output=True),
        )
        for number in range(2)
    ]
    walked = "floor(c1/64); c0; Mod(c1, 64)"
    last = spec("exp", "c0 8/8, c1 128", tensor("2 8 64", walked, "lx 0"), tensor("2 8 64", walked, "hbm 2"))
    found = made(*pieces, replace(last, args=(last.args[0], replace(last.args[1], is_input=False))))
    op = found.compilation.problem.program.ops[0]
    assert len(found.compilation.problem.program.ops) == 2
    assert (op.extents["i"], op.extents["j"]) == (8, 128)
    assert sum(isinstance(step, Load) and step.mask is not None for step in op.body) == 2
    assert len(found.findings) == (0 if start or place else 1)
    assert not violations(found.compilation)


@pytest.mark.parametrize(
    ("name", "constants", "primitives"),
    [
        ("clip", {"clipMin": -1.0, "clipMax": 1.0}, ["maximum", "minimum"]),
        ("softplus", {"softplusBeta": 2.0, "softplusThresh": 20.0}, ["mul", "exp", "log1p", "truediv", "gt", "where"]),
        ("relufwd", {}, ["relu"]),
        ("mean", {"scaling_factor": 1 / 1024}, ["mul"]),
    ],
)
def test_op_functions_with_numbers(name: str, constants: dict[str, float], primitives: list[str]) -> None:
    out = tensor(*(COLUMN if name == "mean" else ROWS), "hbm 1", output=True)
    op = spec(name, BY_ROWS, tensor(*ROWS, "hbm 0"), out, reduction=name == "mean")
    found = made(replace(op, constants=frozendict(constants)))
    body = found.compilation.problem.program.ops[0].body
    assert [step.primitive for step in body if isinstance(step, Apply)] == primitives
    assert not found.findings
    assert not violations(found.compilation)


@pytest.mark.parametrize("name", ["softplus", "mean"])
def test_a_number_that_is_missing_leaves_a_call(name: str) -> None:
    out = tensor(*(COLUMN if name == "mean" else ROWS), "hbm 1", output=True)
    found = made(spec(name, BY_ROWS, tensor(*ROWS, "hbm 0"), out, reduction=name == "mean"))
    assert found.compilation.problem.program.ops[0].kind is OpKind.OPAQUE


def test_a_product_is_divided_as_the_file_says_its_sum_first() -> None:
    found = made(matmul("c0 512/8, c1 256/2, c2 1024/2")).compilation
    (division,) = found.plan.divisions.values()
    assert [(split.loop, split.factor, split.step) for split in division.splits] == [
        ("k", 2, 512),
        ("m", 8, 64),
        ("n", 2, 128),
    ]
    assert not violations(found)


# What is refused


def _empty() -> OpSpec:
    return replace(add(), args=(tensor("0 512 64", ROWS[1], "hbm 7"), *add().args[1:]))


def _reached(beyond: str) -> OpSpec:
    walked = f"floor(c1/64); c0 + {beyond}; Mod(c1, 64)"
    return spec("exp", "c0 512, c1 1024", tensor("16 512 64", walked, "hbm 0"), tensor(*ROWS, "hbm 1", output=True))


@pytest.mark.parametrize(
    ("ops", "why"),
    [
        ((), "its kernels have no ops"),
        ((replace(add(), op=""),), "the op has no name"),
        ((replace(add(), args=add().args[:2]),), "it has no output"),
        ((spec("add", "c0 512/64, c1 1024", *add().args),), "divided over 64 cores, spyre has 32"),
        ((spec("add", "c0 512, c1 1024/32", *add().args),), "j has 16 sticks and is cut into 32 slices"),
        ((spec("add", "c0 4/8, c1 1024", *add().args),), "c0 of 4 iterations is cut into 8 slices"),
        ((_reached("9"),), r"op 0_exp \(exp\): it reaches element 520 of k0.arg0, beyond dim 0 of 512"),
        (
            (replace(add(), args=(tensor("0 512 64", ROWS[1], "hbm 7"), *add().args[1:])),),
            "has a device dim of 0 places",
        ),
    ],
)
def test_what_no_plan_can_hold_is_one_sentence(ops: tuple[OpSpec, ...], why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        made(*ops)
    assert "\n" not in caught.value.sentence


def test_a_shuffle_of_nothing_is_left_a_call() -> None:
    found = made(spec("shuffle", BY_ROWS, tensor(*ROWS, "lx 0", output=True)))
    assert found.compilation.problem.program.ops[0].kind is OpKind.OPAQUE


def test_a_device_of_fewer_cores_is_named() -> None:
    with pytest.raises(InputError, match="import it for a device of 32 cores or more"):
        imported((KernelSpec("kernel", (add(),)),), "model", DEVICE.with_cores(4))


def test_host_shapes_that_do_not_fit_are_told_and_left_out() -> None:
    wrong = replace(argument(0, "x"), shape=(512, 1000))
    found = made(spec("exp", BY_ROWS, tensor(*ROWS, "hbm 0"), tensor(*ROWS, "hbm 1", output=True)), arguments=(wrong,))
    assert "which is no stick layout of that shape" in found.findings[0]
    assert found.compilation.problem.program.buffers[0].shape == (512, 1024)


def test_an_index_that_gathers_is_left_a_call() -> None:
    walked = tuple(map(parse_expression, ("0", "indirect0", "Mod(c1, 64)")))
    out = tensor("1 512 64", "0; c0; Mod(c1, 64)", "hbm 1", output=True)
    found = made(spec("exp", "c0 512/32, c1 64", replace(tensor(*ROWS, "hbm 0"), coordinates=walked), out))
    assert found.compilation.problem.program.ops[0].kind is OpKind.OPAQUE


def test_a_copy_into_lx_that_is_read_is_a_clone() -> None:
    last = spec("exp", "c0 1024", tensor("16 64", "floor(c0/64); Mod(c0, 64)", "lx 0"), copied().args[0])
    out = replace(copied().args[0], is_input=False, argument=1, place=Place(Room.HBM, 1))
    found = made(copied(), replace(last, args=(last.args[0], out))).compilation
    assert [edit.kind for edit in found.plan.edits] == [EditKind.CLONE_IN]
    assert not violations(found)
