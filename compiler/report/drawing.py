"""Drawing: rectangles, lines and words in a frame, as a value that becomes inline SVG.

Owns the shapes and their SVG.  Refuses colours: a shape has a role, and the page says how that looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compiler.report.plain import escaped

Role = Literal["matmul", "reduction", "pointwise", "move", "opaque", "line", "budget", "ground", "text", "mute", "heat"]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; `level` (0 to 1) is how much of a heat it shows; `hint` appears under the pointer."""

    x: float
    y: float
    width: float
    height: float
    role: Role
    hint: str = ""
    level: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """A line between two points."""

    x1: float
    y1: float
    x2: float
    y2: float
    role: Role = "line"


@dataclass(frozen=True, slots=True)
class Label:
    """Words at a point on their base line."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    role: Role = "mute"


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes in a frame of so many units; `title` is what a screen reader says of it."""

    title: str
    width: float
    height: float
    shapes: tuple[Box | Rule | Label, ...]


LEVELS = 8
"""Shades of a heat: more cannot be told apart on paper."""


def svg_of(drawing: Drawing, key: str) -> str:
    """The SVG element; `key` makes the names in it its own."""
    head = (
        f'<svg viewBox="0 0 {_number(drawing.width)} {_number(drawing.height)}" role="img" '
        f'aria-labelledby="{escaped(key)}-title">'
    )
    parts = [head, f'<title id="{escaped(key)}-title">{escaped(drawing.title)}</title>']
    parts += [_shape(shape) for shape in drawing.shapes]
    return "\n".join([*parts, "</svg>"])


def _shape(shape: Box | Rule | Label) -> str:
    match shape:
        case Box():
            place = " ".join(
                f'{name}="{_number(value)}"'
                for name, value in (("x", shape.x), ("y", shape.y), ("width", shape.width), ("height", shape.height))
            )
            kind = f"h{_level(shape.level)}" if shape.role == "heat" else f"s-{shape.role}"
            if not shape.hint:
                return f'<rect class="{kind}" {place}/>'
            return f'<rect class="{kind}" {place}><title>{escaped(shape.hint)}</title></rect>'
        case Rule():
            ends = " ".join(
                f'{name}="{_number(value)}"'
                for name, value in (("x1", shape.x1), ("y1", shape.y1), ("x2", shape.x2), ("y2", shape.y2))
            )
            return f'<line class="l-{shape.role}" {ends}/>'
        case Label():
            place = f'x="{_number(shape.x)}" y="{_number(shape.y)}" text-anchor="{shape.anchor}"'
            return f'<text class="t-{shape.role}" {place}>{escaped(shape.text)}</text>'


def _level(level: float) -> int:
    return min(LEVELS, max(0, -int(-level * LEVELS // 1)))


def _number(value: float) -> str:
    """At most two digits behind the point, and no more than it takes."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
