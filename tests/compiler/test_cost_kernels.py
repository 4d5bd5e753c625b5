"""How a kernel is put together: which law its traffic follows, what steps share, what overlaps, and what does not."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from compiler.cost.delivery import load_us, partitioned_us, replicated_us, shared_us, stored_us
from compiler.cost.memory import one_way_us, turnaround_us
from compiler.cost.model import price
from compiler.cost.patterns import Pattern, Sighting, bytes_per_ns
from compiler.cost.pricer import pricer_of
from compiler.cost.reductions import alone_us
from compiler.cost.requests import operand_request_us, plain_excess_us, swap_excess_us
from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.layout import stick_layout
from compiler.loops import Access, Gather, Load, LoopProgram
from compiler.plan import Edit, EditKind, Plan, Slot
from compiler.price import Cost, StepCost
from compiler.problem import Problem
from compiler.schedule import expand
from tests.compiler.shapes import divided, placed, plain_layouts
from tests.compiler.tiny import spyre
from tests.programs import attention, chain, problem_of, product, softmax, transposed
from tests.sketch import Sketch

S = spyre()
Cut = Mapping[str, tuple[tuple[str, int, int], ...]]


def planned(program: LoopProgram, cut: Cut | None = None) -> tuple[Problem, Plan]:
    """A plan with everything in device memory, some divisions given."""
    problem = problem_of(program)
    plan = divided(problem)
    made = {op: Division(tuple(Split(*split) for split in splits)) for op, splits in (cut or {}).items()}
    return problem, replace(plan, divisions=plan.divisions | made)


def cost_of(program: LoopProgram, cut: Cut | None = None) -> Cost:
    return price(*planned(program, cut))


def terms(step: StepCost) -> dict[str, float]:
    return {term.name: term.microseconds for term in step.terms}


def step(cost: Cost, name: str) -> StepCost:
    return next(one for one in cost.steps if one.step == name)


def inside(plan: Plan, *names: str) -> Plan:
    """Some buffers in LX."""
    return replace(plan, placement=plan.placement | {name: Slot(0, 128, 0, 9) for name in names})


def biased(*shape: int) -> LoopProgram:
    sketch = Sketch("bias")
    sketch.output(sketch.apply("add", sketch.input("x", *shape), sketch.parameter("b", shape[-1])))
    return sketch.program()


# Which law


def test_a_pattern_needs_all_of_its_op_in_device_memory() -> None:
    problem, plan = planned(biased(4096, 2048))
    assert list(terms(price(problem, plan).steps[0])) == [Pattern.ROW]
    for name in ("x", "b"):
        assert Pattern.ROW not in terms(price(problem, inside(plan, name)).steps[0])


def test_a_pattern_leaves_the_rest_of_its_kernel_at_the_ordinary_rate() -> None:
    sketch = Sketch("mixed")
    x = sketch.input("x", 4096, 2048)
    sketch.output(
        sketch.apply("add", x, sketch.parameter("b", 2048)), sketch.apply("neg", sketch.input("y", 4096, 2048))
    )
    cost = cost_of(sketch.program())
    size = 4096 * 2048 * 2
    rate = bytes_per_ns(S, Sighting(Pattern.ROW, 4096, 2048))
    assert step(cost, "add").total_us == pytest.approx((2 * size + 4096) / rate / 1000)
    assert step(cost, "neg").total_us == pytest.approx(one_way_us(S, 2 * size) + turnaround_us(S, size, size))
    assert len(cost.kernels) == 1


def test_a_reduction_is_alone_only_in_a_kernel_of_its_own() -> None:
    sketch = Sketch("sum")
    x = sketch.input("x", 512, 2048)
    total = sketch.reduce("sum", x, 1)
    sketch.output(total)
    (one,) = cost_of(sketch.program()).steps
    moved = 512 * 2048 * 2 + 512 * 128
    assert terms(one) == {"reduction alone": pytest.approx(alone_us(S, moved, 512, 32))}
    sketch.output(sketch.apply("neg", x))
    assert "reduction alone" not in terms(step(cost_of(sketch.program()), "sum"))


def test_a_reduction_across_rows_has_its_rate_in_any_kernel() -> None:
    sketch = Sketch("sum")
    x = sketch.input("x", 512, 2048)
    sketch.output(sketch.reduce("sum", x, 0))
    assert list(terms(cost_of(sketch.program()).steps[0])) == [Pattern.ACROSS_ROWS]
    sketch.output(sketch.apply("neg", x))
    assert Pattern.ACROSS_ROWS in terms(step(cost_of(sketch.program()), "sum"))


def test_a_result_of_the_model_in_lx_is_written_all_the_same() -> None:
    problem, plan = planned(chain(1024, 1024))
    cost = price(problem, inside(plan, "neg", "relu"))
    assert [one.write_bytes for one in cost.steps] == [0, 1024 * 1024 * 2]
    assert cost.total_us == pytest.approx(40.0, abs=0.005)


# Operands


def bmm(batch: int, rows: int, depth: int, columns: int) -> LoopProgram:
    sketch = Sketch("bmm")
    sketch.output(sketch.matmul(sketch.input("x", batch, rows, depth), sketch.input("y", batch, depth, columns)))
    return sketch.program()


def test_operands_of_a_true_bmm_are_loaded_by_each_core_that_needs_them() -> None:
    cut = {"matmul": (("j", 4, 128), ("l", 8, 64))}
    (one,) = cost_of(bmm(2, 512, 64, 512), cut).steps
    size = 2 * 512 * 64 * 2
    assert one.read_bytes == 8 * size + 4 * size
    found = [term for term in one.terms if term.name == "replicated operand"]
    assert [term.microseconds for term in found] == [replicated_us(S, size, 8, 32), replicated_us(S, size, 4, 32)]
    assert terms(one)["device memory"] == one_way_us(S, 2 * 512 * 512 * 2), "they leave what all cores share"
    assert "x 131,072 B, loads=8 cores=32" in found[0].inputs


def test_operands_of_a_plain_product_crowd_beyond_eight_readers() -> None:
    program = product(1024, 512, 2048)
    size = 512 * 2048 * 2
    for readers in (8, 16, 32):
        (one,) = cost_of(program, {"matmul": (("i", readers, 1024 // readers),)}).steps
        expected = shared_us(S, size, readers)
        assert terms(one).get("shared operand", 0) == pytest.approx(expected)
    assert expected > 0


def test_a_part_used_once_is_slow_on_few_cores() -> None:
    sketch = Sketch("scores")
    sketch.output(sketch.matmul(sketch.input("q", 4, 1, 128), sketch.input("k", 4, 128, 1024)))
    (one,) = cost_of(sketch.program(), {"matmul": (("i", 4, 1),)}).steps
    found = [term for term in one.terms if term.name == "partitioned operand"]
    assert [term.microseconds for term in found] == [partitioned_us(S, 4 * 128 * 1024 * 2, 4)]


def test_of_two_readers_the_dearer_pays() -> None:
    """Both products read x; the first cuts its columns by 16, the second by 32."""
    sketch = Sketch("two")
    x = sketch.input("x", 512, 512)
    sketch.output(*(sketch.matmul(x, sketch.input(name, 512, 2048)) for name in ("v", "w")))
    both = {"matmul": (("j", 16, 128),), "matmul_1": (("j", 32, 64),)}
    first, second = cost_of(sketch.program(), both).steps
    size = 512 * 512 * 2
    assert terms(first)["shared operand"] == pytest.approx(shared_us(S, size, 16))
    assert terms(second)["shared operand"] == pytest.approx(shared_us(S, size, 32) - shared_us(S, size, 16))
    assert second.read_bytes == 512 * 2048 * 2, "x is there already"
    turned = {"matmul": both["matmul_1"], "matmul_1": both["matmul"]}
    assert "shared operand" not in terms(cost_of(sketch.program(), turned).steps[1])


@pytest.mark.parametrize(("excesses", "expected"), [([(10, 10), (1, 20)], 20), ([(10, 0), (0, 5)], 10), ([], 0)])
def test_delivery_and_requests_of_one_input(excesses: list[tuple[float, float]], expected: float) -> None:
    assert load_us(excesses) == expected


def test_a_store_by_value_is_slow_on_one_core() -> None:
    sketch = Sketch("scatter")
    x, at = sketch.input("x", 64, 512), sketch.input("at", 64, dtype=DType.I32)
    sketch.output(sketch.rows_of(x, at))
    op = sketch.ops[0]
    rows, table = op.reads
    plain = replace(table, index=replace(op.write.index))
    put = Access(op.write.buffer, replace(table.index, gathers=(Gather(512, 0, 64),)))
    sketch.ops[0] = replace(op, reads=(rows, plain), writes=(put,), body=(Load(0, DType.I32), Load(1, DType.F16)))
    (one,) = cost_of(sketch.program(), {op.name: ()}).steps
    assert terms(one)["indirect store"] == pytest.approx(stored_us(S, one.write_bytes, 1))
    assert one.write_bytes == 64 * 512 * 2


# Requests


def test_short_runs_of_ordinary_reads_overlap_with_nothing() -> None:
    """[64, 4096] with one row on each of 32 cores: single sticks."""
    (one,) = cost_of(chain(64, 4096, primitives=("neg",)), {"neg": (("i", 32, 2),)}).steps
    size = 64 * 4096 * 2
    assert terms(one)["short bursts"] == pytest.approx(operand_request_us(S, size, 256, 32))
    assert one.serial_us == terms(one)["short bursts"]
    assert one.total_us == pytest.approx(one.hbm_us + one.serial_us)


@pytest.mark.parametrize("dtype", [DType.F32, DType.I8])
def test_requests_of_other_widths_were_not_measured(dtype: DType) -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.input("x", 64, 4096, dtype=dtype)))
    assert cost_of(sketch.program(), {"neg": (("i", 32, 2),)}).serial_us == 0


def test_operands_of_contractions_do_not_pay_for_requests() -> None:
    assert cost_of(bmm(32, 64, 64, 64), {"matmul": (("i", 32, 1),)}).serial_us == 0


def copied(cores: int, target: tuple[int, ...] = (0, 2, 1)) -> tuple[Problem, Plan]:
    """x [64, 64, 64], dim 0 just before the stick, copied to another stick; each core reads single sticks."""
    problem = problem_of(chain(64, 64, 64, primitives=("neg",)))
    x = problem.program.buffer_map["x"]
    layout = stick_layout(x.shape, x.strides, 64, target)
    kind = EditKind.RESTICKIFY if target[-1] != 2 else EditKind.REORDER
    edit = Edit("neg.x", kind, "x", "x.i", "neg", ("neg",))
    plan = divided(problem, {"x": plain_layouts(problem)["x"], "x.i": layout, "neg": layout}, (edit,))
    return problem, replace(plan, divisions=plan.divisions.set("neg.x", Division((Split("d0", cores, 64 // cores),))))


@pytest.mark.parametrize("cores", [1, 16, 32])
def test_a_restickify_pays_for_its_requests(cores: int) -> None:
    cost = price(*copied(cores))
    one, size = step(cost, "neg.x"), 64**3 * 2
    assert one.hbm_us == pytest.approx(2 * size / 116e3)
    assert terms(one).get("copy requests", 0) == swap_excess_us(S, size, 64 // cores * 128, cores)
    assert cost.restickify_us == one.hbm_us + one.serial_us


def test_a_restickify_into_lx_pays_for_requests_as_a_plain_copy_does() -> None:
    problem, plan = copied(32)
    one = step(price(problem, inside(plan, "x.i")), "neg.x")
    size = 64**3 * 2
    assert list(terms(one)) == ["device memory", "read/write turnaround", "copy requests"]
    assert terms(one)["copy requests"] == plain_excess_us(S, size, 256, 32)
    assert one.write_bytes == 0


def test_a_copy_inside_lx_costs_no_memory_time() -> None:
    problem, plan = copied(32)
    one = step(price(problem, inside(plan, "x", "x.i")), "neg.x")
    assert set(terms(one)) == {"load into LX"}, "its source, an input, has to come in first"


def test_an_inserted_copy_of_an_input_into_lx_is_a_load() -> None:
    problem, plan = copied(32, (1, 0, 2))
    outside, loaded = (step(price(problem, one), "neg.x") for one in (plan, inside(plan, "x.i")))
    size = 64**3 * 2
    assert outside.hbm_bytes == 2 * size
    assert terms(loaded)["load into LX"] == one_way_us(S, size)
    assert (loaded.hbm_us, loaded.read_bytes, loaded.write_bytes) == (0, size, 0)


# Contractions


def test_a_slow_dim_order_is_told_apart() -> None:
    """Batches of both operands just before the stick: 160 instead of 1140 MAC/ns/core."""
    (one,) = cost_of(bmm(4, 512, 512, 512)).steps
    found = terms(one)
    assert found["dim order"] == pytest.approx(found["compute"] * (1140 / 160 - 1))
    assert "rate=160" in next(term for term in one.terms if term.name == "dim order").inputs
    problem, plan = planned(bmm(4, 512, 512, 512))
    order = {
        name: stick_layout(buffer.shape, buffer.strides, 64, (1, 0, 2))
        for name, buffer in problem.program.buffer_map.items()
    }
    assert "dim order" not in terms(price(problem, divided(problem, order)).steps[0])
    assert plan.layouts["x"].dim_order == (0, 1, 2)


def test_the_bundled_form_is_that_of_reports() -> None:
    problem, plan = planned(product(1024, 1024, 1024), {"matmul": (("i", 8, 128), ("j", 4, 256))})
    cost = price(problem, plan, "bundled")
    assert terms(cost.steps[0])["compute"] == pytest.approx(29.43, abs=0.005)
    wide, tall = (planned(product(4096, 64, 4096), {"matmul": cut}) for cut in ((("j", 32, 128),), (("i", 32, 128),)))
    assert [terms(price(*one, "bundled").steps[0])["split re-read"] for one in (wide, tall)] == [
        pytest.approx(2060.45, abs=0.005)
    ] * 2
    assert "split re-read" not in terms(price(*wide).steps[0])


# Overlap and sums


def test_overlap_hides_a_share_of_the_smaller_part() -> None:
    for program in (product(4096, 4096, 4096), product(256, 256, 256), chain(64, 4096)):
        problem, plan = planned(program)
        for share in (0.0, S.number("joint_overlap"), 1.0):
            cost = price(problem, plan, overlap=share)
            hidden = share * min(cost.compute_us, cost.hbm_us)
            assert cost.total_us == pytest.approx(cost.compute_us + cost.hbm_us - hidden + cost.serial_us)
            assert cost.total_us == pytest.approx(sum(one.total_us for one in cost.steps))


@pytest.mark.parametrize(
    "program", [attention(), softmax(), biased(64, 256), bmm(4, 64, 64, 64), chain(33, 100)], ids=lambda one: one.name
)
@pytest.mark.parametrize("form", ["planner", "bundled"])
def test_each_term_tells_what_it_is_made_of(program: LoopProgram, form: str) -> None:
    problem = problem_of(program)
    cost = price(problem, placed(problem), "planner" if form == "planner" else "bundled")
    for one in cost.steps:
        assert sum(term.microseconds for term in one.terms) == pytest.approx(
            one.compute_us + one.hbm_us + one.serial_us
        )
        for term in one.terms:
            assert term.microseconds > 0
            assert term.constants
            assert set(term.constants) <= problem.device.numbers.keys()
            assert "{" not in term.formula
            assert term.inputs


def test_equal_steps_share_a_pricer_and_prices_are_repeatable() -> None:
    sketch = Sketch("layers")
    x = sketch.input("x", 64, 256)
    sketch.output(*(sketch.apply("neg", x, name=f"layer{number}.neg") for number in range(2)))
    problem, plan = planned(sketch.program())
    schedule = expand(problem.program, plan)
    first, second = (pricer_of(one, schedule.buffers, plan.layouts, problem.device) for one in schedule.steps)
    assert first[0] is second[0]
    assert (first[1], second[1]) == (("x", "layer0.neg"), ("x", "layer1.neg"))
    assert price(problem, plan) == price(problem, plan)


def test_a_resident_input_is_loaded_once_for_the_whole_graph() -> None:
    sketch = Sketch("host")
    x = sketch.input("x", 64, 1024)
    sketch.output(sketch.opaque("sort", sketch.apply("neg", x)), sketch.apply("relu", x), sketch.apply("abs", x))
    problem, plan = planned(sketch.program())
    cost = price(problem, inside(plan, "x"))
    assert [one.step for one in cost.steps if "load into LX" in terms(one)] == ["neg"]
    assert [one.read_bytes for one in cost.steps] == [64 * 1024 * 2] * 2 + [0, 0]


def test_equal_reads_of_one_step_are_one_load() -> None:
    sketch = Sketch("square")
    x = sketch.input("x", 64, 64)
    sketch.output(sketch.matmul(x, transposed(x)))
    (one,) = cost_of(sketch.program()).steps
    assert one.read_bytes == 2 * 64 * 64 * 2, "one per index"
