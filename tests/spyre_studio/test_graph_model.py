"""What the graph shows of a plan: nodes, groups, titles, the fate of data, pins; and of a model without a plan."""

from dataclasses import replace

import numpy as np
import pytest
from frozendict import frozendict

from compiler.loops import Origin
from compiler.pins import Pins
from compiler.plan import Plan, Slot
from compiler.schedule import Schedule, Step, expand
from spyre_studio.views.graph_groups import first_opened
from spyre_studio.views.graph_layout import layout_graph
from spyre_studio.views.graph_model import HBM, LX, MOVE, UNKNOWN, factors_text, planned, unplanned
from spyre_studio.views.graph_names import Place, group_title, places, shown_path
from spyre_studio.views.graph_scene import PARTLY, Scene, scene_of
from tests.programs import attention, softmax
from tests.spyre_studio.plans import compiled


def scene(*opened: str) -> Scene:
    model = planned(compiled(program=attention(2, 64, 64)))
    return scene_of(model, layout_graph(model.graph, frozenset(opened)))


def test_every_step_input_and_result_is_a_node() -> None:
    compilation = compiled(program=attention(2, 64, 64))
    model = planned(compilation)
    steps = [step.name for step in expand(compilation.problem.program, compilation.plan).steps]
    assert [node.name for node in model.nodes if node.name] == steps
    assert [node.buffer for node in model.nodes if node.kind == "input"] == ["q", "k", "v"]
    assert [node.kind for node in model.nodes][-1] == "output"
    assert all(model.nodes[model.of_op[name]].name == name for name in steps)


def test_edges_run_from_writer_to_reader_and_carry_the_buffer() -> None:
    compilation = compiled()
    model = planned(compilation)
    for (source, target), buffer in zip(model.edges.tolist(), model.carried, strict=True):
        assert model.nodes[source].buffer == buffer
        reader = model.nodes[target]
        if reader.name:
            op = compilation.problem.program.op_map[reader.name]
            assert buffer in {read.buffer for read in op.reads}
    assert len(model.edges) == len(set(map(tuple, model.edges.tolist())))


def test_the_fate_of_an_edge_is_where_its_buffer_lies() -> None:
    compilation = compiled()
    model = planned(compilation)
    for buffer, fate in zip(model.carried, model.fates.tolist(), strict=True):
        in_lx = isinstance(compilation.plan.placement[buffer], Slot)
        assert fate == (LX if in_lx else HBM)
    assert {LX, HBM} <= set(model.fates.tolist())


def test_an_edge_into_an_inserted_move_is_a_move() -> None:
    compilation = compiled(program=attention(2, 64, 64))
    assert compilation.plan.edits, "the keys of attention have to be restickified"
    model = planned(compilation)
    for edit in compilation.plan.edits:
        node = model.of_op[edit.name]
        assert model.nodes[node].kind == "move"
        assert "→" in model.nodes[node].detail
        assert all(fate == MOVE for (_, to), fate in zip(model.edges.tolist(), model.fates, strict=True) if to == node)


def test_nodes_say_how_they_are_divided_and_how_long_they_take() -> None:
    compilation = compiled(cores=4)
    model = planned(compilation)
    for cost in compilation.cost.steps:
        node = model.nodes[model.of_op[cost.step]]
        assert node.us == cost.total_us
        assert node.detail == factors_text(compilation.plan.divisions[cost.step].factors)


def test_without_a_plan_there_are_shapes_and_no_fates() -> None:
    model = unplanned(softmax(128, 256))
    assert set(model.fates.tolist()) == {UNKNOWN}
    assert model.nodes[model.of_op["exp"]].detail == "[128,256]"
    assert all(node.us != node.us for node in model.nodes)


def test_pins_mark_the_op_or_the_writer_of_the_buffer() -> None:
    model = planned(compiled())
    pins = Pins(
        division=frozendict({"sum": frozendict({"i": 4}), "gone": frozendict({"i": 2})}),
        placement=frozendict({"exp": "hbm", "x": "lx"}),
    )
    assert model.pinned(pins) == {model.of_op["sum"], model.of_op["exp"], model.of_buffer["x"]}


@pytest.mark.parametrize(
    ("factors", "text"), [({"m": 8, "n": 4}, "m 8 · n 4"), ({"m": 1}, "1 core"), ({}, "1 core"), ({"k": 2}, "k 2")]
)
def test_a_division_is_written_as_people_write_it(factors: dict[str, int], text: str) -> None:
    assert factors_text(factors) == text


# Names


