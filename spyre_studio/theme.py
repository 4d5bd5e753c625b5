"""The one colour and spacing table of the product: widgets, canvases, SVG, PDF and HTML reports read it.

Owns: colour tokens of the dark and the light theme, the fill and the difference scale, dash patterns, spacing and type
sizes. Refuses: Qt, fonts, and any knowledge of what is drawn. Colours are '#rrggbb' strings.
"""

from dataclasses import dataclass
from typing import Final, Literal

from spyre_studio.colour import MIN_TEXT, contrast, even_path, mix, polar, readable

Kind = Literal["matmul", "reduction", "pointwise", "move", "opaque"]
Fate = Literal["lx", "hbm", "move"]
Tone = Literal["ok", "warn", "bad", "accent", "mute"]

GRID: Final = 8  # px; every distance is a multiple of it or half of it
ROW: Final = 24  # px; height of a table row, scaled with the font by the widgets
PAD: Final = 16  # px; inside a panel
CELL_PAD: Final = 7  # px; text of a table cell from the edge of its column, in Fusion
RADIUS: Final = 6  # px; cards, buttons, boxes
RADIUS_SMALL: Final = 4  # px; bars, cells

SIZE_TITLE: Final = 15  # px at a system font of 12 px; the selected thing, bold
SIZE_BODY: Final = 12
SIZE_LABEL: Final = 11
SIZE_MICRO: Final = 10
SIZE_REFERENCE: Final = 12  # the system font height in px at which the sizes above hold

CHIP_LIT: Final = 0.24  # of its colour in the ground of a chip under the pointer
RAISED_LIT: Final = 0.07  # of the text colour in the ground of a button under the pointer

