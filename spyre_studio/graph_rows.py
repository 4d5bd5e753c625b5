"""The rows of the menus that concern the graph: colours, folds by level, what stands out, and pictures of it.

Owns: their names, keys and when they make sense. Refuses: Qt, and doing anything; `graph_actions` does.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

COLOUR_ROWS: Final = (
    Action(
        "colour-fate",
        "View",
        "Colour by fate of data",
        "colour_by",
        (),
        "What happens to the data on each edge.",
        "plan",
        section=True,
    ),
    Action("colour-kind", "View", "Colour by kind of op", "colour_by", (), "Matmul, reduction or pointwise.", "plan"),
    Action("colour-time", "View", "Colour by time", "colour_by", (), "Where the time goes.", "plan"),
    Action("colour-residency", "View", "Colour by LX residency", "colour_by", (), "Whose results stay in LX.", "plan"),
    Action(
        "colour-bytes",
        "View",
        "Colour by device memory traffic",
        "colour_by",
        (),
        "What is read from and written to device memory.",
        "plan",
    ),
    Action("colour-cores", "View", "Colour by cores", "colour_by", (), "How many cores work.", "plan"),
    Action("colour-lx", "View", "Colour by LX in use", "colour_by", (), "How full the scratchpad is.", "plan"),
    Action(
        "colour-padding", "View", "Colour by padding", "colour_by", (), "Device elements that hold nothing.", "plan"
    ),
    Action(
        "colour-error",
        "View",
        "Colour by error",
        "colour_by",
        (),
        "How far the numbers are from PyTorch; verify them first.",
        "plan",
    ),
)

FOLD_ROWS: Final = (
    Action("deeper", "View", "Open one level more", "deeper", ("+",), "The outermost closed modules.", "plan", "graph"),
    Action("shallower", "View", "Close one level", "shallower", ("-",), "The innermost open modules.", "plan", "graph"),
)

TRACE_ROWS: Final = (
    Action(
        "trace-near",
        "Go",
        "Highlight producers and consumers",
        "trace",
        ("N",),
        "The rest of the graph steps back; again, or with no op selected, all is as before.",
        "plan",
        "graph",
        section=True,
    ),
    Action(
        "trace-up",
        "Go",
        "Highlight all that leads here",
        "trace",
        ("[",),
        "Everything whose data reaches the selected op.",
        "plan",
        "graph",
    ),
    Action(
        "trace-down",
        "Go",
        "Highlight all that follows",
        "trace",
        ("]",),
        "Everything that the data of the selected op reaches.",
        "plan",
        "graph",
    ),
)

PICTURE_ROWS: Final = (
    Action(
        "save-png",
        "File",
        "Save graph as PNG…",
        "save_png",
        ("Ctrl+Shift+E",),
        "The whole graph as it is folded, or what is in view.",
        "plan",
    ),
    Action(
        "save-svg",
        "File",
        "Save graph as SVG…",
        "save_svg",
        ("Ctrl+Alt+E",),
        "A drawing that stays sharp at any size, in which texts are texts.",
        "plan",
    ),
)

COPY_ROWS: Final = (
    Action(
        "copy-image",
        "Edit",
        "Copy graph as image",
        "copy_image",
        (),
        "The whole graph as it is folded.",
        "plan",
        section=True,
    ),
    Action(
        "copy-view", "Edit", "Copy graph in view as image", "copy_view", (), "The part of it that is in view.", "plan"
    ),
    Action("copy-svg", "Edit", "Copy graph as SVG", "copy_svg", (), "As a drawing, which is also text.", "plan"),
    Action(
        "copy-view-svg",
        "Edit",
        "Copy graph in view as SVG",
        "copy_view_svg",
        (),
        "The part in view, as a drawing.",
        "plan",
    ),
)
