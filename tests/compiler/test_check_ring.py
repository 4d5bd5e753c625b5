"""What travels over the ring and where moves lie in LX: the gates of a relayout, addresses, lifetimes, take-overs."""

from dataclasses import replace

from compiler.check import check
from compiler.loops import OpKind, OutputView
from compiler.plan import Edit, EditKind, Kernel
from compiler.problem import Problem
from tests.compiler.moved_plans import (
    SQUARE,
    bracketed,
    gathered,
    living,
    loaded,
    moved,
    ring,
    spread,
    tall,
    turned,
)
from tests.compiler.tiny import (
    HBM,
    buffer,
    divided,
    failed,
    graph_input,
    laid_out,
    layout_of,
    op,
    placed,
    program,
    slot,
    split,
    spyre,
)
from tests.compiler.tiny_problems import ROW_BYTES, ROWS, among, only
from tests.oracle import judge

# Gates of the ring


def test_eight_ways_and_not_sixteen() -> None:
    """Rows to columns: every core has something for every other."""
    wide = tall(8, 512, 8, split(i=(8, 1)), split(d1=(8, 64)), split(j=(8, 64)))
    assert failed(check(*wide)) == {}
    assert judge(*wide) == []
    words = only(*tall(16, 1024, 16, split(i=(16, 1)), split(d1=(16, 64)), split(j=(16, 64))), "ownership")
    assert words == "a is in LX, but ring (step 1) core 0 sends to 16 cores, the limit is 8"


def test_from_many_into_few_parts() -> None:
    """Sixteen parts are gathered in one: fan-in 16."""
    x, b = graph_input("x", 64, 128), graph_input("b", 128, 1024)
    a, y, extents = buffer("a", 64, 128), buffer("y", 64, 1024), {"m": 64, "n": 1024, "k": 128}
    ops = [
        op("to_a", "ij", ROWS, [(x, "ij")], (a, "ij")),
        op("multiply", "mnK", extents, [(a, "mk"), (b, "kn")], (y, "mn"), OpKind.MATMUL, "sum"),
    ]
    problem = Problem(program([x, b, a, y], ops, y), spyre(16))
    edit = ring("a", "a@ring", "multiply", replicas=16)
    divisions = {
        "to_a": split(i=(16, 4)),
        "a@ring": split(replica=(16, 1)),
        "multiply": split(n=(16, 64)),
    }
    plan = moved(problem, (edit,), divisions, {"a": (0, 1024), "a@ring": (1024, 16384)})
    assert "core 0 sends to 16 cores, the limit is 8" in only(problem, plan, "ownership")
    roomy = replace(problem, device=problem.device.with_number("relayout_fan_limit", 16))
    assert failed(check(roomy, plan)) == {}
    tight = replace(problem, device=problem.device.with_number("relayout_fan_limit", 15))
    assert "the limit is 15" in only(tight, plan, "ownership")


def test_to_more_cores_only_if_to_all() -> None:
    built = (split(i=(8, 8)), split(d0=(16, 4)), split(i=(16, 4)))
    words = only(*tall(64, 128, 32, *built), "ownership")
    assert words == ("a is in LX, but ring (step 1) goes from 8 to 16 cores: to more cores it goes only if to all 32")
    assert failed(check(*tall(64, 128, 16, *built))) == {}


def test_from_fewer_cores_each_gets_from_one() -> None:
    words = only(
        *tall(64, 256, 8, split(i=(4, 16)), split(d0=(2, 32), d1=(4, 64)), split(i=(2, 32), j=(4, 64))), "ownership"
    )
    assert "core 0 receives from 2 cores; where more cores receive than send, from one each" in words


def test_all_cores_send_and_receive_alike() -> None:
    words = only(*tall(12, 128, 6, split(i=(4, 3)), split(d0=(6, 2)), split(i=(6, 2))), "ownership")
    assert words == "a is in LX, but ring (step 1) core 0 receives from 1 core, core 1 from 2"
    even = tall(12, 192, 6, split(i=(2, 6), j=(3, 64)), split(d0=(6, 2)), split(i=(6, 2)))
    assert failed(check(*even)) == {}
    assert judge(*even) == []


