"""Arithmetic on '#rrggbb' colours: contrast as WCAG counts it, mixing, and even paths through OKLab.

Owns: the formulas. Refuses: the choice of any colour (that is theme.py) and Qt.
"""

from itertools import pairwise
from math import cbrt, cos, hypot, radians, sin
from typing import Final

MIN_TEXT: Final = 4.5  # WCAG 2.2 contrast, success criterion 1.4.3
MIN_MARK: Final = 3.0  # WCAG 2.2 contrast, success criterion 1.4.11

SCALE_STEPS: Final = 256

Rgb = tuple[float, float, float]


def to_rgb(colour: str) -> Rgb:
    """'#rrggbb' as three floats in 0..1. Raises ValueError on any other form."""
    if len(colour) != 7 or colour[0] != "#":
        raise ValueError(f"a colour is written '#rrggbb', not {colour!r}")
    return int(colour[1:3], 16) / 255, int(colour[3:5], 16) / 255, int(colour[5:7], 16) / 255


def from_rgb(rgb: Rgb) -> str:
    """Three floats as '#rrggbb', clipped to 0..1."""
    return "#" + "".join(f"{round(min(max(part, 0.0), 1.0) * 255):02x}" for part in rgb)


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white), WCAG 2.2."""
    red, green, blue = (_linear(part) for part in to_rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21, WCAG 2.2. Example: black on white is 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mix(ground: str, colour: str, amount: float) -> str:
    """`ground` covered by `colour` with opacity `amount` (0..1), as an opaque colour."""
    below, above = to_rgb(ground), to_rgb(colour)
    red, green, blue = (b + (a - b) * amount for b, a in zip(below, above, strict=True))
    return from_rgb((red, green, blue))


def readable(colour: str, grounds: tuple[str, ...], ink: str, ratio: float = MIN_TEXT) -> str:
    """`colour` moved towards `ink` just far enough to reach `ratio` on all `grounds`."""
    for step in range(51):
        candidate = mix(colour, ink, step / 50)
        if min(contrast(candidate, ground) for ground in grounds) >= ratio:
            return candidate
    return ink


def to_oklab(colour: str) -> Rgb:
    """Lightness and the two colour axes of OKLab (Ottosson 2020), in which equal distances look equal."""
    red, green, blue = (_linear(part) for part in to_rgb(colour))
    long = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def from_oklab(lab: Rgb) -> str:
    """The sRGB colour of an OKLab point; outside sRGB it loses chroma until it fits, so hue and lightness hold."""
    for step in range(101):
        keep = 1 - step / 100
        rgb = _oklab_rgb((lab[0], lab[1] * keep, lab[2] * keep))
        if all(-1e-4 <= part <= 1.0001 for part in rgb):
            return from_rgb(rgb)
    return from_rgb(_oklab_rgb((lab[0], 0.0, 0.0)))


def polar(light: float, chroma: float, hue: float) -> Rgb:
    """The OKLab point with this lightness (0..1), chroma (about 0..0.3) and hue in degrees."""
    return light, chroma * cos(radians(hue)), chroma * sin(radians(hue))


def even_path(points: tuple[Rgb, ...], steps: int = SCALE_STEPS) -> tuple[str, ...]:
    """`steps` colours at equal OKLab distances along the straight pieces between `points`."""
    lengths = [_distance(a, b) for a, b in pairwise(points)]
    total = sum(lengths)
    colours = []
    for step in range(steps):
        way, piece = total * step / (steps - 1), 0
        while piece < len(lengths) - 1 and way > lengths[piece]:
            way -= lengths[piece]
            piece += 1
        share = way / lengths[piece]
        start, end = points[piece], points[piece + 1]
        light, green_red, blue_yellow = (a + (b - a) * share for a, b in zip(start, end, strict=True))
        colours.append(from_oklab((light, green_red, blue_yellow)))
    return tuple(colours)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _gamma(part: float) -> float:
    return part * 12.92 if part <= 0.0031308 else float(1.055 * part ** (1 / 2.4) - 0.055)


def _oklab_rgb(lab: Rgb) -> Rgb:
    light, green_red, blue_yellow = lab
    long = (light + 0.3963377774 * green_red + 0.2158037573 * blue_yellow) ** 3
    medium = (light - 0.1055613458 * green_red - 0.0638541728 * blue_yellow) ** 3
    short = (light - 0.0894841775 * green_red - 1.2914855480 * blue_yellow) ** 3
    return (
        _gamma(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _gamma(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _gamma(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _distance(one: Rgb, other: Rgb) -> float:
    return hypot(*(a - b for a, b in zip(one, other, strict=True)))
