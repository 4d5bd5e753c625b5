"""How many elements the local choice restickifies, for expressions whose least cost is known."""

import pytest

from compiler.errors import UnsupportedError
from tests.compiler.layout_cases import cost, moved, solved, total
from tests.programs import attention, softmax, transposed, unsqueezed
from tests.random_draft import View
from tests.sketch import Sketch

S = 128
SQUARE = (S, S)
QUAD = (64, 64, 64, 64)
t = transposed


def outer(view: View) -> View:
    """Dims 0 and 3 swapped."""
    return transposed(view, 0, 3)


@pytest.mark.parametrize("rows", [256, 128, 64])
@pytest.mark.parametrize("columns", [128, 64])
def test_a_transpose_added_to_a_matrix_moves_one_of_them(rows: int, columns: int) -> None:
    assert cost(lambda s, a, x: total(s, t(a), x), (rows, columns), (columns, rows)) == rows * columns
    assert cost(lambda s, a, x: total(s, x, t(a)), (rows, columns), (columns, rows)) == rows * columns


@pytest.mark.parametrize(
    ("build", "inputs", "squares"),
    [
        (lambda s, a, b, x: total(s, t(a), t(b), x), 3, 1),
        (lambda s, a, b, x: total(s, t(a), x, t(b)), 3, 1),
        (lambda s, a, b, x: total(s, x, t(a), t(b)), 3, 1),
        (lambda s, a, x, y: total(s, t(a), x, y), 3, 1),
        (lambda s, a, b, x, y: total(s, t(a), t(b), x, y), 4, 1),
        (lambda s, a, b, x, y: total(s, t(a), x, t(b), y), 4, 2),
        (lambda s, a, b, x, y: total(s, x, t(a), y, t(b)), 4, 2),
        (lambda s, a, b, x, y: total(s, t(a), x, y, t(b)), 4, 2),
        (lambda s, a, x, y, z: total(s, t(a), x, y, z), 4, 1),
        (lambda s, a, x, y, z: total(s, x, t(a), y, z), 4, 1),
        (lambda s, a, x, y, z: total(s, x, y, t(a), z), 4, 1),
        (lambda s, a, x, y, z: total(s, x, y, z, t(a)), 4, 1),
        (lambda s, a, b, c, d, e, f: total(s, total(s, total(s, a, b), total(s, t(c), d)), total(s, e, f)), 6, 1),
        (lambda s, a, b, c, d, e: s.matmul(total(s, a, t(b), t(c), t(d)), e), 5, 2),
        (lambda s, a, b, c: s.matmul(a, total(s, b, t(c))), 3, 1),
        (lambda s, a, b, c: s.matmul(t(a), total(s, b, t(c))), 3, 2),
        (lambda s, a, b, c: total(s, s.matmul(a, b), t(c)), 3, 1),
        (lambda s, a, b, c, d: total(s, s.matmul(a, b), t(c), t(d)), 4, 1),
        (lambda s, a, b, c: s.matmul(s.matmul(a, b), c), 3, 0),
        (lambda s, a, b, c: total(s, t(total(s, t(a), b)), c), 3, 1),
        (lambda s, a, b, c, d: total(s, s.matmul(t(a), b), s.matmul(c, t(d))), 4, 2),
        (lambda s, a, b, c, d: s.matmul(total(s, a, t(b)), total(s, c, t(d))), 4, 2),
        (lambda s, x, y: total(s, s.fill(S, S), t(x), y), 2, 1),
        (lambda s, y: s.matmul(s.fill(S, S), y), 1, 0),
        (lambda s, x, y: total(s, s.opaque("sin", x), t(y)), 2, 1),
    ],
)
def test_squares(build: object, inputs: int, squares: int) -> None:
    assert callable(build)
    assert cost(build, *[SQUARE] * inputs) == squares * S * S


def product(s: Sketch, a: View, b: View) -> View:
    return s.matmul(a, b)


def test_products_move_what_is_transposed() -> None:
    assert cost(product, (128, 256), (256, 64)) == 0
    assert cost(lambda s, x, y: s.matmul(t(x), y), (128, 256), (128, 192)) == 128 * 256
    assert cost(lambda s, x, y: s.matmul(x, t(y)), (128, 256), (64, 256)) == 64 * 256
    assert cost(lambda s, x, y: s.matmul(t(x), t(y)), (128, 256), (64, 128)) == 128 * 256 + 64 * 128
    assert cost(lambda s, a, b: s.matmul(t(a), b), (64, 128), (64, 192)) == 64 * 128


