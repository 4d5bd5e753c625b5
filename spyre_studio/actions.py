"""Every action of the window, one row each: menus, shortcuts, the command palette and the list of keys derive from it.

Owns: names, keys and when an action makes sense. Refuses: Qt, and doing anything; `handler` names the method that does
(of `Commands`, or of the graph for the keys that hold in the graph alone).
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import MENUS, Action, Menu, Scope, When
from spyre_studio.graph_rows import COLOUR_ROWS, COPY_ROWS, FOLD_ROWS, PICTURE_ROWS, TRACE_ROWS
from spyre_studio.guide_menu import LESSON_ROWS
from spyre_studio.link_menu import LINK_ROWS
from spyre_studio.lx_menu import LX_ROWS
from spyre_studio.program_menu import PROGRAM_ROWS
from spyre_studio.project_menu import PROJECT_ROWS
from spyre_studio.report_menu import REPORT_ROWS
from spyre_studio.run_menu import RUN_ROWS
from spyre_studio.text_zoom_menu import SIZE_ROWS
from spyre_studio.variant_menu import VARIANT_ROWS
from spyre_studio.views import VIEWS
from spyre_studio.whatif_menu import ALIKE_ROWS, SWEEP_ROWS

__all__ = ["ACTIONS", "MENUS", "Action", "Menu", "Scope", "When"]

_ROWS: Final = (
    Action("open", "File", "Open…", "open_file", ("Ctrl+O",), "Open a model, a saved plan or a project."),
    Action(
        "open-link", "File", "Open copied link", "open_link", (), "Open the file and place that the clipboard names."
    ),
    Action("reopen", "File", "Open again", "reopen", ("Ctrl+Shift+O",), "Read the model again; pins stay.", "plan"),
    *PROJECT_ROWS,
    Action(
        "save-plan",
        "File",
        "Save plan…",
        "save_plan",
        (),
        "Save the plan with its model and pins, for the command line.",
        "plan",
        section=True,
    ),
    Action("export", "File", "Export…", "export", ("Ctrl+E",), "Write the plan in another format.", "plan"),
    *REPORT_ROWS,
    *RUN_ROWS,
    *PICTURE_ROWS,
    Action("load-pins", "File", "Load pins…", "load_pins", (), "Take the pins of a file.", "plan", section=True),
    Action(
        "save-pins", "File", "Save pins…", "save_pins", (), "Write the pins to a file for the command line.", "pins"
    ),
    Action("quit", "File", "Quit", "quit", ("Ctrl+Q",), "Close the window.", section=True),
    Action("undo", "Edit", "Undo", "undo", ("Ctrl+Z",), "Take back the last change of pins.", "undo"),
    Action("redo", "Edit", "Redo", "redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "Change the pins again.", "redo"),
    Action(
        "unpin",
        "Edit",
        "Unpin the selection",
        "unpin",
        ("Ctrl+U",),
        "Remove the pins of the selected op and buffer.",
        "selected",
        section=True,
    ),
    Action(
        "pin-lx",
        "Edit",
        "Keep the buffer in LX",
        "pin_lx",
        ("Ctrl+L",),
        "Pin the selected buffer into the scratchpad.",
        "buffer",
    ),
    Action(
        "pin-hbm", "Edit", "Keep the buffer in device memory", "pin_hbm", (), "Pin it out of the scratchpad.", "buffer"
    ),
    Action(
        "pin-ring",
        "Edit",
        "Relayout the buffer over the ring",
        "pin_ring",
        (),
        "Bring it over the ring to cores that do not hold what they read.",
        "buffer",
    ),
    Action("pin-none", "Edit", "Never relayout the buffer", "pin_none", (), "It must not go over the ring.", "buffer"),
    Action(
        "pin-same",
        "Edit",
        "Same division as…",
        "pin_same",
        (),
        "Give the selected op the division of another one.",
        "op",
    ),
    *ALIKE_ROWS,
    Action("remove-pins", "Edit", "Remove all pins", "remove_pins", (), "Let the compiler decide everything.", "pins"),
    *COPY_ROWS,
    Action("find", "Edit", "Find in the graph", "find", ("Ctrl+F",), "Search ops and buffers.", "plan", section=True),
    Action("find-next", "Edit", "Find next", "find_next", ("F3",), "Show the next find.", "plan"),
    Action("find-previous", "Edit", "Find previous", "find_previous", ("Shift+F3",), "Show the find before.", "plan"),
    Action(
        "go-to",
        "Edit",
        "Go to…",
        "go_to",
        ("Ctrl+P", "Ctrl+K"),
        "Go to an op, buffer, core, kernel or view by typing a part of its name.",
        "plan",
    ),
    Action(
        "palette",
        "Edit",
        "Command palette…",
        "palette",
        ("Ctrl+Shift+P",),
        "Every action, by typing a part of its name.",
    ),
    Action("resolve", "Plan", "Re-solve", "resolve", ("Ctrl+R", "F5"), "Make the plan for the current pins.", "plan"),
    Action(
        "stop",
        "Plan",
        "Stop with the best so far",
        "stop",
        ("Shift+F5",),
        "End the search with the best plan that it has found.",
        "searching",
    ),
    Action("cancel", "Plan", "Cancel", "cancel", ("Ctrl+.",), "End what runs; the plan on screen stays.", "busy"),
    Action(
        "automatic",
        "Plan",
        "Re-solve automatically",
        "flip",
        (),
        "Re-solve as soon as a pin changes.",
        setting="resolve_automatically",
    ),
    *SWEEP_ROWS,
    *VARIANT_ROWS,
    Action(
        "verify",
        "Plan",
        "Verify numbers",
        "verify",
        ("F6",),
        "Run the plan on the simulated device and compare with PyTorch.",
        "plan",
        section=True,
    ),
    Action(
        "poison",
        "Plan",
        "Poison unused memory",
        "flip",
        (),
        "Verify with padding and unused memory filled with NaN.",
        setting="poison",
    ),
    Action(
        "simulate",
        "Plan",
        "Simulate the run",
        "simulate",
        ("F7",),
        "Run the plan against the clock of the simulated device and show the timeline.",
        "plan",
        section=True,
    ),
    Action(
        "play",
        "Plan",
        "Play or pause the run",
        "toggle_play",
        ("F8",),
        "Pass through the simulated run; graph and scratchpad follow.",
        "plan",
    ),
    Action(
        "critical",
        "Plan",
        "Critical path in the timeline",
        "toggle_critical",
        ("Shift+F8",),
        "Outline the chain of steps and waits that decides how long the run takes, or not.",
        "plan",
    ),
    Action(
        "theme",
        "View",
        "Dark or light",
        "toggle_theme",
        ("Ctrl+Shift+T",),
        "Change between the dark and the light theme.",
    ),
    Action("theme-system", "View", "Theme of the system", "system_theme", (), "Dark or light as the system is set."),
    *COLOUR_ROWS,
    Action(
        "table",
        "View",
        "Ops as a table",
        "toggle_table",
        ("Ctrl+T",),
        "The table of ops instead of the graph.",
        "plan",
        section=True,
    ),
    Action(
        "minimap",
        "View",
        "Overview",
        "toggle_minimap",
        ("M",),
        "Show or hide the overview in the corner.",
        "plan",
        "graph",
    ),
    Action("zoom-in", "View", "Zoom in", "zoom_in", ("Ctrl++", "Ctrl+="), "One step closer.", "plan", section=True),
    Action("zoom-out", "View", "Zoom out", "zoom_out", ("Ctrl+-",), "One step away.", "plan"),
    Action(
        "zoom-reset",
        "View",
        "Zoom to 100 %",
        "zoom_reset",
        ("Ctrl+0",),
        "The size at which texts are made to be read.",
        "plan",
    ),
    Action("fit", "View", "Fit all", "fit_all", ("Home",), "The whole picture.", "plan", "graph"),
    Action(
        "focus",
        "View",
        "Focus the selection",
        "focus_selection",
        ("F",),
        "Bring the selection into view; again to fill the view.",
        "plan",
        "graph",
    ),
    Action(
        "open-all",
        "View",
        "Open all modules",
        "open_all",
        ("*",),
        "Every module of the graph open.",
        "plan",
        "graph",
        section=True,
    ),
    Action(
        "close-all", "View", "Close all modules", "close_all", ("1",), "The outermost modules only.", "plan", "graph"
    ),
    *FOLD_ROWS,
    *LINK_ROWS,
    *SIZE_ROWS,
    Action("back", "Go", "Back", "back", ("Alt+Left",), "Select what was selected before.", "back"),
    Action("forward", "Go", "Forward", "forward", ("Alt+Right",), "Undo Back.", "forward"),
    Action(
        "copy-link",
        "Go",
        "Copy link to this place",
        "copy_link",
        ("Ctrl+Shift+C",),
        "A text that opens this file with this selection and view; pass it to spyre-studio in quotes.",
        "plan",
    ),
    Action(
        "next-step", "Go", "Next step", "next_step", (".",), "The op that runs next.", "plan", "graph", section=True
    ),
    Action(
        "previous-step", "Go", "Previous step", "previous_step", (",",), "The op that runs before.", "plan", "graph"
    ),
    Action(
        "up",
        "Go",
        "Close the module around",
        "up",
        ("Backspace",),
        "Close the module of the selected op.",
        "plan",
        "graph",
    ),
    *TRACE_ROWS,
    *LX_ROWS,
    *PROGRAM_ROWS,
    Action(
        "left", "Window", "Model and pins", "toggle_left", ("Ctrl+B",), "Show or hide the panel at the left.", "plan"
    ),
    Action(
        "bottom",
        "Window",
        "Bottom views",
        "toggle_bottom",
        ("Ctrl+J",),
        "Show or hide the views at the bottom.",
        "plan",
    ),
    Action("right", "Window", "Inspector", "toggle_right", ("Ctrl+I",), "Show or hide the panel at the right.", "plan"),
    Action(
        "reset", "Window", "Reset layout", "reset_layout", (), "Panels as they were at first.", "plan", section=True
    ),
    Action("start", "Window", "Start page", "start_page", (), "Examples and recent files; what is open stays open."),
    *LESSON_ROWS,
    Action("keys", "Help", "Keys", "show_keys", ("F1", "?"), "All keys on one page."),
    Action("words", "Help", "Words", "show_words", ("Shift+F1",), "What the words of the field mean, to be searched."),
    Action("about", "Help", "About Spyre Studio", "about", (), "What this is, and its version."),
)


_BOTTOM: Final = tuple(row for row in VIEWS if row.area == "bottom")
_SHOWS: Final = tuple(
    Action(
        f"view-{row.key}",
        "Window",
        row.title,
        "show_view",
        (f"Ctrl+{number}",),
        f"Show {row.hint}.",
        "plan",
        section=number == 1,
    )
    for number, row in enumerate(_BOTTOM, 1)
)
ACTIONS: Final[tuple[Action, ...]] = (*_ROWS, *_SHOWS)
