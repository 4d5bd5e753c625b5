"""The request law with the published examples, and copies priced as they will be divided."""

import doctest

import pytest

import compiler.cost.requests as law
from compiler.cost.memory import one_way_us, restickify_us, turnaround_us
from compiler.cost.patterns import Pattern, Sighting, bytes_per_ns
from compiler.cost.requests import copy_us, plain_copy_us, requests, swap_us
from compiler.cost.runs import UNKNOWN_RUN
from compiler.dtypes import DType
from compiler.layout import UNIT, Arrangement, stick_layout
from tests.compiler.tiny import buffer, layout_of, spyre

P = 2 * 1024 * 1024


def test_examples_in_docstrings() -> None:
    result = doctest.testmod(law)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("run", "cores", "extra"),
    [(128, 16, 104.80), (128, 32, 43.36), (1024, 16, 0.0), (4096, 16, 0.0), (1 << 30, 16, 0.0), (128, 1, 125.28)],
)
def test_a_swap_of_two_megabytes(run: int, cores: int, extra: float) -> None:
    base = restickify_us(spyre(), 2 * P)
    assert round(base, 2) == 36.16
    assert swap_us(spyre(), P, run, cores) - base == pytest.approx(extra, abs=0.005)


def test_requests_end_with_the_run_and_with_the_burst() -> None:
    assert requests(spyre(), P, 128) == 16384
    assert requests(spyre(), P, 1) == 16384
    assert requests(spyre(), P, 8192) == P / 4096


def test_one_core_is_bound_by_its_transpose() -> None:
    """Runs so long that requests are free: 40 B per ns and core, where the bytes alone take two ways at 116."""
    slow = spyre().with_number("transpose_bytes_per_ns_core", 4)
    assert swap_us(slow, P, 4096, 1) == pytest.approx(P / 4 / 1000)


@pytest.mark.parametrize("cores", [3, 5, 25, 31])
def test_what_was_not_measured_is_priced_by_bytes(cores: int) -> None:
    assert swap_us(spyre(), P, 128, cores) == restickify_us(spyre(), 2 * P)
    assert plain_copy_us(spyre(), P, 128, cores) == plain_copy_us(spyre(), P, UNKNOWN_RUN, 32)


def test_a_plain_copy_pays_for_requests_beyond_its_reads() -> None:
    base = one_way_us(spyre(), 2 * P) + turnaround_us(spyre(), P, P)
    assert plain_copy_us(spyre(), P, 4096, 32) == base
    assert plain_copy_us(spyre(), P, 128, 32) - base == pytest.approx(16384 * 3.75e-3 - P / 150e3)


def test_bytes_written_may_differ_from_bytes_read() -> None:
    assert swap_us(spyre(), P, UNKNOWN_RUN, 1, 3 * P) == restickify_us(spyre(), 4 * P)
    assert plain_copy_us(spyre(), P, UNKNOWN_RUN, 1, 3 * P) == one_way_us(spyre(), 4 * P) + turnaround_us(spyre(), P, P)


def test_a_new_stick_is_a_swap() -> None:
    """[1024, 1024]: 16 sticks of rows and 2 of columns on a core, so that runs are 64 rows long and cost nothing."""
    x = buffer("x", 1024, 1024)
    assert copy_us(spyre(), x, layout_of(x), layout_of(x, (1, 0))) == pytest.approx(restickify_us(spyre(), 2 * P))


def test_short_runs_make_a_swap_dear() -> None:
    """[4, 512, 64] with dim 0 just before the stick: 8 x 4 cores, each with 64 runs of one stick."""
    x = buffer("x", 4, 512, 64)
    size = 4 * 512 * 64 * 2
    assert copy_us(spyre(), x, layout_of(x), layout_of(x, (0, 2, 1))) == swap_us(spyre(), size, 128, 32)
    long_runs = copy_us(spyre(), x, layout_of(x, (1, 0, 2)), layout_of(x, (0, 2, 1)))
    assert long_runs == pytest.approx(restickify_us(spyre(), 2 * size))


def test_a_new_order_or_padding_is_a_plain_copy() -> None:
    x = buffer("x", 4, 512, 8, 64)
    size = 4 * 512 * 8 * 64 * 2
    expected = plain_copy_us(spyre(), size, 4096, 32)
    assert copy_us(spyre(), x, layout_of(x), layout_of(x, (1, 0, 2, 3))) == expected
    assert copy_us(spyre(), x, layout_of(x), layout_of(x, (UNIT, 0, 1, 2, 3))) == expected
    y = buffer("y", 100, 64)
    padded = stick_layout(y.shape, y.strides, 64, padding=((0, 128),))
    assert copy_us(spyre(), y, layout_of(y), padded) == plain_copy_us(spyre(), 12800, UNKNOWN_RUN, 25, 16384)


def test_two_outer_dims_that_change_places_have_a_rate_of_their_own() -> None:
    x = buffer("x", 4, 512, 64)
    size = 4 * 512 * 64 * 2
    rate = bytes_per_ns(spyre(), Sighting(Pattern.SWAP, 4, 64, 512))
    for order in ((1, 0, 2), (UNIT, 0, 1, 2)):
        assert copy_us(spyre(), x, layout_of(x), layout_of(x, order)) == pytest.approx(2 * size / rate / 1000)


def test_other_arrangements_and_lanes_are_swaps() -> None:
    x = buffer("x", 64, 128)
    staggered = stick_layout(x.shape, x.strides, 64, arrangement=Arrangement.F32_TO_F16)
    assert copy_us(spyre(), x, staggered, layout_of(x)) == swap_us(spyre(), 2 * 64 * 128, 2 * 128, 32)
    flag = buffer("flag", 64, 128, dtype=DType.BOOL)
    wide = layout_of(flag, lanes=32)
    assert copy_us(spyre(), flag, layout_of(flag), wide) == swap_us(spyre(), 2 * 64 * 128, 2 * 128, 32, 4 * 64 * 128)


def test_other_widths_than_sixteen_bits_are_priced_by_bytes() -> None:
    x = buffer("x", 4, 512, 32, dtype=DType.F32)
    size = layout_of(x).size_bytes + layout_of(x, (0, 2, 1)).size_bytes
    assert copy_us(spyre(), x, layout_of(x), layout_of(x, (0, 2, 1))) == restickify_us(spyre(), size)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (0, 64), (1, 1, 1)])
def test_copies_of_next_to_nothing_have_a_price(shape: tuple[int, ...]) -> None:
    x = buffer("x", *shape)
    sparse = layout_of(x, (*range(len(shape)), -1)) if shape else layout_of(x)
    assert copy_us(spyre(), x, layout_of(x), sparse) >= 0
