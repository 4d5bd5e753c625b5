"""Style: how a page of a report looks, on a screen in light and dark, and on paper.

Owns the style sheet.  Refuses colours of its own: every one is a variable that a palette fills.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.report.drawing import LEVELS

_SHEET = """\
* { box-sizing: border-box; }
html { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.5rem 4rem; background: var(--bg); color: var(--text); }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 0 0 .75rem; }
header p, figcaption, .mute, .note, caption { color: var(--mute); }
header p { margin: .25rem 0 0; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
nav ul { list-style: none; padding: 0; margin: 1rem 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
section { padding: 1.25rem; margin: 1rem 0; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
.ok { color: var(--ok); } .warn { color: var(--warn); } .bad { color: var(--bad); } .accent { color: var(--accent); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; margin: .5rem 0; }
.facts dt { color: var(--mute); font-size: .85rem; font-weight: normal; }
.facts dd { margin: 0; font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere; }
.facts dd.note { font-size: .85rem; font-weight: normal; }
dl { margin: 0; } dt { font-weight: 600; margin-top: .5rem; } dd { margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
caption { text-align: left; padding: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--mute); font-weight: 600; white-space: nowrap; }
td { overflow-wrap: break-word; min-width: 4rem; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.bar { display: block; height: 4px; margin: .1rem 0 0 auto; border-radius: 2px; background: var(--accent); }
.items { padding-left: 1.5rem; margin: .5rem 0; } .items > li { margin: 0 0 1rem; } .items p { margin: .15rem 0; }
.lines { padding-left: 1.1rem; margin: .25rem 0; font-size: .92rem; }
figure { margin: 1rem 0; } figcaption { font-size: .85rem; }
svg { display: block; width: 100%; min-width: 40rem; height: auto; font: 11px system-ui, "DejaVu Sans", sans-serif; }
.s-matmul { fill: var(--matmul); stroke: var(--matmul); }
.s-reduction { fill: var(--reduction); stroke: var(--reduction); }
.s-pointwise { fill: var(--pointwise); stroke: var(--pointwise); }
.s-matmul, .s-reduction, .s-pointwise, .s-move, .s-opaque { fill-opacity: .3; stroke-width: .6; }
.s-move { fill: var(--move); stroke: var(--move); } .s-opaque { fill: var(--mute); } .s-ground { fill: var(--raised); }
.l-line { stroke: var(--line); } .l-budget { stroke: var(--bad); stroke-dasharray: 4 3; }
.t-mute { fill: var(--mute); } .t-text { fill: var(--text); }
@media print {
  @page { size: A4; margin: 14mm; }
  html { font-size: 10.5px; } body { padding: 0; max-width: none; background: none; }
  nav { display: none; } section { border: 0; background: none; padding: 0; margin: 0 0 1.5rem; }
  h2, caption { break-after: avoid; } tr, figure, .items > li, .facts > div { break-inside: avoid; }
  .wide { overflow: visible; } svg { min-width: 0; } thead { display: table-header-group; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def style_of(light: Mapping[str, str], dark: Mapping[str, str]) -> str:
    """The sheet for two palettes with the same names; those of a heat are `h0` and up.  Paper is always light."""
    variables = _variables(light)
    heat = "".join(f".h{level} {{ fill: var(--h{level}); }}\n" for level in range(LEVELS + 1))
    return (
        f":root {{ color-scheme: light dark; {variables} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_variables(dark)} }} }}\n{_SHEET}{heat}"
    )


def _variables(palette: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in sorted(palette.items()))