# Lengths of dash and gap in line widths; colour is never the only sign of what happens to the data.
DASHES: Final[dict[Fate, tuple[float, ...]]] = {"lx": (), "hbm": (1.5, 1.5), "move": (4.0, 2.0)}


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour of one theme. `*_text` reach 4.5:1 on bg, panel and raised; the plain ones are marks (3:1)."""

    name: Literal["dark", "light"]
    bg: str
    panel: str
    raised: str
    line: str
    text: str
    mute: str
    faint: str  # axes and separators only, never carries meaning
    accent: str
    ok: str
    warn: str
    bad: str
    matmul: str
    reduction: str
    pointwise: str
    move: str
    lx: str
    hbm: str
    accent_text: str
    ok_text: str
    warn_text: str
    bad_text: str
    on_accent: str  # text on a primary button
    selection: str  # background of a selected row
    hover: str  # background of a row under the pointer
    fill: tuple[str, ...]  # 256 steps, 0 % to 100 %, one hue, perceptually even
    difference: tuple[str, ...]  # 256 steps, blue (less) over grey (same) to orange (more)

    def kind(self, kind: str) -> str:
        """Mark colour of an op kind; kinds without a colour of their own are grey."""
        match kind:
            case "matmul":
                return self.matmul
            case "reduction":
                return self.reduction
            case "pointwise":
                return self.pointwise
            case "move":
                return self.move
            case _:
                return self.mute

    def fate(self, fate: str) -> str:
        """Mark colour of what happens to the data: stays in LX, goes to device memory, is moved; grey otherwise."""
        match fate:
            case "lx":
                return self.lx
            case "hbm":
                return self.hbm
            case "move":
                return self.move
            case _:
                return self.mute

    def tone(self, tone: Tone) -> str:
        """Mark colour of a verdict."""
        return {"ok": self.ok, "warn": self.warn, "bad": self.bad, "accent": self.accent, "mute": self.mute}[tone]

    def tone_text(self, tone: Tone) -> str:
        """Text colour of a verdict, readable on bg, panel and raised."""
        return {
            "ok": self.ok_text,
            "warn": self.warn_text,
            "bad": self.bad_text,
            "accent": self.accent_text,
            "mute": self.mute,
        }[tone]

    def pill_text(self, tone: Tone) -> str:
        """Text colour of a verdict on its own tints, up to that of a chip under the pointer."""
        return readable(self.tone(tone), (self.tint(self.tone(tone)), self.tint(self.tone(tone), CHIP_LIT)), self.text)

    def tint(self, colour: str, amount: float = 0.16, ground: str | None = None) -> str:
        """A quiet background in the hue of `colour`, on `ground` (default: panel)."""
        return mix(self.panel if ground is None else ground, colour, amount)

    def text_on(self, ground: str) -> str:
        """Near-black or white, whichever is easier to read on `ground`; black where neither is easy enough."""
        ink = max(_INKS, key=lambda each: contrast(each, ground))
        return ink if contrast(ink, ground) >= MIN_TEXT else _BLACK


_INKS: Final = ("#0d1013", "#ffffff")
_BLACK: Final = "#000000"
_DARK_GROUNDS = ("#12151a", "#191d24", "#222832")
_DARK_TEXT = "#e7eaf0"
_LIGHT_GROUNDS = ("#eef0f4", "#ffffff", "#f3f5f8")
_LIGHT_TEXT = "#1a1f27"


def _texts_on(grounds: tuple[str, str, str], accent: str, text: str, selected: float) -> tuple[str, ...]:
    """Every ground that coloured text stands on: also selected rows, rows and buttons under the pointer."""
    _, panel, raised = grounds
    return (*grounds, mix(panel, accent, selected), mix(panel, text, 0.06), mix(raised, text, RAISED_LIT))


_ON_DARK = _texts_on(_DARK_GROUNDS, "#5aa9ff", _DARK_TEXT, 0.2)
_ON_LIGHT = _texts_on(_LIGHT_GROUNDS, "#1868d6", _LIGHT_TEXT, 0.17)

DARK: Final = Theme(
    name="dark",
    bg=_DARK_GROUNDS[0],
    panel=_DARK_GROUNDS[1],
    raised=_DARK_GROUNDS[2],
    line="#2e3640",
    text=_DARK_TEXT,
    mute="#9aa5b4",
    faint="#5f6b7a",
    accent="#5aa9ff",
    ok="#46b98c",
    warn="#e2a93b",
    bad="#ef6b7b",
    matmul="#6d83f2",
    reduction="#46b0c9",
    pointwise="#7b8794",
    move="#c998f5",
    lx="#3fae93",
    hbm="#e0913f",
    accent_text=readable("#5aa9ff", _ON_DARK, _DARK_TEXT),
    ok_text=readable("#46b98c", _ON_DARK, _DARK_TEXT),
    warn_text=readable("#e2a93b", _ON_DARK, _DARK_TEXT),
    bad_text=readable("#ef6b7b", _ON_DARK, _DARK_TEXT),
    on_accent="#0d1013",
    selection=mix(_DARK_GROUNDS[1], "#5aa9ff", 0.2),
    hover=mix(_DARK_GROUNDS[1], _DARK_TEXT, 0.06),
    fill=even_path((polar(0.26, 0.03, 228), polar(0.56, 0.105, 228), polar(0.93, 0.06, 228))),
    difference=even_path((polar(0.80, 0.13, 250), polar(0.42, 0.0, 0), polar(0.80, 0.13, 62))),
)

LIGHT: Final = Theme(
    name="light",
    bg=_LIGHT_GROUNDS[0],
    panel=_LIGHT_GROUNDS[1],
    raised=_LIGHT_GROUNDS[2],
    line="#d6dbe3",
    text=_LIGHT_TEXT,
    mute="#566172",
    faint="#98a2b0",
    accent="#1868d6",
    ok="#1d8a62",
    warn="#a86f08",
    bad="#c2374b",
    matmul="#4357f0",
    reduction="#046a83",
    pointwise="#6b7786",
    move="#8d56bd",
    lx="#23866e",
    hbm="#be6b14",
    accent_text=readable("#1868d6", _ON_LIGHT, _LIGHT_TEXT),
    ok_text=readable("#1d8a62", _ON_LIGHT, _LIGHT_TEXT),
    warn_text=readable("#a86f08", _ON_LIGHT, _LIGHT_TEXT),
    bad_text=readable("#c2374b", _ON_LIGHT, _LIGHT_TEXT),
    on_accent="#ffffff",
    selection=mix(_LIGHT_GROUNDS[1], "#1868d6", 0.17),
    hover=mix(_LIGHT_GROUNDS[1], _LIGHT_TEXT, 0.045),
    fill=even_path((polar(0.93, 0.025, 232), polar(0.66, 0.105, 236), polar(0.33, 0.085, 246))),
    difference=even_path((polar(0.50, 0.15, 255), polar(0.90, 0.0, 0), polar(0.50, 0.12, 55))),
)

THEMES: Final = (DARK, LIGHT)
