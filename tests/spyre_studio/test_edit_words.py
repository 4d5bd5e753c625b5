"""Every kind of inserted move has words, and they are used everywhere alike."""

import pytest

from compiler.plan import Edit, EditKind
from spyre_studio.buffer_facts import accesses, subline
from spyre_studio.derived import schedule_of
from spyre_studio.edit_words import EDITS, counts_of, keeps_place, target_text, when_text, word
from spyre_studio.finder import found_in
from spyre_studio.handover_model import handovers_of
from spyre_studio.short_names import short_names
from spyre_studio.stick_grid import tensor_grid
from spyre_studio.stick_model import stick_model_of
from spyre_studio.summary import describe, summary
from spyre_studio.verdicts import copies_text, counts_text
from spyre_studio.views.graph_model import HBM, LX, MOVE, planned
from tests.spyre_studio.moves import EDITS as MOVES
from tests.spyre_studio.moves import moved


def edit(kind: EditKind, before: str = "sub", replicas: int = 1) -> Edit:
    return Edit("e", kind, "w", "w2", before, ("sub",), replicas)


def test_every_kind_has_words() -> None:
    assert EDITS.keys() == set(EditKind)


@pytest.mark.parametrize(
    ("kind", "one", "target"),
    [
        (EditKind.RESTICKIFY, "restickify", "another stick layout of w"),
        (EditKind.REORDER, "reorder", "another dim order of w"),
        (EditKind.PAD, "pad", "w filled up with zeros"),
        (EditKind.RELAYOUT, "relayout", "w over the ring, on other cores"),
        (EditKind.CLONE_IN, "clone in", "a clone of w in LX"),
        (EditKind.CLONE_OUT, "clone out", "a clone of w in device memory"),
    ],
)
def test_words_of_a_kind(kind: EditKind, one: str, target: str) -> None:
    assert word(kind) == one
    assert target_text(edit(kind)) == target
    assert when_text(edit(kind)) == f"{one} before sub"
    assert when_text(edit(kind, before="")) == f"{one} at the end"


def test_how_many_cores_hold_each_part() -> None:
    assert target_text(edit(EditKind.CLONE_IN, replicas=4)) == "a clone of w in LX, each part on 4 cores"


def test_counts_stand_in_the_order_of_the_kinds() -> None:
    kinds = (EditKind.CLONE_OUT, EditKind.CLONE_IN, EditKind.RELAYOUT, EditKind.CLONE_IN, EditKind.PAD)
    edits = [edit(kind) for kind in kinds]
    assert counts_of(edits) == ("1 pad", "1 relayout", "2 clones in", "1 clone out")
    assert copies_text(edits * 2) == ("2 pads", "2 relayouts", "4 clones in", "2 clones out")
    assert counts_of(()) == ()


def test_clones_keep_their_cores() -> None:
    assert {kind for kind in EditKind if keeps_place(kind)} == {EditKind.CLONE_IN, EditKind.CLONE_OUT}


# In a plan


def test_the_summary_counts_moves() -> None:
    document = summary(moved(), {})
    assert [document[f"{kind}_count"] for kind in ("restickify", "relayout", "clone_in", "clone_out")] == [0, 1, 2, 1]
    edits = document["edits"]
    assert isinstance(edits, list)
    assert [(one["kind"], one["at_step"], one["replicas"]) for one in edits] == [
        ("clone-in", 0, 2),
        ("clone-in", 1, 4),
        ("relayout", 3, 1),
        ("clone-out", 5, 1),
    ]


def test_lines_for_people_name_them_beside_the_layouts() -> None:
    lines = describe(moved())
    assert "  moves      1 relayout, 2 clones in, 1 clone out" in lines
    assert any(line.startswith("  layouts    0 restickifies of 0 elements; ") for line in lines)
    assert counts_text(moved()).endswith(" · 1 relayout · 2 clones in · 1 clone out")


def test_short_names_and_search_say_what_a_move_is() -> None:
    names = short_names(moved())
    assert [names.step(one.name) for one in MOVES] == [
        "clone in of x",
        "clone in of w",
        "relayout of mm",
        "clone out of mm",
    ]
    notes = {entry.name: entry.note for entry in found_in(moved()) if entry.kind == "move"}
    assert notes == {"x@in": "clone in", "w@in": "clone in", "mm@ring": "relayout", "mm@out": "clone out"}


def test_facts_of_a_step_tell_clones_from_relayouts() -> None:
    compilation = moved()
    schedule = schedule_of(compilation)
    (read,), (written,) = accesses(compilation, schedule, schedule.step_map["mm@out"])
    assert (read.fate, written.fate, written.note) == ("lx", "hbm", "a clone of mm in device memory")
    _, (ring,) = accesses(compilation, schedule, schedule.step_map["mm@ring"])
    assert (ring.fate, ring.note) == ("lx", "mm over the ring, on other cores")
    assert subline(compilation, schedule.step_map["mm@out"]).startswith("clone out · ")


def test_edges_are_drawn_by_what_happens_to_the_data() -> None:
    graph = planned(moved())
    names = [node.name or node.title for node in graph.nodes]
    edges = {(names[a], names[b]): int(fate) for (a, b), fate in zip(graph.edges, graph.fates, strict=True)}
    assert edges == {
        ("x", "x@in"): HBM,
        ("x@in", "mm"): LX,
        ("w@in", "mm"): LX,
        ("mm", "mm@ring"): MOVE,
        ("mm@ring", "relu"): LX,
        ("mm", "mm@out"): LX,
        ("mm@out", "out0"): HBM,
        ("relu", "out1"): HBM,
    }
    details = {node.name: (node.title, node.detail) for node in graph.nodes if node.kind == "move"}
    assert details == {
        "x@in": ("clone in", "into LX · 32 KiB"),
        "w@in": ("clone in", "w · into LX"),
        "mm@ring": ("relayout", "ring · 16 KiB"),
        "mm@out": ("clone out", "out of LX · 16 KiB"),
    }


def test_a_lane_names_all_cores_that_hold_it() -> None:
    compilation = moved()
    found = {}
    for name in ("w@in", "mm", "x"):
        model = stick_model_of(compilation, schedule_of(compilation), name)
        assert model is not None
        grid = tensor_grid(model.layout, model.tensor.shape)
        lane = model.lane(grid, 0, 0)
        found[name] = (lane.core, [line for line in model.detail(lane).split("\n") if line.startswith("held by")])
    assert found == {
        "w@in": (0, ["held by 4 cores: 0, 1, 2, 3"]),
        "mm": (0, ["held by core 0"]),
        "x": (-1, []),
    }


def test_moves_that_fetch_are_no_mismatch() -> None:
    """They are there because their reader is on other cores: the way out that such a page offers is taken."""
    for step in ("mm", "mm@ring", "mm@out", "relu"):
        assert handovers_of(moved(), step).apart == ()