def test_a_value_used_twice_is_moved_once() -> None:
    def twice(s: Sketch, a: View, b: View) -> View:
        u = total(s, a, t(b))
        return total(s, u, u)

    assert cost(twice, SQUARE, SQUARE) == S * S
    assert cost(lambda s, v: s.apply("sub", unsqueezed(v, -1), unsqueezed(v, -2)), (64, 64)) == 64 * 64


def test_a_reduction_keeps_the_stick_its_reader_wants() -> None:
    def column_sums(s: Sketch, a: View, b: View, c: View) -> View:
        return total(s, s.reduce("sum", total(s, a, t(b)), 0, keep=False), c)

    assert cost(column_sums, SQUARE, SQUARE, (S,)) == S * S


def test_four_dims() -> None:
    assert cost(lambda s, a, b, c, d: total(s, outer(a), b, c, d), *[QUAD] * 4) == 64**4
    assert cost(lambda s, a, b, c, d: total(s, outer(a), outer(b), outer(c), d), *[QUAD] * 4) == 64**4
    assert cost(lambda s, a, b, c: total(s, t(total(s, t(a, 2, 3), b), 2, 3), c), *[QUAD] * 3) == 64**4


def test_constants_take_the_layout_their_readers_have() -> None:
    def shared(s: Sketch, a: View, x: View) -> View:
        zeros = s.fill(S, S)
        return total(s, total(s, zeros, a), total(s, zeros, t(x)))

    assert cost(shared, SQUARE, SQUARE) == S * S


def test_two_reductions_along_their_sticks_meet_for_free() -> None:
    def largest(s: Sketch, x: View) -> View:
        none = s.reduce("max", s.fill(1, 32, 128, 256), -1, keep=False)
        return s.apply("maximum", none, s.reduce("max", x, -1, keep=False))

    assert cost(largest, (1, 32, 128, 256)) == 0


def test_vectors_are_broadcast_for_free() -> None:
    assert cost(total, (S,), SQUARE) == 0
    assert cost(total, (S,), (S, S, S)) == 0
    assert cost(lambda s, a, b: total(s, unsqueezed(a, -1), b), (S,), SQUARE) == S * S


def test_a_sparse_value_broadcast_along_the_stick_moves_the_dense_one() -> None:
    assert cost(lambda s, a, b: total(s, s.reduce("min", a, -1, keep=False), b), SQUARE, SQUARE) == S * S


def test_single_values_are_not_gathered_out_of_many_sticks() -> None:
    with pytest.raises(UnsupportedError) as caught:
        cost(lambda s, a, b: total(s, s.reduce("min", a, -1, keep=False), b), (S, S, S), SQUARE)
    sentence = caught.value.sentence
    assert "add (model.py:2)" in sentence
    assert "min has one value per stick" in sentence
    assert "pin the layout of the reduced tensor" in sentence


def test_a_vector_is_spread_where_it_meets_one_value_per_stick() -> None:
    assert cost(lambda s, x, c: total(s, s.reduce("sum", x, -1, keep=False), c), SQUARE, (S,)) == S
    assert cost(lambda s, x, y: s.apply("mul", unsqueezed(x, -1), y), (S,), (S,)) == S


def test_softmax_moves_nothing() -> None:
    program = softmax()
    plan = solved(program)
    assert plan.edits == ()
    assert {name: layout.sparse for name, layout in plan.layouts.items()} == {
        "x": False,
        "max": True,
        "sub": False,
        "exp": False,
        "sum": True,
        "truediv": False,
    }
    assert plan.layouts["max"].device_size == (1, 1, 512, 64)


def test_attention_moves_the_keys_only() -> None:
    program = attention()
    plan = solved(program)
    assert [edit.name for edit in plan.edits] == ["k@d1"]
    assert moved(program, plan) == 4 * 512 * 64


def test_grouped_heads_move_each_key_once() -> None:
    def grouped(s: Sketch, q: View, k: View) -> View:
        """q [2 groups, 4 heads, 128, 64] with one key per group."""
        return s.matmul(q, transposed(unsqueezed(k, 1), 2, 3))

    assert cost(grouped, (2, 4, 128, 64), (2, 128, 64)) == 2 * 128 * 64
