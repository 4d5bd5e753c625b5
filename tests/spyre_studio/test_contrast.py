"""Every pair of text and ground, and of mark and ground, that is really used, in both themes; and for eyes that see
fewer colours."""

from collections.abc import Iterator
from itertools import combinations
from math import hypot

import pytest
from PySide6.QtWidgets import QApplication

from spyre_studio.colour import MIN_MARK, MIN_TEXT, contrast, from_rgb, mix, to_oklab, to_rgb
from spyre_studio.occupancy import KINDS
from spyre_studio.stylesheet import stylesheet
from spyre_studio.theme import CHIP_LIT, DASHES, RAISED_LIT, THEMES, Fate, Theme, Tone
from spyre_studio.views.core_paint import CELL_SHADES
from spyre_studio.views.stick_paint import shades
from spyre_studio.views.timeline_palette import Palette, is_hatched

TONES: tuple[Tone, ...] = ("ok", "warn", "bad", "accent", "mute")
FATES: tuple[Fate, ...] = ("lx", "hbm", "move")
TEXTS = ("text", "mute", "accent_text", "ok_text", "warn_text", "bad_text")
MARKS = ("accent", "ok", "warn", "bad", "matmul", "reduction", "pointwise", "move", "lx", "hbm")
GRAPH_TINTS = (0.1, 0.14, 0.2)  # of kinds and fates, behind titles and quiet words of the graph
TEXT_TINTS = {"accent": 0.14, "move": 0.25, "warn": 0.4}  # in the program text, behind words

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE
# Transactions on Visualization and Computer Graphics 15(6), 2009, table 1, severity 1.0; for linear RGB.
EYES = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
APART = 0.06  # in OKLab, where 0.02 is just noticed side by side

both = pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)


def grounds(theme: Theme) -> dict[str, str]:
    """Plain grounds by name: of canvases, panels, cards, and of rows and buttons that are chosen or pointed at."""
    lit = mix(theme.raised, theme.text, RAISED_LIT)
    names = ("bg", "panel", "raised", "selection", "hover")
    return {**{name: getattr(theme, name) for name in names}, "button under the pointer": lit}


def text_pairs(theme: Theme) -> Iterator[tuple[str, str, str]]:
    """Words for it, ink and ground."""
    for name, ground in grounds(theme).items():
        yield from ((f"{token} on {name}", getattr(theme, token), ground) for token in TEXTS)
    yield "primary button", theme.on_accent, theme.accent
    yield "primary button under the pointer", theme.on_accent, mix(theme.accent, theme.text, 0.1)
    for tone in TONES:
        colour = theme.tone(tone)
        for amount in (0.16, 0.18, CHIP_LIT):
            yield f"pill {tone} {amount}", theme.pill_text(tone), theme.tint(colour, amount)
        yield from ((f"{ink} in a banner {tone}", getattr(theme, ink), theme.tint(colour, 0.12)) for ink in TEXTS[:2])
    for token in (*KINDS, *FATES):
        colour = theme.fate(token) if token in FATES else theme.kind(token)
        for amount in GRAPH_TINTS:
            yield f"title on {token} {amount}", theme.text, theme.tint(colour, amount)
            yield f"quiet words on {token} {amount}", theme.mute, theme.tint(colour, amount)
        for amount in (0.36, 0.62, 0.8, 0.85, 1.0):
            solid = mix(theme.bg, colour, amount)
            yield f"label on {token} {amount}", theme.text_on(solid), solid
    for token, amount in TEXT_TINTS.items():
        yield f"program text on {token}", theme.text, theme.tint(getattr(theme, token), amount)
    for name, scale in (("fill", theme.fill), ("difference", theme.difference)):
        yield from ((f"label on {name} {place}", theme.text_on(one), one) for place, one in enumerate(scale))
    yield from _core_labels(theme)


def _core_labels(theme: Theme) -> Iterator[tuple[str, str, str]]:
    """Numbers in cells of cores, and words on the sticks that cores hold."""
    low, high = CELL_SHADES
    for kind in KINDS:
        for place in range(33):
            ground = mix(theme.panel, theme.kind(kind), low + (high - low) * place / 32)
            yield f"core number on {kind} {place}", theme.text_on(ground), ground
    for place, colour in enumerate((*shades(theme, 32)[0], *shades(theme, 32)[1])):
        yield f"word on stick {place}", theme.text_on(colour), colour


