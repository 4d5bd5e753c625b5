"""The summary of a project for people: what it is of, what is wanted, and its variants with what each costs.

Owns the lines.  Refuses to compute, and to check: every figure stands in the project.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.compilation import Compilation
from compiler.pipelines import name_of
from compiler.text.pins_text import print_pins
from spyre_studio.project import KeptPlan, Project
from spyre_studio.solver_words import bound_text
from spyre_studio.units import format_count, format_us
from spyre_studio.variant import Variant
from spyre_studio.variant_rows import VariantRow, variant_rows


def describe_project(project: Project) -> tuple[str, ...]:
    """The lines of the summary."""
    program, options = project.captured.program, project.options
    pipeline = name_of(options.pipeline) or options.pipeline
    lines = [
        f"project of {project.captured.graph.name}",
        f"  model     {project.model.spec or 'not known'}, {format_count(len(program.ops), 'op')}",
        f"  device    {project.device.name}, {format_count(project.device.cores, 'core')}",
        f"  pipeline  {pipeline}",
        f"  pins      {format_count(len(project.pins.keys)) if project.pins else 'none'}",
        *(f"            {line.strip()}" for line in print_pins(project.pins).splitlines()[1:]),
    ]
    if project.shown >= 0:
        whole = project.plans[project.shown].compilation
        lines.append(f"  on screen {format_us(whole.cost.total_us)}, {bound_text(whole.solver)}")
    lines += [f"  note      {line}" if not number else f"            {line}" for number, line in _note(project)]
    return (*lines, *_variants(project))


def _note(project: Project) -> Iterator[tuple[int, str]]:
    return enumerate(project.note.splitlines())


def _variants(project: Project) -> Iterator[str]:
    rows = variant_rows(project.variants, lambda name: _plan_of(project, name), project.variants.chosen)
    if not rows:
        return
    yield "  variants"
    width = max(2 * row.depth + len(row.name) for row in rows)
    for row in rows:
        yield f"    {'  ' * row.depth}{row.name}".ljust(width + 6) + _figures(row)


def _figures(row: VariantRow) -> str:
    parts = [
        "not solved" if row.us != row.us else format_us(row.us),
        row.delta and f"{row.delta} to its parent",
        row.checks,
        format_count(row.pins, "pin") if row.pins else "",
        row.made_for,
        row.note,
    ]
    return " · ".join(part for part in parts if part)


def _plan_of(project: Project, name: str) -> Compilation | None:
    """The plan that was made for what a variant asks for."""
    variant = project.variants.get(name)
    if variant is None:
        return None
    return next((kept.compilation for kept in project.plans if _made_for(kept, variant)), None)


def _made_for(kept: KeptPlan, variant: Variant) -> bool:
    problem = kept.compilation.problem
    wanted = (variant.device, variant.options.pipeline, variant.options.seconds, print_pins(variant.pins))
    return wanted == (problem.device, kept.pipeline, kept.seconds, print_pins(problem.pins))
