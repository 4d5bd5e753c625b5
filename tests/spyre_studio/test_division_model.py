"""The division model: ranges, menus and what is lost, against the division's own arithmetic."""

from compiler.division import Division, Split
from compiler.loops import Loop, LoopOp, OpKind, Origin
from spyre_studio.division_model import owned, pinned_factors, splits_of, title_of
from tests.programs import attention
from tests.programs import product as matmul
from tests.spyre_studio.plans import compiled


def division(**factors: int) -> Division:
    return Division(tuple(Split(loop, factor, 64 // factor) for loop, factor in factors.items()))


def op_of(*loops: tuple[str, int]) -> LoopOp:
    nest = tuple(Loop(name, extent) for name, extent in loops)
    return LoopOp("op", OpKind.POINTWISE, "", nest, (), (), (), (), Origin())


def test_owned_ranges_are_those_of_the_division() -> None:
    op = op_of(("b", 4), ("m", 512))
    made = Division((Split("b", 4, 1), Split("m", 8, 64)))
    assert owned(op, made, 27) == "core 27 owns b 3, m 384–447"
    assert owned(op, Division((Split("m", 8, 64),)), 9) == "core 9 is idle"
    assert owned(op, Division(), 0) == "core 0 owns everything"


def test_a_slice_beyond_a_short_loop_owns_nothing() -> None:
    made = Division((Split("m", 4, 64),))
    assert owned(op_of(("m", 130)), made, 2) == "core 2 owns m 128–129"
    assert owned(op_of(("m", 130)), made, 3) == "core 3 owns nothing of m"


def test_titles_say_how_many_cores_work() -> None:
    assert title_of(division(b=4, m=8), 32) == "32 cores · b 4 × m 8"
    assert title_of(division(m=8), 32) == "8 of 32 cores · m 8"
    assert title_of(Division(), 32) == "1 of 32 cores · not split"
    assert pinned_factors({"m": 8, "n": 1}) == {"m": 8}


def test_menus_hold_the_legal_factors_and_the_chosen_one() -> None:
    compilation = compiled(program=matmul(128, 256, 512))
    name = compilation.problem.program.ops[0].name
    splits = splits_of(compilation, name)
    assert splits is not None
    for loop in splits.loops:
        assert loop.factors[0] == 1
        assert splits.chosen.factor(loop.name) in loop.factors
        for factor in loop.factors:
            assert not splits.objection({loop.name: factor})
    columns = next(loop for loop in splits.loops if loop.lanes > 1 and not loop.reduced)
    assert columns.words(2) == "4 sticks of 8"
    assert columns.words(1) == "all 512"


def test_impossible_factors_are_named() -> None:
    compilation = compiled(program=attention(2, 64, 64))
    splits = splits_of(compilation, "scores")
    assert splits is not None
    assert "32 are available" in splits.objection({"i": 2, "j": 64})
    assert splits_of(compilation, "nothing") is None


def test_what_is_lost_is_the_answer_of_the_compiler() -> None:
    splits = splits_of(compiled(program=attention(2, 64, 64)), "scores")
    assert splits is not None
    lost = splits.idle({"i": 2})
    assert lost is not None
    assert (lost.used, lost.cores) == (2, 32)
    assert lost.fuller
    assert not splits.objection(lost.fuller)
    assert splits.idle(lost.fuller) is None or splits.division(lost.fuller).cores < 32
