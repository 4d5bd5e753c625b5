"""Numbers for people."""

from collections.abc import Callable

import pytest

from spyre_studio.units import (
    format_address,
    format_bytes,
    format_count,
    format_hex,
    format_number,
    format_percent,
    format_shape,
    format_time,
    format_us,
    format_us_below,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.0 µs"),
        (0.0312, "0.03 µs"),
        (412.55, "412.6 µs"),
        (999.96, "1.00 ms"),
        (1850, "1.85 ms"),
        (2_100_000, "2.10 s"),
        (-18.4, "−18.4 µs"),
        (float("inf"), "–"),
    ],
)
def test_times(value: float, text: str) -> None:
    assert format_us(value) == text


def test_signed() -> None:
    assert format_us(40, signed=True) == "+40.0 µs"
    assert format_us(-18.4, signed=True) == "−18.4 µs"
    assert format_us(0, signed=True) == "0.0 µs"
    assert format_number(3, signed=True) == "+3.0"
    assert format_bytes(-2048, signed=True) == "−2 KiB"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 µs"),
        (0.00004, "0 µs"),
        (0.003881, "3.9 ns"),
        (0.9994, "999.4 ns"),
        (0.99996, "1.0 µs"),
        (412.55, "412.6 µs"),
        (458_750_000, "458.75 s"),
        (-0.0121, "−12.1 ns"),
        (float("nan"), "–"),
    ],
)
def test_short_times_beside_long_ones(value: float, text: str) -> None:
    assert format_time(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (98_304, "96 KiB"),
        (1_625_344, "1.55 MiB"),
        (4 * 2**20, "4 MiB"),
        (200.5 * 2**20, "200.5 MiB"),
        (16 * 2**30, "16 GiB"),
        (float("nan"), "–"),
    ],
)
def test_sizes(value: float, text: str) -> None:
    assert format_bytes(value) == text


def test_counts() -> None:
    assert format_count(1_625_344) == "1,625,344"
    assert format_count(1, "op") == "1 op"
    assert format_count(91, "op") == "91 ops"
    assert format_count(0, "restickify", "restickifies") == "0 restickifies"
    assert format_number(1234.56) == "1,234.6"


def test_addresses() -> None:
    assert format_hex(0x800) == "0x00800"
    assert format_address(0x800, 64) == "0x00800 (2,048 B, stick 32)"
    assert format_address(0x801, 64) == "0x00801 (2,049 B, stick 32 + 1 B)"
    assert format_hex(0x1234567) == "0x1234567"


def test_shares_and_shapes() -> None:
    assert [format_percent(share) for share in (0, 0.004, 0.0996, 0.73, 1)] == ["0 %", "0.4 %", "10 %", "73 %", "100 %"]
    assert format_shape((4, 512, 64)) == "[4,512,64]"
    assert format_shape(()) == "[]"


@pytest.mark.parametrize("write", [format_us, format_number, format_bytes, format_count, format_percent])
def test_unknown_is_a_dash(write: Callable[[float], str]) -> None:
    assert write(float("nan")) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0"), (63.84, "63.8"), (999.94, "999.9"), (1000.0, "1.00 ms"), (486_898.5, "486.90 ms")],
)
def test_a_column_in_microseconds_says_where_another_unit_begins(value: float, text: str) -> None:
    assert format_us_below(value) == text
