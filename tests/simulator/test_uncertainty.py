"""Uncertainty: what rounding may do to the outputs of whole programs, and what it may not be taken for."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from compiler.dtypes import DType
from compiler.errors import StoppedError
from compiler.loops import Apply, Const, Load, OpaqueCall, OutputView
from simulator.functional.deviation import Moves
from simulator.functional.uncertainty import Uncertainty
from tests.simulator.programs import matmul, softmax
from tests.simulator.sketch import Sketch, at, binary, buffer, given, loops, opaque, pointwise, reduction, unary

F16, F32, I64 = DType.F16, DType.F32, DType.I64
ROWS, COLUMNS = 6, 128
NEST = loops(i=ROWS, j=COLUMNS)
FOLDED = loops("j", i=ROWS, j=COLUMNS)
WHOLE = {"i": COLUMNS, "j": 1}


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).half()


def centred() -> Sketch:
    """Rows minus their mean, summed up: what is left is the error of the mean, as many times as a row is long."""
    share = (Load(0, F16), Const(1 / COLUMNS, F16), Apply("mul", (0, 1), F16))
    return Sketch(
        buffers=(
            given("x", (ROWS, COLUMNS)),
            *(buffer("s", (ROWS, 1)), buffer("m", (ROWS, 1)), buffer("d", (ROWS, COLUMNS)), buffer("y", (ROWS, 1))),
        ),
        ops=(
            reduction("sum", "sum", FOLDED, at("x", **WHOLE), at("s", i=1), F16),
            pointwise("mean", loops(i=ROWS), (at("s", i=1),), at("m", i=1), share),
            binary("sub", "sub", NEST, at("x", **WHOLE), at("m", i=1), at("d", **WHOLE)),
            reduction("left", "sum", FOLDED, at("d", **WHOLE), at("y", i=1), F16),
        ),
        outputs=("y",),
    )


def deviation(sketch: Sketch, **inputs: Tensor) -> Moves:
    program = sketch.program()
    return Uncertainty(program, inputs).of(program.outputs[0])


def test_an_error_that_many_terms_share_is_counted_as_often() -> None:
    x = random(ROWS, COLUMNS) + 10
    moves = deviation(centred(), x=x)
    assert moves is not None
    one_mean = 10 * 2.0**-11
    assert float(moves.min()) > 0.5 * COLUMNS * one_mean
    assert float(moves.max()) < 5 * COLUMNS * one_mean


def test_what_two_ways_of_rounding_give_is_within_a_few_deviations() -> None:
    case = softmax()
    program = case.sketch.program()
    moves = Uncertainty(program, case.inputs).of(program.outputs[0])
    assert moves is not None
    exact = torch.softmax(case.inputs["x"].double(), -1)
    off = ((case.outputs[0].double() - exact).abs() / moves).square().mean().sqrt()
    assert 0.05 < float(off) < 1.0


def test_a_contraction_of_exact_operands_is_uncertain_by_half_a_step() -> None:
    case = matmul()
    program = case.sketch.program()
    moves = Uncertainty(program, case.inputs).of(program.outputs[0])
    assert moves is not None
    torch.testing.assert_close(moves, case.outputs[0].double().abs() * 2.0**-11, rtol=1.0, atol=1e-3)


def test_what_is_copied_is_certain() -> None:
    copy = pointwise("copy", NEST, (at("x", **WHOLE),), at("y", **WHOLE), (Load(0, F16),))
    sketch = Sketch((given("x", (ROWS, COLUMNS)), buffer("y", (ROWS, COLUMNS))), (copy,), ("y",))
    assert deviation(sketch, x=random(ROWS, COLUMNS)) is None


def test_a_part_of_a_buffer_that_is_copied_stays_certain_beside_one_that_is_computed() -> None:
    half = {"i": COLUMNS, "j": 1}
    nest = loops(i=ROWS, j=COLUMNS // 2)
    ops = (
        pointwise("left", nest, (at("x", **half),), at("y", **half), (Load(0, F16),)),
        unary("right", "exp", nest, at("x", offset=64, **half), at("y", offset=64, **half), F16),
    )
    sketch = Sketch((given("x", (ROWS, COLUMNS)), buffer("y", (ROWS, COLUMNS))), ops, ("y",))
    for order in (ops, ops[::-1]):
        moves = deviation(Sketch(sketch.buffers, order, ("y",)), x=random(ROWS, COLUMNS))
        assert moves is not None
        assert not moves[:, :64].any()
        assert moves[:, 64:].all()


def after_exp(
    target: str, arguments: tuple[str, ...], results: tuple[DType, ...], cut: int = 0
) -> Callable[..., Moves]:
    """A host op on exp(x): the deviation of one of its results."""
    size = cut or COLUMNS
    names = tuple(f"y{place}" for place in range(len(results)))
    buffers = (
        *(given("x", (ROWS, COLUMNS)), buffer("e", (ROWS, COLUMNS))),
        *(buffer(name, (ROWS, size), dtype) for name, dtype in zip(names, results, strict=True)),
    )
    steps = (
        unary("exp", "exp", NEST, at("x", **WHOLE), at("e", **WHOLE), F16),
        opaque("host", ("e",), names, OpaqueCall(target, arguments)),
    )
    program = Sketch(buffers, steps, names).program()

    def of(result: int, x: Tensor) -> Moves:
        return Uncertainty(program, {"x": x}).of(program.outputs[result])

    return of


def test_a_host_op_hands_errors_on_and_what_it_picks_may_be_any() -> None:
    of = after_exp("aten.topk.default", ('{"read": 0}', "3", "-1"), (F16, I64), cut=3)
    values, places = (of(place, random(ROWS, COLUMNS)) for place in (0, 1))
    assert values is not None
    assert places is not None
    largest = random(ROWS, COLUMNS).double().exp().topk(3, -1).values
    assert bool((values > largest * 2.0**-13).all())
    assert bool((values < largest.max() * 2.0**-9).all())
    assert float(places.min()) >= 100


def test_a_host_op_on_what_is_exact_is_exact_in_its_indices() -> None:
    call = OpaqueCall("aten.topk.default", ('{"read": 0}', "3", "-1"))
    buffers = (given("x", (ROWS, COLUMNS)), buffer("v", (ROWS, 3)), buffer("n", (ROWS, 3), I64))
    program = Sketch(buffers, (opaque("topk", ("x",), ("v", "n"), call),), ("v", "n")).program()
    found = Uncertainty(program, {"x": random(ROWS, COLUMNS)})
    assert found.of(program.outputs[1]) is None


def test_an_index_that_goes_astray_does_not_end_the_run() -> None:
    """The entry 2.998, once 3 by chance, is beyond the table."""
    as_index = (Load(0, F16), Apply("floor", (0,), F16), Apply("cast", (1,), I64))
    call = OpaqueCall("aten.index_select.default", ('{"read": 0}', "0", '{"read": 1}'))
    buffers = (
        given("x", (64,)),
        given("t", (3, 64)),
        buffer("e", (64,)),
        buffer("n", (64,), I64),
        buffer("y", (64, 64)),
    )
    ops = (
        unary("exp", "exp", loops(j=64), at("x", j=1), at("e", j=1), F16),
        pointwise("index", loops(j=64), (at("e", j=1),), at("n", j=1), as_index),
        opaque("pick", ("t", "n"), ("y",), call),
    )
    x = torch.full((64,), 2.998).log().half()
    assert float(x.exp().max()) == 3 - 2**-9, "the next number is 3"
    assert deviation(Sketch(buffers, ops, ("y",)), x=x, t=random(3, 64)) is not None


def test_inputs_that_are_written_are_followed_from_where_they_were() -> None:
    x = random(ROWS, COLUMNS)
    update = unary("exp", "exp", NEST, at("x", **WHOLE), at("x", **WHOLE), F16)
    program = Sketch((given("x", (ROWS, COLUMNS)),), (update,), ("x",)).program()
    before = x.clone()
    moves = Uncertainty(program, {"x": x}).of(program.outputs[0])
    assert torch.equal(x, before)
    assert moves is not None
    assert float((moves / x.double().exp()).min()) > 2.0**-13


def test_a_view_of_a_buffer_is_judged_element_by_element() -> None:
    case = matmul()
    program = case.sketch.program()
    found = Uncertainty(program, case.inputs)
    whole = found.of(program.outputs[0])
    turned = found.of(OutputView("t", "y", (128, 32), (1, 128)))
    assert whole is not None
    assert turned is not None
    torch.testing.assert_close(turned, whole.t())


def test_it_can_be_stopped_between_steps() -> None:
    case = softmax()
    with pytest.raises(StoppedError):
        Uncertainty(case.sketch.program(), case.inputs, lambda: True)
