"""Wrappers: kernels, launches and layouts out of Python source that is only ever looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.opspec import (
    DebugHandle,
    Dimension,
    KernelArgument,
    KernelSpec,
    LoopSpec,
    OpSpec,
    Place,
    Room,
    Source,
)
from compiler.read.kernel_folder import read_programs
from compiler.read.wrapper_calls import read_calls
from compiler.read.wrapper_literals import Made, plain
from tests.compiler.formats.kernel_files import wrapper
from tests.compiler.spec_sketch import add

SOURCE = """# AOT ID: ['0_inference']
import os, torch
from torch_spyre.execution.async_compile import SpyreAsyncCompile
async_compile = SpyreAsyncCompile()
empty = torch._C._dynamo.guards._empty_strided_cpu

k0 = async_compile.sdsc('sdsc_fused_add_0',
    [OpSpec(op='add', is_reduction=False,
        iteration_space={sympify('c0'): (sympify('512'), 32), sympify('c1'): (sympify('1024'), 1)},
        op_info={}, symbolic_dim_bounds={},
        args=[TensorArg(is_input=True, arg_index=0, device_dtype=DataFormats.SEN169_FP16, device_size=[16, 512, 64],
                device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                allocation={'hbm': 0}),
              TensorArg(is_input=True, arg_index=1, device_dtype=DataFormats.SEN169_FP16, device_size=[16, 512, 64],
                device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                allocation={'hbm': 1}),
              TensorArg(is_input=False, arg_index=2, device_dtype=DataFormats.SEN169_FP16, device_size=[16, 512, 64],
                device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                allocation={'hbm': 2},
                device_tile_advance_expr=sympify('64*c0'))])])

k1 = async_compile.sdsc('sdsc_fused_mean_1',
    [LoopSpec(count=sympify('4'), body=[
        OpSpec('mean', True, {sympify('c0'): (sympify('64'), 8), sympify('c1'): (sympify('64'), 1)},
            [TensorArg(True, 0, DataFormats.SEN169_FP16, [1, 64, 64],
                 [sympify('0'), sympify('c0'), sympify('Mod(c1, 64)')],
                 {'hbm': 17179869184}),
             TensorArg(False, -1, DataFormats.SEN169_FP16, [1, 64, 64], [0, sympify('c0'), 0], {'hbm_pool': 256})],
            op_info={'constants': {'scaling_factor': 0.015625}, 'node': ('a', 1, IndirectAccess(name='i'))},
            tiled_symbols=[[sympify('c0')]],
            debug_handle=DebugHandle(id='1', source=SourceLoc(file='m.py', start_line=3,
                start_col=4, end_line=3, end_col=9), aten_op='aten.mean.dim', ir_chain=['mean', 'buf1'],
                fused_from=[DebugHandle(id='2', source=None, aten_op=None, ir_chain=['x'], fused_from=[],
                    transform_history=[ProvenanceTransform(kind='fusion', pass_name='p', reason='r')])]))]),
     OpSpec(op='shuffle', is_reduction=False, iteration_space={sympify('c0'): (sympify('64'), 4)},
        args=[TensorArg(is_input=True, arg_index=-1, device_dtype=DataFormats.SEN169_FP16, device_size=[64, 64],
                device_coordinates=[sympify('c0'), sympify('0')], allocation={'lx': 0},
                work_division=TensorWorkDivision(work_slices={sympify('c0'): 2},
                    core_id_to_work_slice={sympify('c0'): sympify('floor(core_id/1)')})),
              TensorArg(is_input=False, arg_index=1, device_dtype=DataFormats.SEN169_FP16, device_size=[64, 64],
                device_coordinates=[sympify('c0'), sympify('0')], allocation={'hbm': 1})])],
    pool_size=16640)
async_compile.wait(globals())
del async_compile

class Runner:
    def call(self, args):
        arg0_1, arg1_1 = args
        args.clear()
        assert_size_stride(arg0_1, (512, 1024), (1024, 1))
        assert_size_stride(arg1_1, (512, 1024), (1024, 1), 'input')
        buf0 = spyre_empty_with_layout((512, 1024), (1024, 1), torch.float16, SpyreTensorLayout(
            device_size=[16, 512, 64], stride_map=[64, 1024, 1], device_dtype=DataFormats.SEN169_FP16,
            element_arrangement=ElementArrangement.STANDARD))
        stream0 = get_raw_stream(0)
        k0.run(arg0_1, arg1_1, buf0, stream=stream0)
        del arg1_1
        buf1 = spyre_empty_with_layout(size(), (1,), torch.float16, layout)
        pool = spyre_empty_pool(16640)
        k1.run(pool, reinterpret_tensor(buf0, (64, 64), (64, 1), 0), buf1)
        buf2 = buf0; del buf0  # reuse
        k0.run(arg0_1, buf2, buf2)
        return (buf2, reinterpret_tensor(buf1, (8,), (1,), 0),)

