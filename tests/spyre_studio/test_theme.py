"""The token table keeps its promises: contrast in both themes, even scales, one hue, no Qt."""

import subprocess
import sys
from itertools import pairwise
from math import atan2, degrees, hypot

import pytest

from spyre_studio.colour import (
    MIN_MARK,
    MIN_TEXT,
    SCALE_STEPS,
    contrast,
    from_oklab,
    from_rgb,
    luminance,
    mix,
    readable,
    to_oklab,
    to_rgb,
)
from spyre_studio.theme import DARK, LIGHT, THEMES, Theme, Tone

TEXTS = ("text", "mute", "accent_text", "ok_text", "warn_text", "bad_text")
MARKS = ("accent", "ok", "warn", "bad", "matmul", "reduction", "pointwise", "move", "lx", "hbm")
TONES: tuple[Tone, ...] = ("ok", "warn", "bad", "accent", "mute")

both = pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)


def grounds(theme: Theme) -> tuple[str, str, str]:
    return theme.bg, theme.panel, theme.raised


def test_contrast_follows_the_definition() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the well known grey that just fails
    assert luminance("#ffffff") == pytest.approx(1)


@both
@pytest.mark.parametrize("token", TEXTS)
def test_text_is_readable_on_every_ground(theme: Theme, token: str) -> None:
    assert min(contrast(getattr(theme, token), ground) for ground in grounds(theme)) >= MIN_TEXT


@both
@pytest.mark.parametrize("token", MARKS)
def test_marks_stand_out_on_every_ground(theme: Theme, token: str) -> None:
    assert min(contrast(getattr(theme, token), ground) for ground in grounds(theme)) >= MIN_MARK


@both
def test_text_on_coloured_grounds_is_readable(theme: Theme) -> None:
    assert contrast(theme.on_accent, theme.accent) >= MIN_TEXT
    assert contrast(theme.text, theme.selection) >= MIN_TEXT
    assert contrast(theme.mute, theme.selection) >= MIN_TEXT
    assert contrast(theme.text, theme.hover) >= MIN_TEXT
    for colour in theme.fill[:: SCALE_STEPS // 16]:
        assert contrast(theme.text_on(colour), colour) >= MIN_TEXT


@both
@pytest.mark.parametrize("tone", TONES)
def test_pills_are_readable(theme: Theme, tone: Tone) -> None:
    assert contrast(theme.pill_text(tone), theme.tint(theme.tone(tone))) >= MIN_TEXT


@both
def test_fill_scale_is_even_monotone_and_of_one_hue(theme: Theme) -> None:
    points = [to_oklab(colour) for colour in theme.fill]
    assert len(points) == SCALE_STEPS
    lights = [point[0] for point in points]
    rising = [after - before for before, after in pairwise(lights)]
    sign = 1 if theme.name == "dark" else -1
    assert all(sign * step > -0.004 for step in rising)  # eight-bit colours jitter by a fraction of a step
    blocks = [hypot(*(a - b for a, b in zip(points[i], points[i + 16], strict=True))) for i in range(0, 240, 16)]
    assert max(blocks) < 1.15 * min(blocks)
    hues = [degrees(atan2(point[2], point[1])) for point in points]
    assert max(hues) - min(hues) < 25


@both
def test_difference_scale_is_grey_in_the_middle_and_symmetric(theme: Theme) -> None:
    low, middle, high = (to_oklab(theme.difference[i]) for i in (0, SCALE_STEPS // 2, SCALE_STEPS - 1))
    assert hypot(middle[1], middle[2]) < 0.01
    assert low[2] < -0.05  # blue
    assert high[2] > 0.05  # orange
    assert low[0] == pytest.approx(high[0], abs=0.02)


@both
def test_unknown_names_are_grey(theme: Theme) -> None:
    assert theme.kind("matmul") == theme.matmul
    assert theme.kind("no such kind") == theme.mute
    assert theme.fate("hbm") == theme.hbm
    assert theme.fate("no such fate") == theme.mute


def test_kinds_differ_in_each_theme() -> None:
    for theme in (DARK, LIGHT):
        assert len({theme.matmul, theme.reduction, theme.pointwise, theme.move, theme.lx, theme.hbm}) == 6


@pytest.mark.parametrize("text", ["#fff", "red", "12345678", "#12345g"])
def test_bad_colours_are_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - int() words its own complaint about a digit
        to_rgb(text)


def test_colour_arithmetic() -> None:
    assert from_rgb(to_rgb("#12ab9f")) == "#12ab9f"
    assert from_rgb((2.0, -1.0, 0.5)) == "#ff0080"
    assert mix("#000000", "#ffffff", 0.5) == "#808080"
    assert from_oklab(to_oklab("#5aa9ff")) == "#5aa9ff"
    assert from_oklab((0.5, 2.0, 0.0)).startswith("#")  # far outside sRGB: loses chroma, keeps a colour
    assert readable("#777777", ("#777777",), "#787878") == "#787878"  # the ink is the last resort


def test_the_table_needs_no_qt() -> None:
    code = "import sys, spyre_studio.theme, spyre_studio.scales, spyre_studio.units; print('PySide6' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