def schedule(*names: tuple[str, str]) -> Schedule:
    """Steps with these names and modules."""
    op = softmax(64, 64).ops[0]
    steps = [
        Step(number, replace(op, name=name, origin=Origin(module=module)), None)
        for number, (name, module) in enumerate(names)
    ]
    return Schedule(tuple(steps), frozendict())


def test_a_group_of_one_op_is_that_op() -> None:
    found = places(schedule(("attn.q.linear/matmul", "attn.q"), ("attn.k.linear/matmul", "attn.k"), ("add", "")))
    assert found == (Place("attn", "q"), Place("attn", "k"), Place("", "add"))


def test_prefixes_of_names_are_groups_inside_modules() -> None:
    found = places(schedule(("n.mean/sum", "n"), ("n.mean/div", "n"), ("n.mul", "n"), ("add", "")))
    assert found == (Place("n.mean", "sum"), Place("n.mean", "div"), Place("n", "mul"), Place("", "add"))


def test_no_frame_lies_directly_in_a_frame() -> None:
    found = places(schedule(("up.linear/matmul", "up"), ("up.linear/add", "up"), ("act", "")))
    assert found == (Place("up", "matmul"), Place("up", "add"), Place("", "act"))
    assert places(schedule(("m.a/x", "m"), ("m.a/y", "m"))) == (Place("", "x"), Place("", "y"))


def test_dots_inside_a_part_of_a_name_make_no_group() -> None:
    found = places(schedule(("softmax.2/max", ""), ("softmax.2/sum", ""), ("softmax/max", ""), ("softmax/sum", "")))
    assert len({place.group for place in found}) == 2
    assert [group_title(place.group) for place in found] == ["softmax.2", "softmax.2", "softmax", "softmax"]
    assert not any("." in place.group for place in found)


def test_a_number_takes_the_part_before_it_along() -> None:
    assert group_title("layers.0") == "layers.0"
    assert shown_path("layers.0.attn") == ("layers", "layers.0", "attn")
    assert shown_path("") == ()


def test_an_inserted_move_lies_beside_the_op_it_was_made_for() -> None:
    compilation = compiled(program=attention(2, 64, 64))
    plan: Plan = compilation.plan
    steps = expand(compilation.problem.program, plan)
    where = dict(zip((step.name for step in steps.steps), places(steps), strict=True))
    for edit in plan.edits:
        assert where[edit.name].group == where[edit.before].group
        assert where[edit.name].title == "restickify"


# Scenes


def test_a_scene_has_one_row_per_box_and_knows_what_each_stands_for() -> None:
    shown = scene()
    assert len(shown.titles) == len(shown.details) == len(shown.numbers) == len(shown.layout.boxes)
    everything = np.concatenate(shown.nodes_of)
    assert sorted(everything.tolist()) == list(range(shown.node_count))
    box = shown.box_of_op("scores")
    node = shown.node_of_box(box)
    assert node is not None
    assert shown.model.nodes[node].name == "scores"
    assert shown.group_of_box(box) is None
    assert shown.box_of_op("no such op") == shown.box_of_op(None) == -1


def test_times_on_boxes_say_their_unit() -> None:
    shown = scene()
    timed = [text for text, us in zip(shown.numbers, shown.us.tolist(), strict=True) if us == us]
    assert timed
    assert all(text.endswith((" µs", " ms")) for text in timed)


def test_links_know_their_buffers_and_where_they_run() -> None:
    shown = scene()
    for link in range(len(shown.layout.links)):
        assert shown.carried[link]
        assert all(link in shown.links_of_buffer(buffer) for buffer in shown.carried[link])
    assert (shown.link_bounds[:, :2] <= shown.link_bounds[:, 2:]).all()
    assert shown.links_of_buffer(None) == []


def test_a_closed_group_adds_up_what_is_in_it() -> None:
    compilation = compiled()
    program = replace(
        compilation.problem.program,
        ops=tuple(
            replace(op, origin=Origin(module="inner")) if op.name != compilation.problem.program.ops[-1].name else op
            for op in compilation.problem.program.ops
        ),
    )
    model = planned(replace(compilation, problem=replace(compilation.problem, program=program)))
    folded = scene_of(model, layout_graph(model.graph, frozenset()))
    group = next(box for box in range(len(folded.titles)) if folded.group_of_box(box) == "inner")
    assert folded.titles[group] == "inner"
    assert folded.details[group] == "4 ops"
    times = {cost.step: cost.total_us for cost in compilation.cost.steps}
    inside = [op.name for op in program.ops[:-1]]
    assert folded.us[group] == pytest.approx(sum(times[name] for name in inside))
    assert folded.box_of_op(inside[0]) == group
    assert folded.residency[group] in {LX, PARTLY, HBM}
    assert "inner" in first_opened(model.graph)