def benchmark_compiled_module(times=10, repeat=10):
    arg0_1 = rand_strided((512, 1024), (1024, 1), device='spyre:0', dtype=torch.float16)
    fn = lambda: call([arg0_1])
    return print_performance(fn, times=times, repeat=repeat)

if __name__ == "__main__":
    os.system("touch never")
    open("never", "w").write("x")
"""


def read_wrapper(text: str, origin: str) -> tuple[KernelSpec, ...]:
    return read_calls(text, origin).kernels


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The wrapper above as a file."""
    (tmp_path / "output_code.py").write_text(SOURCE, "utf-8")
    return tmp_path / "output_code.py"


def test_literals_are_specifications() -> None:
    first, second = read_wrapper(SOURCE, "a")
    assert (first.name, first.pool_bytes) == ("sdsc_fused_add_0", 0)
    (op,) = first.ops()
    assert (op.op, op.iteration, dict(op.extra)) == ("add", add().iteration, {})
    assert [(arg.is_input, arg.argument, arg.device_size, arg.coordinates, arg.place) for arg in op.args] == [
        (arg.is_input, arg.argument, arg.device_size, arg.coordinates, arg.place) for arg in add().args
    ]
    assert op.output.extra == {"device_tile_advance_expr": '"64*c0"'}
    assert (second.name, second.pool_bytes) == ("sdsc_fused_mean_1", 16640)
    loop, shuffle = second.body
    assert isinstance(loop, LoopSpec)
    assert isinstance(shuffle, OpSpec)
    assert loop.count == 4
    division = shuffle.args[0].division
    assert division is not None
    assert division.slices == frozendict(c0=2)
    assert division.of_core == (frozendict(c0=0), frozendict(c0=1))


def test_fields_of_every_kind_are_kept() -> None:
    mean = next(iter(read_wrapper(SOURCE, "a")[1].ops()))
    assert (mean.op, mean.is_reduction) == ("mean", True)
    assert mean.iteration == (Dimension("c0", 64, 8), Dimension("c1", 64))
    assert mean.constants == frozendict(scaling_factor=0.015625)
    node = '["a", 1, {"class": "IndirectAccess", "name": "i"}]'
    assert mean.extra == {
        "op_info": f'{{"constants": {{"scaling_factor": 0.015625}}, "node": {node}}}',
        "tiled_symbols": '[["c0"]]',
    }
    assert [arg.place for arg in mean.args] == [Place(Room.HBM, 0), Place(Room.POOL, 256)]
    inner = DebugHandle(None, None, ("x",))
    assert mean.handle == DebugHandle(Source("m.py", 3, 4, 3, 9), "aten.mean.dim", ("mean", "buf1"), (inner,))


def test_launches_are_told_in_order_with_their_tensors(path: Path) -> None:
    found = read_programs(path)
    assert [kernel.name for kernel in found.kernels] == ["sdsc_fused_add_0", "sdsc_fused_mean_1", "sdsc_fused_add_0#2"]
    assert [[each.name for each in kernel.arguments] for kernel in found.kernels] == [
        ["arg0_1", "arg1_1", "buf0"],
        ["buf0", "buf1"],
        ["arg0_1", "buf2", "buf2"],
    ]
    assert found.results == ("buf2", "buf1")
    first, second, result = found.kernels[0].arguments
    known = (512, 1024), (1024, 1), "float16", (16, 512, 64)
    assert [(each.shape, each.strides, each.dtype, each.device_size) for each in (first, second, result)] == [known] * 3
    assert result == KernelArgument(2, "buf0", False, *known[:3], (16, 512, 64), (64, 1024, 1), "SEN169_FP16")
    assert (first.is_input, first.stride_map) == (True, ())
    assert [arg.name for arg in next(iter(found.kernels[0].ops())).args] == ["arg0_1", "arg1_1", "buf0"]
    assert found.kernels[1].arguments[1].shape == ()
    assert not (path.parent / "never").exists()


def test_what_disagrees_is_told(path: Path) -> None:
    assert read_programs(path).findings == (
        "sdsc_fused_mean_1: argument 0 has the device size [16, 512, 64], its ops walk [1, 64, 64]",
        "sdsc_fused_mean_1: op 1 (shuffle) reads LX at byte 0, where nothing was written before",
    )


