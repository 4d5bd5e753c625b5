"""Reports: one page that needs nothing else, whatever stands in it; and the same as text."""

from html.parser import HTMLParser

import pytest

from compiler.report.document import (
    Cell,
    Column,
    Fact,
    Facts,
    Figure,
    Item,
    Items,
    Paragraph,
    Report,
    Section,
    Table,
    Terms,
    texts_of,
)
from compiler.report.drawing import LEVELS, Box, Drawing, Label, Rule, svg_of
from compiler.report.html import to_html
from compiler.report.plain import clean, escaped
from compiler.report.style import style_of
from compiler.report.text import WIDTH, to_text

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style></title><svg onload=alert(1)>",
    "a & b < c",
    "javascript:alert(1)",
    "\x1b[31mred\x00\u202egnp.exe",
    "&#x3c;b&#x3e;",
)
VOID = frozenset({"meta", "wbr"})
LIGHT = {"text": "#000000", "bg": "#ffffff"}
DARK = {"text": "#ffffff", "bg": "#000000"}


class Page(HTMLParser):
    """Reads a page strictly: every element is closed in order, and nothing is loaded or run."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def report(word: str) -> Report:
    """Every kind of block, with a word in every place that takes one."""
    drawing = Drawing(
        word,
        100,
        50,
        (Box(0, 0, 10, 10, "matmul", word), Box(1, 1, 2, 2, "heat", level=0.5), Rule(0, 0, 9, 9), Label(0, 9, word)),
    )
    blocks = (
        Paragraph(word, "warn"),
        Facts((Fact(word, word, word, "ok"), Fact(word, word))),
        Table(word, (Column(word), Column(word, number=True)), ((Cell(word), Cell(word, 0.5, "bad")),), word),
        Figure(drawing, word, word),
        Items((Item(word, word, word, (Paragraph(word), Paragraph(word, "mute"))),), numbered=True),
        Items((Item(word, "", word),)),
        Terms(((word, word),)),
    )
    return Report(word, word, (Section("first", word, blocks), Section("second", word, (Paragraph(word),))))


@pytest.mark.parametrize("word", HOSTILE)
def test_names_stay_words(word: str) -> None:
    page = Page(to_html(report(word), LIGHT, DARK))
    assert not {"script", "img", "iframe", "object", "link"} & set(page.tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert {value for _, name, value in page.attributes if name == "href"} == {"#first", "#second"}
    assert not [name for _, name, _ in page.attributes if name in {"src", "action", "data"}]
    assert page.tags.count("svg") == 1
    assert " ".join(clean(word).split()) in page.text
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text


def test_the_page_is_whole_and_alone() -> None:
    page = to_html(report("word"), LIGHT, DARK)
    read = Page(page)
    assert page.startswith("<!DOCTYPE html>\n<html lang")
    assert ("meta", "content", "default-src 'none'; style-src 'unsafe-inline'") in read.attributes
    assert "http:" not in page
    assert "https:" not in page
    assert "url(" not in page
    ids = [value for _, name, value in read.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    labelled = [value for _, name, value in read.attributes if name == "aria-labelledby"]
    assert set(labelled) <= set(ids)
    assert to_html(report("word"), LIGHT, DARK) == page


def test_both_schemes_and_paper_have_colours() -> None:
    style = style_of(LIGHT, DARK)
    assert style.index("--text: #000000;") < style.index("@media screen and (prefers-color-scheme: dark)")
    assert "--text: #ffffff;" in style
    assert "@media print" in style
    assert "size: A4" in style
    assert all(f".h{level} {{" in style for level in range(LEVELS + 1))


@pytest.mark.parametrize(
    ("level", "name"), [(0.0, "h0"), (0.01, "h1"), (0.5, "h4"), (0.51, "h5"), (1.0, "h8"), (9, "h8")]
)
def test_any_heat_at_all_shows(level: float, name: str) -> None:
    assert f'class="{name}"' in svg_of(Drawing("", 1, 1, (Box(0, 0, 1, 1, "heat", level=level),)), "k")


def test_a_drawing_is_short_and_has_a_title() -> None:
    svg = svg_of(Drawing("who lies where", 10, 5, (Box(1.0, 2.5, 3.14159, 4, "move", "hint"),)), "map")
    assert '<title id="map-title">who lies where</title>' in svg
    assert '<rect class="s-move" x="1" y="2.5" width="3.14" height="4"><title>hint</title></rect>' in svg


def test_bars_stay_within_their_cells() -> None:
    table = Table("t", (Column("n", number=True),), ((Cell("x", 7.0),), (Cell("y", -1.0),)))
    page = to_html(Report("r", "", (Section("s", "s", (table,)),)), LIGHT, DARK)
    assert "width:100.0%" in page
    assert "width:0.0%" in page


def test_text_is_narrow_and_says_everything() -> None:
    text = to_text(report("a word or two"))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.count("a word or two") >= 18
    assert text.startswith("a word or two\n=============\n")
    assert "  1. a word or two (a word or two)" in text


@pytest.mark.parametrize("word", HOSTILE)
def test_text_reaches_no_terminal_control(word: str) -> None:
    assert not {"\x1b", "\x00", "\u202e"} & set(to_text(report(word)))


def test_long_cells_keep_both_ends() -> None:
    name = "layers.0." + 40 * "very_" + "long/matmul"
    table = Table("t", (Column("name"), Column("time", number=True)), ((Cell(name), Cell("1 µs")),))
    line = next(line for line in to_text(Report("r", "", (Section("s", "s", (table,)),))).splitlines() if "…" in line)
    assert line.lstrip().startswith("layers.0.")
    assert "long/matmul" in line


def test_every_word_is_found() -> None:
    assert texts_of(report("needle")).count("needle") >= 18


def test_escaping_is_for_attributes_too() -> None:
    assert escaped("'\"<>&") == "&#x27;&quot;&lt;&gt;&amp;"
    assert clean("a\tb\nc") == "a\tb\nc"
    assert clean("\ud800") == "\ufffd"
