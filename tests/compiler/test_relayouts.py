"""Relayouts: the published gates and prices, and random divisions against a rule of thumb of sets."""

from dataclasses import replace
from itertools import product as pairs

import pytest

from compiler.coordinates import Boxes, core_boxes
from compiler.copy_cuts import Cut, copy_cut, cut_boxes, reader_cut
from compiler.cost.relayout import View, seen_view
from compiler.division import Division
from compiler.dtypes import DType
from compiler.layout import StickLayout, stick_layout
from compiler.loops import Access, Buffer, LoopOp, LoopProgram
from compiler.plan import Edit, EditKind, Plan
from compiler.relayouts import edge_fault, gate, relayout_time_us, ring_fault
from compiler.schedule import REPLICA, Step
from tests.compiler.tiny import opaque, split, spyre
from tests.programs import attention, chain, product, reshaped, transposed
from tests.sketch import Sketch


def step_of(program: LoopProgram, name: str) -> Step:
    return Step(0, program.op_map[name])


def seen(op: LoopOp, access: Access, program: LoopProgram, layout: StickLayout, division: Division) -> Boxes:
    return core_boxes(op, access, program.buffer_map[access.buffer], layout, division)


def layout_of(buffer: Buffer) -> StickLayout:
    return stick_layout(buffer.shape, buffer.strides, 64)


class Edge:
    """A buffer between a writer and a reader with a division each."""

    def __init__(self, program: LoopProgram, names: tuple[str, str], *divisions: Division) -> None:
        self.program, self.buffer = program, program.buffer_map[names[0]]
        self.layout = layout_of(self.buffer)
        self.writer, self.reader = (step_of(program, name) for name in names)
        self.read = next(read for read in self.reader.op.reads if read.buffer == names[0])
        self.source = seen(self.writer.op, self.writer.op.write, program, self.layout, divisions[0])
        self.target = seen(self.reader.op, self.read, program, self.layout, divisions[1])
        self.cut = copy_cut(self.reader.op, self.read, self.buffer, self.layout, divisions[1])

    def gate(self, cores: int) -> str:
        ends = (self.writer, self.reader)
        buffers = self.program.buffer_map
        return gate(spyre(cores), self.layout, self.buffer.name, ends, self.source, self.target, buffers)

    def time_us(self, cores: int) -> float:
        return relayout_time_us(spyre(cores), self.layout, self.source, self.target)


PUBLISHED = chain(8, 256, 512)


def published(writer: Division, reader: Division) -> Edge:
    """relu(neg(x)), x = [8, 256, 512] f16, layout [256, 8, 8, 64]."""
    return Edge(PUBLISHED, ("neg", "relu"), writer, reader)


def test_c1_the_published_graph_may_be_carried_over_the_ring() -> None:
    edge = published(split(j=(8, 32)), split(j=(4, 64), l=(2, 256)))
    assert edge.layout.device_size == (256, 8, 8, 64)
    assert edge.gate(8) == ""
    assert edge.cut == Cut(split(d1=(4, 64), d2=(2, 256)))
    assert edge.time_us(8) == pytest.approx(1.1364, abs=5e-5)


@pytest.mark.parametrize(
    ("reader", "run", "factor", "time"),
    [
        (split(i=(4, 2), j=(2, 128)), 256, 4, 8.7778),
        (split(j=(4, 64), l=(2, 256)), 4096, 2, 1.1364),
        (split(j=(2, 128), l=(4, 128)), 2048, 4, 2.7746),
    ],
    ids=["256-by-4", "4096-by-2", "2048-by-4"],
)
def test_c2_the_published_prices_by_the_shorter_run(reader: Division, run: int, factor: int, time: float) -> None:
    edge = published(split(j=(8, 32)), reader)
    view = seen_view(edge.layout, edge.target)
    assert (view.run_bytes, view.split) == (run, factor)
    assert edge.time_us(8) == pytest.approx(time, abs=5e-5)
    assert edge.gate(8) == ""


def test_c4_attention_scores_between_two_divisions() -> None:
    program = attention()
    names = ("scores", next(op.name for op in program.ops if op.name.startswith("sub")))
    writer, reader = split(j=(16, 32), l=(2, 256)), split(j=(32, 16))
    edge = Edge(program, names, writer, reader)
    assert edge.layout.size_bytes == 2097152
    assert edge.gate(32) == ""
    views = [seen_view(edge.layout, boxes) for boxes in (edge.source, edge.target)]
    assert views[0] == View(2048, 2)
    assert edge.time_us(32) == pytest.approx(0.329, abs=5e-4)


