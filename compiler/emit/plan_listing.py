"""Plan listing: every decision with its reason, for people to read."""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.text.plan_text import print_plan


def plan_listing(compilation: Compilation) -> str:
    """The plan's text form, which parses back to the plan."""
    return print_plan(compilation.plan)
