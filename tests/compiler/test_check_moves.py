"""Moves between device memory and LX and over the ring: good plans pass, what breaks a rule of theirs does not."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from compiler.check import check, check_partial
from compiler.division import Division
from compiler.dtypes import DType
from compiler.layout import UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import OutputView
from compiler.plan import EditKind, Kernel, Plan
from compiler.problem import Problem
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.moved_plans import (
    BY_ROWS,
    COPY_ROWS,
    COPY_SQUARE,
    GOOD,
    SQUARE,
    Built,
    clone_out,
    evicted,
    living,
    loaded,
    moved,
    multiplied,
    ring,
    spread,
    sticks_of_rows,
    turned,
    turned_back,
)
from tests.compiler.tiny import (
    HBM,
    buffer,
    divided,
    failed,
    graph_input,
    laid_out,
    op,
    placed,
    program,
    slot,
    split,
    spyre,
)
from tests.compiler.tiny_problems import ROW_BYTES, ROWS, among, only
from tests.oracle import judge


@pytest.mark.parametrize("name", GOOD)
def test_good_plans_pass(name: str) -> None:
    problem, plan = GOOD[name]()
    assert failed(check(problem, plan)) == {}
    assert judge(problem, plan) == []
    assert plan_faults(problem, plan, finished=True) == []


@pytest.mark.parametrize("name", GOOD)
def test_good_plans_pass_on_the_way(name: str) -> None:
    problem, plan = GOOD[name]()
    for decided in ({"layouts"}, {"layouts", "edits"}, {"layouts", "edits", "divisions"}):
        assert failed(check_partial(problem, plan, frozenset(decided))) == {}


def edited(plan: Plan, number: int, **change: object) -> Plan:
    """The plan with one edit changed."""
    edits = list(plan.edits)
    edits[number] = replace(edits[number], **change)  # type: ignore[arg-type]
    return replace(plan, edits=tuple(edits))


# The list of edits


@pytest.mark.parametrize(
    ("build", "number", "change", "words"),
    [
        (turned, 0, {"replicas": 0}, "edit ring of a: it makes 0 replicas"),
        (turned, 0, {"replicas": True}, "it makes True replicas"),
        (turned, 0, {"replicas": 2.0}, "it makes 2.0 replicas"),
        (evicted, 0, {"replicas": 2}, "edit a@out of a: it makes 2 replicas, and a clone-out makes but one"),
        (turned, 0, {"kind": EditKind.PAD, "replicas": 2}, "it makes 2 replicas, and a pad makes but one"),
        (turned, 0, {"before": ""}, "its reader to_b runs before it"),
        (evicted, 1, {"before": ""}, "its reader to_y runs before it"),
        (evicted, 1, {"before": "to_b"}, "it runs before edit a@out, which makes its source"),
        (evicted, 0, {"before": ""}, "its reader to_y runs before it"),
        (evicted, 0, {"readers": ("to_c",)}, "edit a@out of a: its reader to_c does not read the source"),
        (evicted, 1, {"readers": ("to_b",)}, "its reader to_b runs before it"),
        (turned_back, 0, {"readers": ("to_b",)}, "edit back of there: its reader to_y does not read the source"),
        (turned_back, 1, {"source": "a"}, "edit back of a: its reader to_y is already sent to another copy"),
        (turned_back, 1, {"source": "a@ring"}, "edit back of a@ring: there is no such buffer"),
        (turned_back, 1, {"target": "there"}, "its target there exists already"),
        (loaded, 1, {"readers": ("output:out1",)}, "its reader output:out1 is no output"),
        (loaded, 1, {"readers": ("output:out0#0",)}, "its reader output:out0#0 does not read the source"),
        (loaded, 1, {"source": "a"}, "its reader output:out0 does not read the source"),
        (loaded, 1, {"readers": ()}, "edit y@out of y: it has no reader"),
        (loaded, 1, {"readers": ("output:out0", "output:out0")}, "it names a reader twice"),
        (loaded, 1, {"kind": EditKind.REORDER}, "is the host, which only moves that keep the layout serve"),
    ],
)
def test_malformed_edits(build: Callable[[], Built], number: int, change: dict[str, object], words: str) -> None:
    problem, plan = build()
    assert words in among(problem, edited(plan, number, **change), "edits")


def test_an_output_is_sent_to_one_clone() -> None:
    problem, plan = loaded()
    again = replace(plan.edits[1], name="again", target="y@2")
    words = among(problem, replace(plan, edits=(*plan.edits, again)), "edits")
    assert "edit again of y: its reader output:out0 is already sent to another copy" in words


def test_the_order_of_edits_is_that_of_their_sources() -> None:
    problem, plan = evicted()
    words = among(problem, replace(plan, edits=plan.edits[::-1]), "edits")
    assert "edit a@in of a@out: there is no such buffer" in words


def test_a_source_is_written_before_the_move() -> None:
    problem, plan = turned()
    early = replace(plan.edits[0], before="to_a")
    plan = replace(plan, edits=(early,), kernels=(Kernel("k", ("ring", "to_a", "to_b", "to_y")),))
    assert "ring (step 0) reads a before it is written" in among(problem, plan, "coverage")


def test_every_move_is_launched() -> None:
    problem, plan = loaded()
    kernels = (Kernel("k", ("x@in", "to_a", "to_b", "to_y")),)
    assert only(problem, replace(plan, kernels=kernels), "edits") == "step y@out is in 0 kernels"


# What a kind promises


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (sticks_of_rows(), "turns sticks of 64 along dim 1, arranged standard into sticks of 64 along dim 0"),
        (stick_layout((64, 128), (128, 1), 64, (UNIT, 0, 1)), "changes the dim order (0, 1) into (-2, 0, 1)"),
        (stick_layout((64, 128), (128, 1), 64, padding=((0, 96),)), "changes the zeros along dims from () to ((0, 96)"),
    ],
)
@pytest.mark.parametrize(
    ("build", "step", "target", "kind"),
    [
        (turned, "ring", "a@ring", "relayout"),
        (evicted, "a@in", "a@in", "clone-in"),
        (evicted, "a@out", "a@out", "clone-out"),
    ],
)
def test_moves_keep_the_layout(
    build: Callable[[], Built], step: str, target: str, kind: str, layout: StickLayout, words: str
) -> None:
    problem, plan = build()
    wrong = laid_out(plan, **{target: layout})
    assert f"{step}: is a {kind}, but {words}" in among(problem, wrong, "sticks")


@pytest.mark.parametrize(
    ("build", "name", "words"),
    [
        (turned, "a", "ring (step 1) is a relayout, but its source a of 16384 bytes is in device memory"),
        (turned, "a@ring", "ring (step 1) is a relayout, but its target a@ring of 16384 bytes is in device memory"),
        (loaded, "x@in", "x@in (step 0) is a clone-in, but its target x@in of 16384 bytes is in device memory"),
        (loaded, "y", "y@out (step 4) is a clone-out, but its source y of 16384 bytes is in device memory"),
        (evicted, "a", "a@out (step 2) is a clone-out, but its source a of 16384 bytes is in device memory"),
        (evicted, "a@in", "a@in (step 4) is a clone-in, but its target a@in of 16384 bytes is in device memory"),
    ],
)
def test_moves_between_other_places(build: Callable[[], Built], name: str, words: str) -> None:
    problem, plan = build()
    assert words in among(problem, placed(plan, **{name: HBM, "b": HBM}), "ownership")


def test_clones_between_lx_and_lx() -> None:
    problem, plan = evicted()
    wrong = placed(plan, **{"a@out": living(problem, plan, "a@out", 4 * ROW_BYTES, ROW_BYTES)})
    words = only(problem, wrong, "ownership")
    assert "a@out (step 2) is a clone-out, but its target a@out of 16384 bytes is in LX" in words
    assert "a@in (step 4) is a clone-in, but its source a@out of 16384 bytes is in LX" in words


def test_a_move_of_another_kind_is_seen_by_its_places() -> None:
    for build, number, kind in (
        (turned, 0, EditKind.CLONE_IN),
        (turned, 0, EditKind.CLONE_OUT),
        (loaded, 0, EditKind.RELAYOUT),
        (loaded, 1, EditKind.RELAYOUT),
        (evicted, 1, EditKind.CLONE_OUT),
    ):
        problem, plan = build()
        assert f"is a {kind}, but its " in only(problem, edited(plan, number, kind=kind), "ownership")


# Outputs


def test_an_output_in_lx_has_a_clone() -> None:
    problem, plan = loaded()
    bare = replace(
        plan,
        edits=plan.edits[:1],
        kernels=(Kernel("k", ("x@in", "to_a", "to_b", "to_y")),),
        layouts=plan.layouts.delete("y@out"),
        placement=plan.placement.delete("y@out"),
        divisions=plan.divisions.delete("y@out"),
    )
    bare = placed(bare, y=slot(ROW_BYTES, ROW_BYTES, 3, 3))
    words = only(problem, bare, "ownership")
    assert words == "y is in LX, but it is output out0, which the host reads from device memory"


def test_both_outputs_of_one_buffer_need_the_clone() -> None:
    problem, plan = loaded()
    second = OutputView("out1", "y", (64, 128), (128, 1))
    problem = replace(problem, program=replace(problem.program, outputs=(*problem.program.outputs, second)))
    assert "y is in LX, but it is output out1" in only(problem, plan, "ownership")
    both = edited(plan, 1, readers=("output:out0", "output:out1"))
    assert failed(check(problem, both)) == {}
    assert judge(problem, both) == []


def test_an_output_is_not_read_where_a_relayout_leads() -> None:
    problem, plan = loaded()
    wrong = divided(edited(plan, 1, kind=EditKind.RELAYOUT), **{"y@out": COPY_SQUARE})
    wrong = placed(wrong, **{"y@out": slot(2 * ROW_BYTES, ROW_BYTES, 4, 4)})
    words = only(problem, wrong, "ownership")
    assert words == "y@out is in LX, but it is output out0, which the host reads from device memory"


def test_an_output_goes_over_the_ring_and_out() -> None:
    problem, plan = loaded()
    edits = (plan.edits[0], ring("y", "y@ring", "", "output:out0"), clone_out("y@ring", "y@out", "", "output:out0"))
    divisions = {**plan.divisions, "y@ring": COPY_SQUARE, "y@out": COPY_SQUARE}
    lx = {"x@in": (0, ROW_BYTES), "y": (ROW_BYTES, ROW_BYTES), "y@ring": (0, ROW_BYTES)}
    plan = moved(problem, edits, divisions, lx)
    assert failed(check(problem, plan)) == {}
    assert judge(problem, plan) == []


def test_the_clone_of_an_output_is_not_staggered() -> None:
    x, y = graph_input("x", 64, 128), buffer("y", 64, 128, dtype=DType.F32)
    problem = Problem(program([x, y], [op("up", "ij", ROWS, [(x, "ij")], (y, "ij"))], y), spyre(4))
    layout = stick_layout(y.shape, y.strides, 32, None, Arrangement.F16_TO_F32)
    edit = clone_out("y", "y@out", "", "output:out0")
    size = 16 * 4 * 128
    plan = moved(problem, (edit,), {"up": BY_ROWS, "y@out": COPY_ROWS}, {"y": (0, size)}, {"y": layout})
    words = only(problem, plan, "sticks")
    assert words == "output out0: y@out leaves the device arranged f16-to-f32"


# Replicas


def test_every_core_writes_its_own_replica() -> None:
    problem, plan = spread()
    whole = divided(plan, **{"f@ring": split(d0=(2, 64))})
    words = among(problem, whole, "coverage")
    assert words.startswith("f@ring is written more than once on a core by f@ring: its 2 replicas are cut into 1")
    problem, plan = multiplied()
    four = edited(plan, 0, replicas=4)
    assert "a@in is written more than once on a core by a@in: its 4 replicas are cut into 2" in among(
        problem, divided(four, **{"a@in": split(replica=(2, 2), d0=(2, 4))}), "coverage"
    )


@pytest.mark.parametrize(("name", "owner"), [("a@in", 2), ("b@in", 0)])
def test_replicas_lie_where_the_product_runs(name: str, owner: int) -> None:
    problem, plan = multiplied()
    other = {"a@in": split(replica=(2, 1), d0=(2, 4)), "b@in": split(d1=(2, 64), replica=(2, 1))}
    words = only(problem, divided(plan, **{name: other[name]}), "ownership")
    assert f"{name} is in LX, but in multiply (step 2) core 1 reads " in words
    assert f"elements it does not all hold: core {owner} holds them" in words


def test_a_product_finds_no_replica_of_the_whole() -> None:
    problem, plan = multiplied()
    single = divided(edited(plan, 0, replicas=1), **{"a@in": split(d0=(2, 4))})
    words = only(problem, single, "ownership")
    assert "in multiply (step 2) core 2 reads 256 elements and holds none: only 2 cores wrote it" in words


def test_replicas_count_alike() -> None:
    """Parts of one row more on some cores: the boxes no longer tile the tensor."""
    problem, plan = multiplied()
    wrong = divided(plan, **{"a@in": split(d0=(2, 6), replica=(2, 1))})
    assert "a@in is in LX, but its cores hold boxes of 2 different sizes" in among(problem, wrong, "ownership")
    three = divided(plan, **{"a@in": split(d0=(2, 5), replica=(2, 1))})
    assert "a@in is in LX, but its cores hold boxes of 2" in among(problem, three, "ownership")


def test_replicas_are_not_for_device_memory() -> None:
    problem, plan = multiplied()
    assert "is a clone-in, but its target a@in" in only(problem, placed(plan, **{"a@in": HBM}), "ownership")


# Who finds what


@pytest.mark.parametrize(
    ("build", "change", "words"),
    [
        (
            turned,
            {"ring": split(d1=(2, 64), d0=(2, 32))},
            "a@ring is in LX, but in to_b (step 2) core 1 reads 2048 elements it does not all hold: core 2 holds them",
        ),
        (
            turned,
            {"to_b": BY_ROWS},
            "a@ring is in LX, but in to_b (step 2) core 0 reads 2048 elements it does not all hold",
        ),
        (turned, {"to_b": split(i=(2, 32))}, "core 0 reads 4096 elements it does not all hold"),
        (turned, {"ring": COPY_ROWS}, "a is in LX, but ring (step 1) changes nothing: every core holds its part"),
        (turned, {"ring": split(d0=(2, 32))}, "ring (step 1) runs on 2 cores, but to_a left parts on 4"),
        (
            evicted,
            {"a@out": COPY_SQUARE},
            "a is in LX, but in a@out (step 2) core 0 reads 2048 elements it does not all hold",
        ),
        (evicted, {"a@in": COPY_SQUARE}, "a@in is in LX, but in to_y (step 5) core 0 reads 2048"),
        (loaded, {"y@out": split(d0=(2, 32))}, "y is in LX, but in y@out (step 4) core 0 reads 4096"),
        (turned_back, {"back": COPY_SQUARE}, "there is in LX, but back (step 3) changes nothing"),
    ],
)
def test_wrong_owners(build: Callable[[], Built], change: dict[str, Division], words: str) -> None:
    problem, plan = build()
    assert words in among(problem, divided(plan, **change), "ownership")


def test_a_reader_that_was_left_behind() -> None:
    """to_y still reads the rows although it runs in squares: only to_b was sent to the copy."""
    problem, plan = turned_back()
    stale = replace(plan, edits=(replace(plan.edits[0], readers=("to_b",)),))
    drop = {name: getattr(stale, name).delete("back") for name in ("layouts", "placement", "divisions")}
    stale = replace(stale, **drop, kernels=(Kernel("k", ("to_a", "there", "to_b", "to_y")),))
    stale = divided(placed(stale, a=slot(0, ROW_BYTES, 0, 3)), to_y=SQUARE)
    words = only(problem, stale, "ownership")
    assert words == "a is in LX, but in to_y (step 3) core 0 reads 2048 elements it does not all hold"
    good = divided(placed(stale, there=slot(ROW_BYTES, ROW_BYTES, 1, 2)), to_y=BY_ROWS)
    assert failed(check(problem, good)) == {}