def test_c5_partial_sums_are_no_source() -> None:
    sketch = Sketch("sums")
    sketch.output(sketch.apply("neg", sketch.matmul(sketch.input("x", 256, 512), sketch.input("y", 512, 256), "dot")))
    edge = Edge(sketch.program(), ("dot", "neg"), split(k=(2, 256), i=(4, 64)), split(i=(8, 32)))
    assert edge.gate(8) == ("only 4 of 8 cores hold parts of their own: sums are complete on the last core of each")


def test_c6_a_gather_of_sixteen_parts_is_refused() -> None:
    edge = Edge(chain(1024, 1024), ("neg", "relu"), split(i=(16, 64)), split(j=(16, 64)))
    assert edge.gate(16) == "each core would send to 16 cores, the limit is 8"
    smaller = Edge(chain(1024, 1024), ("neg", "relu"), split(i=(8, 128)), split(j=(8, 128)))
    assert smaller.gate(16) == ""


def test_c7_more_cores_only_if_all_of_them() -> None:
    edge = published(split(j=(8, 32)), split(j=(16, 16)))
    assert edge.gate(32) == "the reader uses 16 cores, the writer 8: to more cores it goes only if to all 32"
    assert edge.gate(16) == ""
    assert published(split(j=(16, 16)), split(j=(8, 32))).gate(16) == (
        "the reader uses 8 cores, the writer 16: a relayout needs at least as many"
    )


def test_equal_boxes_need_no_relayout_and_another_order_of_the_loops_does() -> None:
    one, other = split(i=(2, 4), j=(4, 64)), split(j=(4, 64), i=(2, 4))
    assert published(one, one).gate(8) == "every core has what it needs already"
    assert published(one, other).gate(8) == ""


# Products


def squares() -> LoopProgram:
    sketch = Sketch("gathered")
    value = sketch.apply("neg", sketch.input("x", 512, 256))
    sketch.output(sketch.matmul(value, sketch.input("y", 256, 512), "dot"))
    return sketch.program()


def test_a_product_gathers_parts_and_a_pointwise_reader_does_not() -> None:
    edge = Edge(squares(), ("neg", "dot"), split(i=(8, 64)), split(i=(2, 256), j=(4, 128)))
    assert edge.gate(8) == ""
    assert edge.cut == Cut(split(d0=(2, 256), replica=(4, 1)), 4)
    device, size = spyre(8), edge.layout
    assert ring_fault(device, size, edge.source, edge.target, product=False) == (
        "8 cores read 2 parts of it: parts are gathered for products only"
    )


def test_a_square_of_one_value_reads_it_twice() -> None:
    sketch = Sketch("squared")
    value = sketch.apply("neg", sketch.input("x", 256, 256))
    sketch.output(sketch.matmul(value, value, "dot"))
    edge = Edge(sketch.program(), ("neg", "dot"), split(i=(4, 64)), split(i=(4, 64)))
    assert "dot reads it 2 times" in edge.gate(4)


def test_readers_that_reduce_and_copies_are_refused() -> None:
    sketch = Sketch("reduced")
    value = sketch.apply("neg", sketch.input("x", 512, 512))
    sketch.output(sketch.reduce("sum", value, -1))
    program = sketch.program()
    writer, reader = step_of(program, "neg"), step_of(program, "sum")
    layout, buffers = layout_of(program.buffer_map["neg"]), program.buffer_map
    assert edge_fault(spyre(), layout, "neg", (writer, reader), buffers) == (
        "sum is neither pointwise nor a product of two operands"
    )
    turn = Edit("x.turn", EditKind.RESTICKIFY, "x", "x@turn", "neg", ("neg",))
    turned, pointwise = Step(0, writer.op, turn), Step(1, writer.op)
    assert "neg only turns x" in edge_fault(spyre(), layout, "neg", (turned, pointwise), buffers)
    assert edge_fault(spyre(), layout, "neg", (pointwise, turned), buffers) == "neg is itself a copy"
    wide = replace(buffers["neg"], dtype=DType.F32)
    odd = edge_fault(spyre(), layout, "neg", (pointwise, pointwise), buffers.set("neg", wide))
    assert odd == "it has sticks of 64 elements, not those of f32"
    host = Step(0, opaque("host", buffers["x"], buffers["neg"]))
    assert "known only when it runs" in edge_fault(spyre(), layout, "neg", (host, pointwise), buffers)


# Cuts of copies


