"""HTML: a report as one page that needs nothing else: no script, no font, no file beside it.

Owns the markup.  Refuses colours of its own: they come as a palette of each theme; and refuses what would make two
pages of one report differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from compiler.report.document import Block, Cell, Facts, Figure, Item, Items, Paragraph, Report, Section, Table, Terms
from compiler.report.drawing import svg_of
from compiler.report.plain import escaped
from compiler.report.style import style_of

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may load for the page: nothing."""

_BREAKS = re.compile(r"(?<=[./])(?=[A-Za-z_])")
"""Where a long name may be broken: behind the ends of its parts."""


def to_html(report: Report, light: Mapping[str, str], dark: Mapping[str, str]) -> str:
    """The page; `light` and `dark` are colours by the names that the style uses."""
    head = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escaped(POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escaped(report.title)}</title>",
        f"<style>\n{style_of(light, dark)}</style>",
        "</head>",
        "<body>",
    ]
    body = [
        "<header>",
        f"<h1>{escaped(report.title)}</h1>",
        f"<p>{escaped(report.subtitle)}</p>",
        "</header>",
        '<nav aria-label="Contents"><ul>',
        *(f'<li><a href="#{escaped(part.key)}">{escaped(part.title)}</a></li>' for part in report.sections),
        "</ul></nav>",
        "<main>",
        *(line for section in report.sections for line in _section(section)),
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join([*head, *body]) + "\n"


def _section(section: Section) -> Iterator[str]:
    key = escaped(section.key)
    yield f'<section id="{key}" aria-labelledby="{key}-head">'
    yield f'<h2 id="{key}-head">{escaped(section.title)}</h2>'
    for number, block in enumerate(section.blocks):
        yield from _block(block, f"{section.key}-{number}")
    yield "</section>"


def _block(block: Block, key: str) -> Iterator[str]:
    match block:
        case Paragraph():
            yield _paragraph(block)
        case Facts():
            yield from _facts(block)
        case Table():
            yield from _table(block)
        case Figure():
            yield "<figure>"
            yield f'<div class="wide">{svg_of(block.drawing, key)}</div>'
            yield f"<figcaption>{escaped(block.caption)}</figcaption>"
            yield "</figure>"
        case Items():
            yield from _items(block)
        case Terms():
            yield "<dl>"
            yield from (f"<dt>{escaped(term)}</dt><dd>{escaped(means)}</dd>" for term, means in block.terms)
            yield "</dl>"


def _paragraph(block: Paragraph) -> str:
    tone = "" if block.tone == "text" else f' class="{block.tone}"'
    return f"<p{tone}>{escaped(block.text)}</p>"


def _facts(block: Facts) -> Iterator[str]:
    yield '<dl class="facts">'
    for fact in block.facts:
        tone = "" if fact.tone == "text" else f' class="{fact.tone}"'
        note = f'<dd class="note">{escaped(fact.note)}</dd>' if fact.note else ""
        yield f"<div><dt>{escaped(fact.name)}</dt><dd{tone}>{escaped(fact.value)}</dd>{note}</div>"
    yield "</dl>"


def _table(block: Table) -> Iterator[str]:
    yield '<div class="wide"><table>'
    yield f"<caption>{escaped(block.caption)}</caption>"
    heads = (
        f'<th scope="col"{" class=number" if column.number else ""}>{escaped(column.title)}</th>'
        for column in block.columns
    )
    yield f"<thead><tr>{''.join(heads)}</tr></thead>"
    yield "<tbody>"
    for row in block.rows:
        cells = (_cell(cell, column.number) for cell, column in zip(row, block.columns, strict=True))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"
    if block.note:
        yield f'<p class="mute">{escaped(block.note)}</p>'


def _cell(cell: Cell, number: bool) -> str:
    names = [*(["number"] if number else []), *([cell.tone] if cell.tone != "text" else [])]
    marked = f' class="{" ".join(names)}"' if names else ""
    bar = ""
    if cell.share is not None:
        bar = f'<span class="bar" style="width:{100 * min(max(cell.share, 0.0), 1.0):.1f}%"></span>'
    words = escaped(cell.text)
    return f"<td{marked}>{words if number else _BREAKS.sub('<wbr>', words)}{bar}</td>"


def _items(block: Items) -> Iterator[str]:
    tag = "ol" if block.numbered else "ul"
    yield f'<{tag} class="items">'
    for item in block.items:
        yield from _item(item)
    yield f"</{tag}>"


def _item(item: Item) -> Iterator[str]:
    note = f' <span class="note">{escaped(item.note)}</span>' if item.note else ""
    yield f"<li><strong>{escaped(item.title)}</strong>{note}"
    yield f"<p>{escaped(item.text)}</p>"
    if item.lines:
        yield '<ul class="lines">'
        for line in item.lines:
            tone = "" if line.tone == "text" else f' class="{line.tone}"'
            yield f"<li{tone}>{escaped(line.text)}</li>"
        yield "</ul>"
    yield "</li>"