@both
def test_every_text_is_readable_where_it_stands(theme: Theme) -> None:
    pairs = {words: round(contrast(ink, ground), 2) for words, ink, ground in text_pairs(theme)}
    assert len(pairs) > 600
    assert {words: ratio for words, ratio in pairs.items() if ratio < MIN_TEXT} == {}


@both
def test_names_on_boxes_of_the_timeline_are_readable(qapp: QApplication, theme: Theme) -> None:
    palette = Palette.of(theme, 1.0)
    plain = [ground for code, ground in enumerate(palette.grounds) if not is_hatched(code)]
    assert min(contrast(theme.text_on(ground), ground) for ground in plain) >= MIN_TEXT


@both
def test_every_mark_stands_out_where_it_is_drawn(theme: Theme) -> None:
    pairs = {
        f"{token} on {name}": round(contrast(getattr(theme, token), ground), 2)
        for token in MARKS
        for name, ground in grounds(theme).items()
        if name not in {"hover", "button under the pointer"}
    }
    assert {words: ratio for words, ratio in pairs.items() if ratio < MIN_MARK} == {}


@both
def test_outlines_of_cores_stand_out_on_everything_they_may_lie_on(theme: Theme) -> None:
    """The selected one is framed in the text colour, on cells and lanes that are at most full of a colour."""
    for kind in KINDS:
        assert contrast(theme.text, mix(theme.panel, theme.kind(kind), CELL_SHADES[0])) >= MIN_MARK


@both
def test_the_style_sheet_uses_the_colours_that_were_computed(theme: Theme) -> None:
    sheet = stylesheet(theme, 1.0, "")
    assert mix(theme.raised, theme.text, RAISED_LIT) in sheet
    assert mix(theme.accent, theme.text, 0.1) in sheet


# Eyes that see fewer colours


def seen(colour: str, eye: str) -> str:
    """A colour as such an eye has it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    mixed = (sum(share * part for share, part in zip(row, linear, strict=True)) for row in EYES[eye])
    clipped = [min(max(part, 0.0), 1.0) for part in mixed]
    red, green, blue = (one * 12.92 if one <= 0.0031308 else 1.055 * one ** (1 / 2.4) - 0.055 for one in clipped)
    return from_rgb((red, green, blue))


def apart(one: str, other: str) -> float:
    return hypot(*(a - b for a, b in zip(to_oklab(one), to_oklab(other), strict=True)))


def test_greys_look_the_same_to_every_eye_and_red_does_not() -> None:
    for eye in EYES:
        assert apart(seen("#808080", eye), "#808080") < 0.01
    assert apart(seen("#ff0000", "protanopia"), "#ff0000") > 0.1
    assert apart(seen("#0000ff", "tritanopia"), "#0000ff") > 0.05


@both
@pytest.mark.parametrize("eye", EYES)
def test_kinds_and_fates_are_told_apart_by_every_eye(theme: Theme, eye: str) -> None:
    for tokens in (("matmul", "reduction", "pointwise", "move"), FATES):
        for one, other in combinations(tokens, 2):
            found = apart(seen(getattr(theme, one), eye), seen(getattr(theme, other), eye))
            assert found >= APART, f"{one} and {other}"


@both
@pytest.mark.parametrize("eye", EYES)
def test_the_ends_of_a_difference_are_told_apart_by_every_eye(theme: Theme, eye: str) -> None:
    less, same, more = (seen(theme.difference[place], eye) for place in (0, 128, 255))
    assert min(apart(less, more), apart(less, same), apart(same, more)) >= APART


def test_colour_is_never_the_only_sign() -> None:
    assert len({DASHES[fate] for fate in FATES}) == len(FATES), "fates differ by their dashes, too"


def test_verdicts_have_a_shape_each(qapp: QApplication) -> None:
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QImage, QPainter

    from spyre_studio.lights import draw_mark

    shapes = set[bytes]()
    tones: tuple[Tone, ...] = ("ok", "warn", "bad", "mute")
    for tone in tones:
        image = QImage(16, 16, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        draw_mark(painter, QPointF(8, 8), tone, 10)
        painter.end()
        shapes.add(bytes(int(image.pixelColor(x, y).lightness() > 40) for y in range(16) for x in range(16)))
    assert len(shapes) == 4