def test_a_part_has_one_sender() -> None:
    """What lies on two cores already goes nowhere over the ring."""
    problem, plan = spread()
    edits = (*plan.edits, ring("f@ring", "f@2", "to_y", replicas=2))
    edits = (replace(edits[0], readers=("to_y",)), edits[1])
    divisions = {**plan.divisions, "f@2": split(d0=(2, 64), replica=(2, 1)), "to_y": split(j=(2, 64), i=(2, 32))}
    divisions["f@ring"] = split(d0=(2, 64), replica=(2, 1))
    lx = {"f": (0, 128), "f@ring": (128, 128), "f@2": (256, 128)}
    words = only(problem, moved(problem, edits, divisions, lx), "ownership")
    assert words == (
        "f@ring is in LX, but f@2 (step 2) has two senders for one part: cores 0 and 2 both hold it since f@ring"
    )


def test_partial_sums_do_not_travel() -> None:
    problem, plan = turned()
    x, a = problem.program.buffer_map["x"], problem.program.buffer_map["a"]
    w = graph_input("w", 128, 128)
    extents = {"m": 64, "n": 128, "k": 128}
    first = op("to_a", "mnK", extents, [(x, "mk"), (w, "kn")], (a, "mn"), OpKind.MATMUL, "sum")
    ops = (first, *problem.program.ops[1:])
    buffers = (w, *problem.program.buffers)
    problem = replace(problem, program=replace(problem.program, buffers=buffers, ops=ops))
    plan = placed(laid_out(plan, w=layout_of(w)), w=HBM)
    assert failed(check(problem, divided(plan, to_a=split(m=(4, 16))))) == {}
    words = among(problem, divided(plan, to_a=split(k=(2, 64), m=(2, 32))), "ownership")
    assert "a is in LX, but to_a splits k: most cores hold partial sums" in words


def test_the_ring_serves_pointwise_steps_and_products() -> None:
    problem, plan = turned()
    b = problem.program.buffer_map["b"]
    m = buffer("b", 64, 1)
    total = op("to_b", "iJ", ROWS, [(problem.program.buffer_map["a"], "ij")], (m, "i."), OpKind.REDUCTION, "sum")
    last = op("to_y", "ij", ROWS, [(m, "i.")], (problem.program.buffer_map["y"], "ij"))
    assert b.name == m.name
    buffers = tuple(m if one.name == "b" else one for one in problem.program.buffers)
    problem = replace(
        problem, program=replace(problem.program, buffers=buffers, ops=(problem.program.ops[0], total, last))
    )
    plan = divided(laid_out(plan, b=layout_of(m)), to_b=split(j=(2, 64), i=(2, 32)), ring=split(d1=(2, 64), d0=(2, 32)))
    assert "ring (step 1) serves to_b, which is neither pointwise nor a product of two operands" in among(
        problem, plan, "ownership"
    )


def test_parts_are_gathered_for_products_only() -> None:
    problem, plan = gathered()
    a, y = problem.program.buffer_map["a"], buffer("y", 2, 8, 64)
    both = op("multiply", "bmk", {"b": 2, "m": 8, "k": 64}, [(a, "mk")], (y, "bmk"))
    buffers = tuple(y if one.name == "y" else one for one in problem.program.buffers)
    view = OutputView("out0", "y", y.shape, y.strides)
    loops = replace(problem.program, buffers=buffers, ops=(problem.program.ops[0], both), outputs=(view,))
    problem = replace(problem, program=loops)
    plan = divided(laid_out(plan, y=layout_of(y)), multiply=split(m=(2, 4), b=(2, 1)))
    gathers = "gathers parts on fewer owners than wrote them for multiply, which is no product"
    assert only(problem, plan, "ownership") == f"a is in LX, but a@ring (step 1) {gathers}"


def test_what_was_only_turned_goes_nowhere() -> None:
    x, w, y = graph_input("x", 128, 128), graph_input("w", 128, 128), buffer("y", 128, 128)
    extents = {"i": 128, "j": 128}
    problem = Problem(program([x, w, y], [op("add", "ij", extents, [(x, "ij"), (w, "ji")], (y, "ij"))], y), spyre(4))
    turn = Edit("turn", EditKind.RESTICKIFY, "w", "w2", "add", ("add",))
    edits = (turn, ring("w2", "w3", "add"))
    divisions = {
        "turn": split(d0=(2, 64), d1=(2, 64)),
        "w3": split(d1=(2, 64), d0=(2, 64)),
        "add": split(i=(2, 64), j=(2, 64)),
    }
    size = 64 * 128
    flipped = {"w2": layout_of(w, (1, 0))}
    plan = moved(problem, edits, divisions, {"w2": (0, size), "w3": (size, size)}, flipped)
    words = only(problem, plan, "ownership")
    assert words == "w2 is in LX, but w3 (step 1) moves what turn only turned: w is a graph input"