def test_a_cut_has_what_the_other_operand_splits_as_replicas() -> None:
    program = product(256, 512, 1024)
    op = program.op_map["matmul"]
    division = split(k=(2, 256), i=(2, 128), j=(4, 256))
    cuts = [copy_cut(op, read, buffer, layout_of(buffer), division) for read, buffer in _reads(op, program)]
    assert cuts == [
        Cut(split(d1=(2, 256), d0=(2, 128), replica=(4, 1)), 4),
        Cut(split(d0=(2, 256), replica=(2, 1), d1=(4, 256)), 2),
    ]
    assert all(copy_cut(op, r, b, layout_of(b), division, replicated=False) is None for r, b in _reads(op, program))


def _reads(op: LoopOp, program: LoopProgram) -> list[tuple[Access, Buffer]]:
    return [(read, program.buffer_map[read.buffer]) for read in op.reads]


def test_replicas_at_two_places_of_the_order_are_refused() -> None:
    sketch = Sketch("spread")
    x, y = sketch.input("x", 4, 256, 512), sketch.input("y", 1, 256, 1)
    sketch.output(sketch.apply("add", x, y.expanded((4, 256, 512))))
    program = sketch.program()
    op = program.op_map["add"]
    read, buffer = next(pair for pair in _reads(op, program) if pair[0].buffer == "y")
    around = split(i=(2, 2), j=(2, 128), l=(2, 256))
    assert copy_cut(op, read, buffer, layout_of(buffer), around) is None
    beside = split(i=(2, 2), l=(2, 256), j=(2, 128))
    assert copy_cut(op, read, buffer, layout_of(buffer), beside) == Cut(split(replica=(4, 1), d1=(2, 128)), 4)


def test_parts_of_a_buffer_and_reads_that_differ_have_no_cut() -> None:
    sketch = Sketch("part")
    x = sketch.input("x", 256, 128)
    sketch.output(sketch.apply("neg", x.sliced(0, 0, 128, 1)))
    twice = Sketch("twice")
    square = twice.input("x", 128, 128)
    twice.output(twice.apply("add", square, transposed(square)))
    program = sketch.program()
    op, buffer = program.op_map["neg"], program.buffer_map["x"]
    assert reader_cut(op, buffer, layout_of(buffer), split(i=(2, 64))) is None
    program = twice.program()
    op, buffer = program.op_map["add"], program.buffer_map["x"]
    assert reader_cut(op, buffer, layout_of(buffer), split(i=(2, 64))) is None
    assert reader_cut(op, buffer, layout_of(buffer), Division()) == Cut(Division())


def test_a_loop_over_two_dims_is_cut_into_both() -> None:
    sketch = Sketch("flat")
    x = sketch.apply("neg", sketch.input("x", 8, 256, 64))
    sketch.output(sketch.apply("exp", reshaped(x, 8 * 256, 64)))
    program = sketch.program()
    op, buffer = program.op_map["exp"], program.buffer_map["neg"]
    cuts = [copy_cut(op, op.reads[0], buffer, layout_of(buffer), split(i=(n, 2048 // n))) for n in (2, 8, 32)]
    assert cuts == [Cut(split(d0=(2, 4))), Cut(split(d0=(8, 1))), Cut(split(d1=(4, 64), d0=(8, 1)))]


def test_sticks_that_two_cores_share_have_no_cut() -> None:
    program = chain(64, 100)
    op, buffer = program.op_map["relu"], program.buffer_map["neg"]
    assert copy_cut(op, op.reads[0], buffer, layout_of(buffer), split(j=(2, 64))) == Cut(split(d1=(2, 64)))
    assert copy_cut(op, op.reads[0], buffer, layout_of(buffer), split(j=(2, 50))) is None


def test_a_cut_writes_what_the_reader_reads_under_every_division() -> None:
    op = PUBLISHED.op_map["relu"]
    buffer = PUBLISHED.buffer_map["neg"]
    layout = layout_of(buffer)
    for one, two, three in pairs((1, 2, 4, 8), (1, 2, 4), (1, 2, 8)):
        steps = {"i": (one, 8 // one), "j": (two, 256 // two), "l": (three, 512 // three)}
        division = split(**{loop: entry for loop, entry in reversed(steps.items()) if entry[0] > 1})
        cut = copy_cut(op, op.reads[0], buffer, layout, division)
        assert cut is not None
        made, read = cut_boxes(cut, buffer, layout), core_boxes(op, op.reads[0], buffer, layout, division)
        assert (made.start == read.start).all()
        assert (made.size == read.size).all()
        assert REPLICA not in cut.division.factors


def test_a_plan_can_hold_a_cut() -> None:
    plan = Plan("m", "spyre", 8, "by hand")
    cut = Cut(split(d0=(2, 4), replica=(4, 1)), 4)
    assert plan.divisions.set("x@ring", cut.division)["x@ring"].cores == 8
