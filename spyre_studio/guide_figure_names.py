"""The figures that the texts of lessons can name in braces, as `{total_us}` or `{op_us:matmul}`.

Owns: the names, what each is about, and finding them in a text.  Refuses: values; `guide_figures` has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal

from frozendict import frozendict

About = Literal["plan", "op", "buffer"]

FIGURES: Final[frozendict[str, About]] = frozendict(
    {
        "ops": "plan",
        "kernels": "plan",
        "cores": "plan",
        "checks": "plan",
        "total_us": "plan",
        "compute_us": "plan",
        "memory_us": "plan",
        "beside_us": "plan",
        "traffic": "plan",
        "lx_budget": "plan",
        "lx_peak": "plan",
        "in_lx": "plan",
        "span_limit": "plan",
        "stick_bytes": "plan",
        "bound_us": "plan",
        "gap": "plan",
        "moves": "plan",
        "relayout_us": "plan",
        "restickify_elements": "plan",
        "before_us": "plan",
        "delta_us": "plan",
        "before_traffic": "plan",
        "simulated_us": "plan",
        "simulated_delta_us": "plan",
        "numerics": "plan",
        "op_us": "op",
        "op_memory_us": "op",
        "op_compute_us": "op",
        "op_traffic": "op",
        "op_cores": "op",
        "split": "op",
        "shape": "buffer",
        "bytes": "buffer",
        "sticks": "buffer",
        "lanes": "buffer",
        "stick_dim": "buffer",
        "accesses": "buffer",
        "passes": "buffer",
        "where": "buffer",
        "per_core": "buffer",
    }
)
_FIGURE: Final = re.compile(r"\{([a-z_]+)(?::([^{}]+))?\}")


def figures_in(text: str) -> tuple[tuple[str, str], ...]:
    """Name and op or buffer, '' for none, of every figure of a text.

    >>> figures_in("{total_us} on {op_cores:exp} cores")
    (('total_us', ''), ('op_cores', 'exp'))
    """
    return tuple((found[1], found[2] or "") for found in _FIGURE.finditer(text))


def with_figures(text: str, write: Callable[[str, str], str], plain: Callable[[str], str] = str) -> str:
    """The text with what `write` makes of name and op or buffer of each figure, and `plain` of all else."""
    parts, end = [], 0
    for found in _FIGURE.finditer(text):
        parts += [plain(text[end : found.start()]), write(found[1], found[2] or "")]
        end = found.end()
    return "".join([*parts, plain(text[end:])])


def figure_fault(text: str) -> str:
    """What is wrong with the braces of a text, '' if nothing is."""
    for name, about in figures_in(text):
        if name not in FIGURES:
            return f"there is a figure '{name}', which is not known"
        if FIGURES[name] == "plan" and about:
            return f"the figure '{name}' is about the plan, not about '{about}'"
        if FIGURES[name] != "plan" and not about:
            return f"the figure '{name}' does not say of which {FIGURES[name]}"
    rest = _FIGURE.sub("", text)
    return "there is a brace that belongs to no figure" if "{" in rest or "}" in rest else ""