# Addresses and lifetimes


def test_source_and_target_are_both_alive_on_the_way() -> None:
    problem, plan = turned()
    shared = placed(plan, **{"a@ring": slot(0, ROW_BYTES, 1, 2)})
    words = only(problem, shared, "overlap")
    assert words == "a@ring [0, 4096) and a [0, 4096) are both alive in steps 1 to 1"
    over = placed(plan, **{"a@ring": slot(0, ROW_BYTES, 1, 2, "a")})
    assert "a@ring cannot take the place of a: ring writes it while other cores may still fetch from that" in only(
        problem, over, "overlap"
    )
    short = placed(plan, a=slot(0, ROW_BYTES, 0, 0), **{"a@ring": slot(0, ROW_BYTES, 2, 2)})
    words = only(problem, short, "budget")
    assert "a lives from step 0 to 0, but ring uses it in step 1" in words
    assert "a@ring lives from step 2 to 2, but ring uses it in step 1" in words


def test_the_bytes_of_a_copy_are_what_its_step_writes() -> None:
    problem, plan = spread()
    small = placed(plan, **{"f@ring": slot(128, 256, 1, 2)})
    assert only(problem, small, "budget") == "f@ring has 256 bytes reserved per core, f@ring writes 128"
    problem, plan = turned()
    top = problem.device.lx_budget_bytes
    wrong = placed(plan, **{"a@ring": slot(top - 128, ROW_BYTES, 1, 2)})
    assert f"a@ring ends at {top + ROW_BYTES - 128}, the LX budget is {top} bytes" in only(problem, wrong, "budget")


def test_the_place_of_a_clone_is_taken_over() -> None:
    problem, plan = loaded()
    wrong = divided(placed(plan, y=slot(ROW_BYTES, ROW_BYTES, 3, 4)), to_b=SQUARE)
    assert "a is in LX, but in to_b" in only(problem, wrong, "ownership")
    other = divided(plan, to_a=SQUARE, to_b=SQUARE)
    assert "core 0 holds other elements of the one than of the other" in among(problem, other, "overlap")
    kept = placed(plan, **{"x@in": slot(0, ROW_BYTES, 0, 2)})
    assert "a cannot take the place of x@in: that ends in step 2" in only(problem, kept, "overlap")


def test_the_place_of_what_came_over_the_ring_is_taken_over() -> None:
    problem, plan = turned()
    good = placed(plan, b=living(problem, plan, "b", ROW_BYTES, ROW_BYTES, "a@ring"))
    assert failed(check(problem, good)) == {}
    assert judge(problem, good) == []
    wrong = placed(plan, b=living(problem, plan, "b", 0, ROW_BYTES, "a"))
    assert "b cannot take the place of a: that ends in step 1" in only(problem, wrong, "overlap")


def test_nothing_stays_in_lx_across_a_call_on_the_host() -> None:
    problem, plan = bracketed()
    out, back, other = plan.edits
    late = replace(plan, edits=(replace(out, readers=("scan",)), other))
    late = replace(
        late, kernels=(Kernel("k0", ("to_a", "a@out")), Kernel("k1", ("scan",)), Kernel("k2", ("b@in", "to_y")))
    )
    drop = {name: getattr(late, name).delete("a@in") for name in ("layouts", "placement", "divisions")}
    late = placed(replace(late, **drop), a=slot(0, ROW_BYTES, 0, 4), **{"b@in": slot(ROW_BYTES, ROW_BYTES, 3, 4)})
    assert only(problem, late, "ownership") == "a is in LX, but it is alive across the opaque scan"
    direct = replace(plan, edits=(replace(out, readers=("to_y",)), back, other))
    assert "a is in LX, but the opaque scan reads it from device memory" in among(problem, direct, "ownership")
