"""Export formats: what a checked plan can be written as, one row each.

Owns the table that menu, command line and documentation are made from, and the refusal to export a plan that a check
found fault with, or to leave out what a format has no words for unless that is asked for.  Refuses to decide anything:
a format only spells out what the plan says.
"""

from __future__ import annotations

from collections.abc import Mapping

from frozendict import frozendict

from compiler.codec import to_json
from compiler.compilation import Compilation
from compiler.emit.device_mlir import device_limits, device_lines
from compiler.emit.format import BUNDLE, HINTED, SPELLING, Format, Material, Ready, one_file, whole
from compiler.emit.kernel_folders import kernel_files, kernel_limits
from compiler.emit.ktir_document import ktir_parts
from compiler.emit.opspec_json import opspec_lines
from compiler.emit.plan_json import plan_json
from compiler.emit.plan_listing import plan_listing
from compiler.emit.program_listing import program_listing
from compiler.emit.provenance import provenance_text
from compiler.emit.source_hints import hint_limits, hint_lines, nothing_to_hint
from compiler.errors import InputError
from compiler.text.document import to_text

_ROWS = (
    Format("plan-json", "Plan as JSON", ".json", "Every decision, for other programs.", whole(plan_json)),
    Format(
        "plan-text", "Plan as a listing", ".txt", "Every decision with its reason, for people.", whole(plan_listing)
    ),
    Format(
        "program-text",
        "Device program as a listing",
        ".txt",
        "Every step of every core, for people.",
        whole(program_listing),
    ),
    Format(
        "loops-json",
        "Loops as JSON",
        ".json",
        "The model's loop nests, before any decision.",
        whole(lambda plan: to_json(plan.problem.program, indent=1) + "\n"),
    ),
    Format(
        "loops-text",
        "Loops as a listing",
        ".txt",
        "The model's loop nests, for people.",
        whole(lambda plan: to_text(plan.problem.program)),
    ),
    Format(
        "kernels",
        "Kernel folders for the back end (SuperDSC)",
        "",
        "sdsc_<i>.json, bundle.mlir and launch_spec.json of every kernel, and spyre_provenance.json.",
        kernel_files,
        kernel_limits,
        (BUNDLE,),
    ),
    Format(
        "opspec-json",
        "Op specifications as JSON",
        ".json",
        "Kernels with their ops as the front end hands them on, one to one.",
        one_file(
            lambda material: opspec_lines(
                material.specified.kernels, material.compilation.plan.model, material.compilation.plan.cores
            )
        ),
        lambda material: material.specified.limits,
    ),
    Format(
        "ktir",
        "KTIR",
        ".mlir",
        "A function per kernel that all cores run, with views of LX at the planned addresses; in comments after them "
        "the op specifications, from which the plan is read back.",
        one_file(lambda material: ktir_parts(material.module, material.compilation.plan)),
        lambda material: (*material.specified.limits, *material.module.limits),
        (SPELLING,),
    ),
    Format(
        "hints",
        "Source hints of the pins (torch-spyre)",
        ".py",
        "Pinned divisions as spyre_hint lines for the model's source.",
        one_file(
            lambda material: hint_lines(
                material.compilation.problem, material.compilation.plan, material.choice(HINTED)
            )
        ),
        lambda material: hint_limits(material.compilation.problem, material.compilation.plan, material.choice(HINTED)),
        (HINTED,),
        lambda material: nothing_to_hint(
            material.compilation.problem, material.compilation.plan, material.choice(HINTED)
        ),
    ),
    Format(
        "provenance",
        "Provenance",
        ".json",
        "Which source line every op of every kernel comes from, as spyre_provenance.json.",
        one_file(lambda material: iter((provenance_text(material.specified.kernels),))),
        lambda material: material.specified.limits,
    ),
    Format(
        "device-mlir",
        "Device description",
        ".mlir",
        "Memories, units and datapaths of the device, for the dataflow scheduler.",
        one_file(device_lines),
        device_limits,
    ),
)
FORMATS: frozendict[str, Format] = frozendict((row.name, row) for row in _ROWS)


def export(compilation: Compilation, name: str, chosen: Mapping[str, str] | None = None) -> str:
    """A plan in a format of one file; InputError as `ready`, for a format that is a folder, and for what the format has
    no words for."""
    made = ready(compilation, name, chosen)
    if made.format.folder:
        raise InputError(f"format {name}", "it is a folder with several files", "name a folder to write it to")
    return "".join(part.text for part in made.parts())


def ready(compilation: Compilation, name: str, chosen: Mapping[str, str] | None = None) -> Ready:
    """A plan that can be written in a format; InputError for an unknown format or choice, and for a plan that a check
    found fault with."""
    if name not in FORMATS:
        raise InputError(f"format {name}", "there is no such format", f"use {', '.join(FORMATS)}")
    known = {choice.key: choice.values for choice in FORMATS[name].choices}
    for key, value in (chosen or {}).items():
        if value not in known.get(key, ()):
            use = f"use {' or '.join(known[key])}" if key in known else "leave it out"
            raise InputError(f"{key} {value}", f"the format {name} has no such choice", use)
    faults = [(verdict.check, why) for verdict in compilation.verdicts if not verdict.ok for why in verdict.violations]
    if not compilation.ok:
        check, why = faults[0] if faults else ("a check", "it gives no reason")
        what = f"the plan of {compilation.plan.model}"
        raise InputError(what, f"it failed the check '{check}' ({why})", "compile the model again before exporting")
    return Ready(FORMATS[name], Material(compilation, chosen or {}))