def test_too_few_tensors_and_idle_kernels_are_told() -> None:
    text = SOURCE.replace("k0.run(arg0_1, arg1_1, buf0, stream=stream0)", "k0.run(arg0_1)").replace(
        "k1.run(", "k9.run("
    )
    found = read_calls(text, "a")
    _, findings = found.launched(found.kernels)
    line = 1 + text[: text.index("k0.run(")].count("\n")
    assert f"sdsc_fused_add_0 takes 3 tensors, line {line} gives 1" in findings
    assert "sdsc_fused_mean_1 is never run by the wrapper" in findings


def test_what_is_no_tensor_with_a_name_has_its_number() -> None:
    found = read_calls(SOURCE.replace("k0.run(arg0_1, buf2, buf2)", "k0.run(f(), args[0], buf2)"), "a")
    kernels, _ = found.launched(found.kernels)
    assert [each.name for each in kernels[2].arguments] == ["arg0", "arg1", "buf2"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", "for i in range(3):", "its kernels stand in 'for' and are taken to run once"),
        ("", "if arg0_1.sum() > 0:", "its kernels stand in 'if' and are taken to run once"),
        ("arg0_1 = arg0_1 + 1", "", "what it computes on the host is not followed"),
        ("buf9 = torch.ops.aten.mm(arg0_1, arg0_1)", "", "the call of torch.ops.aten.mm is not followed"),
    ],
)
def test_what_makes_another_program_of_the_launches_is_told(before: str, after: str, said: str) -> None:
    lines = ["def call(args):", f"    {before or 'pass'}"]
    lines += [f"    {after}", "        k0.run(arg0_1, arg1_1, buf0)"] if after else ["    k0.run(arg0_1, arg1_1, buf0)"]
    found = read_calls("\n".join([wrapper(), *lines, "    return (buf0,)", ""]), "a.py")
    assert len(found.findings) == 1
    assert said in found.findings[0]


def test_a_wrapper_that_runs_nothing_has_its_kernels_in_order() -> None:
    found = read_calls(wrapper() + wrapper().replace("_0'", "_1'"), "a")
    kernels, findings = found.launched(found.kernels)
    assert [kernel.name for kernel in kernels] == ["sdsc_fused_add_0", "sdsc_fused_add_1"]
    assert [len(kernel.arguments) for kernel in kernels] == [3, 3]
    assert findings == ("the wrapper runs none of its kernels",)


HOSTILE = (
    "__import__('os').system('x')",
    "open('never', 'w')",
    "eval('1')",
    "exec",
    "(lambda: 0)()",
    "[f(x) for x in range(9)]",
    "{**globals()}",
    "f'{open(1)}'",
    "a if b else c",
    "1 + 1",
    "x := 1",
    "await x",
    "os.environ['A']",
    "b'bytes'",
    "1j",
    "...",
    "OpSpec.__subclasses__()",
    "sympify('a', b=1)",
    "sympify(open('x'))",
    "not True",
    "1e999",
    "-1e999",
)


@pytest.mark.parametrize("code", HOSTILE)
def test_hostile_code_is_refused_where_a_literal_is_expected(code: str) -> None:
    for text in (
        wrapper().replace("is_reduction=False", f"is_reduction=({code})"),
        wrapper().replace("device_size=[1, 64]", f"device_size=[({code}), 64]"),
        wrapper().replace("'sdsc_fused_add_0'", f"({code})"),
        wrapper().replace("sympify('64')", f"({code})"),
    ):
        with pytest.raises(InputError, match="line 1"):
            read_wrapper(text, "a.py")


def test_texts_of_expressions_are_never_run() -> None:
    for code in ("__import__('os')", "c0.__class__", "(lambda: 1)()", "c0**9999999999", "exec('x')", "c0[0]"):
        with pytest.raises(InputError, match="an expression"):
            read_wrapper(wrapper().replace("sympify('64')", f'sympify("{code}")'), "a.py")


def test_values_are_plain_data() -> None:
    made = Made("A", (1,), {"b": None}, "a", 1)
    assert plain({"x": (made, 2.5)}) == {"x": [{"class": "A", "b": None, "given": [1]}, 2.5]}


def test_a_kernel_may_have_its_pool_as_third_argument() -> None:
    kernels = read_wrapper(wrapper().replace("])\n", "], 512)\n"), "a")
    assert kernels[0].pool_bytes == 512
    assert isinstance(kernels[0], KernelSpec)


def test_ops_without_iterations_are_left_out() -> None:
    empty = "OpSpec(op='nothing', is_reduction=False, iteration_space={}, args=[]), OpSpec("
    kernels = read_wrapper(wrapper().replace("OpSpec(", empty, 1), "a")
    assert [op.op for op in kernels[0].ops()] == ["add"]
