"""What the archive reader opens: graphs, sizes, weights and origins of sound files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.export import Dim, ExportedProgram

from compiler.errors import InputError, UnsupportedError
from compiler.frontend.archive import OpenSize, read_archive, read_open_sizes, read_tensors
from resources.examples import Example, examples
from resources.models.build import WITH_WEIGHTS, exported
from tests.compiler.frontend.archives import (
    CONSTANTS,
    MODEL,
    Json,
    Small,
    graph_of,
    parts_of,
    save,
    save_function,
    with_json,
    write_parts,
)


def targets(program: ExportedProgram) -> list[str]:
    return [str(node.target) for node in program.graph.nodes if node.op == "call_function"]


def test_reads_a_program_with_fake_weights(tmp_path: Path) -> None:
    path = save(tmp_path / "small.pt2", Small(), torch.ones(2, 8))
    program = read_archive(path)
    assert targets(program) == [
        "aten.linear.default",
        "aten.add.Tensor",
        "aten.relu.default",
        "aten.lift_fresh_copy.default",
        "aten.detach_.default",
        "aten.mul.Tensor",
    ]
    assert {name: tuple(tensor.shape) for name, tensor in program.state_dict.items()} == {
        "fc.weight": (4, 8),
        "fc.bias": (4,),
        "shift": (4,),
    }
    assert program.example_inputs is None
    values = [node.meta["val"] for node in program.graph.nodes if "val" in node.meta and node.op == "placeholder"]
    tensors = [*program.state_dict.values(), *program.constants.values(), *values]
    modes = {tensor.fake_mode for tensor in tensors if isinstance(tensor, FakeTensor)}
    assert len(modes) == 1
    assert all(isinstance(tensor, FakeTensor) for tensor in tensors)


def test_keeps_source_lines_and_modules(tmp_path: Path) -> None:
    program = read_archive(save(tmp_path / "small.pt2", Small(), torch.ones(2, 8)))
    linear = next(node for node in program.graph.nodes if node.name == "linear")
    assert "archives.py" in linear.meta["stack_trace"]
    assert [path for path, _ in linear.meta["nn_module_stack"].values()] == ["", "fc"]


def test_reads_weights_only_when_asked(tmp_path: Path) -> None:
    module = Small()
    path = save(tmp_path / "small.pt2", module, torch.ones(2, 8))
    program = read_archive(path)
    tensors = read_tensors(path, program)
    assert tensors is not None
    assert set(tensors) == set(program.state_dict) | set(program.constants)
    for name, tensor in module.state_dict().items():
        torch.testing.assert_close(tensors[name], tensor, rtol=0, atol=0)
    assert isinstance(tensors["fc.weight"], nn.Parameter)
    assert not tensors["fc.weight"].requires_grad
    (constant,) = program.constants
    assert tensors[constant].tolist() == [2, 2, 3, 4]


@pytest.mark.filterwarnings("ignore:No complete tensor found")  # torch, of the transposed weight
def test_weights_saved_as_views_keep_their_strides_and_share_storage(tmp_path: Path) -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.turned = nn.Parameter(torch.arange(12.0).reshape(3, 4).t(), requires_grad=False)
            self.whole = nn.Parameter(torch.arange(6.0).reshape(3, 2), requires_grad=False)
            self.part = nn.Parameter(self.whole[1:], requires_grad=False)

        def forward(self, x: Tensor) -> Tensor:
            return x @ self.turned @ self.whole + self.part.sum()

    path = save(tmp_path / "tied.pt2", Tied(), torch.ones(2, 4))
    tensors = read_tensors(path, read_archive(path))
    assert tensors is not None
    assert tensors["turned"].stride() == (1, 4)
    assert tensors["turned"].tolist() == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]
    assert tensors["part"].tolist() == tensors["whole"][1:].tolist() == [[2, 3], [4, 5]]
    assert tensors["part"].untyped_storage().data_ptr() == tensors["whole"].untyped_storage().data_ptr()


def test_fake_weights_have_no_numbers(tmp_path: Path) -> None:
    with FakeTensorMode():
        path = save(tmp_path / "fake.pt2", nn.Linear(8, 4), torch.ones(2, 8))
    program = read_archive(path)
    assert list(program.state_dict) == ["weight", "bias"]
    assert read_tensors(path, program) is None


def test_weights_of_another_program_are_refused(tmp_path: Path) -> None:
    program = read_archive(save(tmp_path / "small.pt2", Small(), torch.ones(2, 8)))
    other = save(tmp_path / "other.pt2", nn.Linear(8, 4), torch.ones(2, 8))
    with pytest.raises(InputError, match="its tensor weight is not the one of the program"):
        read_tensors(other, program)


def test_missing_and_short_payloads_are_refused(tmp_path: Path) -> None:
    parts = parts_of(save(tmp_path / "small.pt2", Small(), torch.ones(2, 8)))
    short = write_parts(tmp_path / "short.pt2", {**parts, "data/weights/weight_0": b"1234"})
    with pytest.raises(InputError, match=r"data/weights/weight_0 is too short for fc\.weight"):
        read_archive(short)
    missing = write_parts(tmp_path / "missing.pt2", {n: d for n, d in parts.items() if n != "data/weights/weight_0"})
    with pytest.raises(InputError, match="its part data/weights/weight_0 is missing"):
        read_archive(missing)


def test_big_endian_weights_are_refused(tmp_path: Path) -> None:
    parts = parts_of(save(tmp_path / "small.pt2", Small(), torch.ones(2, 8)))
    path = write_parts(tmp_path / "big.pt2", {**parts, "byteorder": b"big"})
    with pytest.raises(InputError, match="big-endian"):
        read_tensors(path, read_archive(path))


def test_two_descriptions_of_a_parameter_must_agree(tmp_path: Path) -> None:
    parts = parts_of(save(tmp_path / "small.pt2", Small(), torch.ones(2, 8)))

    def widen(document: dict[str, dict[str, dict[str, dict[str, list[object]]]]]) -> None:
        (record,) = document["config"].values()
        record["tensor_meta"]["sizes"] = [{"as_int": 2}]

    path = write_parts(tmp_path / "differs.pt2", with_json(parts, CONSTANTS, widen))
    with pytest.raises(InputError, match="in two ways that differ"):
        read_archive(path)


def test_gradient_and_autocast_wrappers_are_read(tmp_path: Path) -> None:
    def wrapped(x: Tensor) -> Tensor:
        with torch.no_grad():
            y = x * 2
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = y @ y
        return torch.relu(z)

    program = read_archive(save_function(tmp_path / "wrapped.pt2", wrapped, torch.ones(4, 4)))
    assert {"wrap_with_set_grad_enabled", "wrap_with_autocast"} & set(targets(program))


def test_nested_arguments_and_results_are_read(tmp_path: Path) -> None:
    def nested(x: Tensor, pair: tuple[Tensor, Tensor]) -> dict[str, object]:
        low, high = torch.split(x, 2)
        return {"sum": low + high + pair[0], "more": [pair[1], 1]}

    path = save_function(tmp_path / "nested.pt2", nested, torch.ones(4, 4), (torch.ones(4), torch.ones(4)))
    program = read_archive(path)
    result = program.module()(torch.ones(4, 4), (torch.ones(4), torch.full((4,), 5.0)))
    assert result["sum"].tolist() == [[3] * 4] * 2
    assert result["more"][0].tolist() == [5] * 4
    assert result["more"][1] == 1


def test_constants_among_arguments_and_results_are_read(tmp_path: Path) -> None:
    class Scaled(nn.Module):
        def forward(self, x: Tensor, wanted: bool, times: int, kind: str | None) -> tuple[Tensor, int, None]:
            return (x * times if wanted else x), times, None

    program = read_archive(save(tmp_path / "scaled.pt2", Scaled(), torch.ones(4), True, 3, None))
    tensor, times, nothing = program.module()(torch.ones(4), True, 3, None)
    assert tensor.tolist() == [3] * 4
    assert (times, nothing) == (3, None)


@pytest.mark.parametrize(
    "edit",
    [
        lambda specs: specs.pop(),
        lambda specs: specs.reverse(),
        lambda specs: specs[-1].update(user_input={"arg": {"as_none": True}}),
        lambda specs: specs[-1].update(user_input={"arg": {"as_tensor": {"name": "other"}}}),
        lambda specs: specs.append(specs[-1]),
    ],
)
def test_inputs_of_graph_and_signature_must_agree(tmp_path: Path, edit: Callable[[list[Json]], object]) -> None:
    parts = parts_of(save(tmp_path / "small.pt2", Small(), torch.ones(2, 8)))
    changed = with_json(parts, MODEL, lambda document: edit(document["graph_module"]["signature"]["input_specs"]))
    with pytest.raises(InputError, match=r"different inputs|unknown kind"):
        read_archive(write_parts(tmp_path / "odd.pt2", changed))


def test_a_model_exported_on_another_device_is_read_as_on_the_cpu(tmp_path: Path) -> None:
    parts = parts_of(save(tmp_path / "small.pt2", Small(), torch.ones(2, 8)))
    moved = {n: d.replace(b'"type": "cpu", "index": null', b'"type": "cuda", "index": 1') for n, d in parts.items()}
    assert moved != parts
    program = read_archive(write_parts(tmp_path / "cuda.pt2", moved))
    assert {tensor.device.type for tensor in program.state_dict.values()} == {"cpu"}


def doubled(x: Tensor) -> Tensor:
    rows = x.shape[0]
    return x.reshape(rows * 2, -1).sum(-1, keepdim=True) / rows + torch.arange(rows * 2)[:, None]


@pytest.fixture(scope="module")
def open_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("open") / "open.pt2"
    return save_function(path, doubled, torch.ones(6, 8), dynamic=({0: Dim("n", min=2, max=512)},))


def symbol_of(path: Path) -> str:
    return read_open_sizes(path)[0].symbol


def test_open_sizes_are_told_with_input_and_range(open_archive: Path) -> None:
    (size,) = read_open_sizes(open_archive)
    assert size == OpenSize(size.symbol, "inputs_0", 0, 2, 512, 6)
    with pytest.raises(InputError) as caught:
        read_archive(open_archive)
    assert f"it leaves the size of dimension 0 of input inputs_0 ({size.symbol}, 2 to 512) open" in str(caught.value)
    assert caught.value.remedy == f"export the model with fixed sizes or choose values, as in FILE.pt2?{size.symbol}=6"


@pytest.mark.parametrize("rows", [2, 6, 64, 512])
def test_open_sizes_are_closed_with_values(open_archive: Path, rows: int) -> None:
    program = read_archive(open_archive, {symbol_of(open_archive): rows})
    results = [tuple(node.meta["val"].shape) for node in program.graph.nodes if node.op == "call_function"]
    assert results[-1] == (2 * rows, 1)
    assert not any("sym" in target for target in targets(program))
    x = torch.linspace(-1, 1, rows * 8).reshape(rows, 8)
    torch.testing.assert_close(program.module(check_guards=False)(x), doubled(x))


@pytest.mark.parametrize("rows", [0, 1, 513, -3])
def test_sizes_outside_the_range_are_refused(open_archive: Path, rows: int) -> None:
    with pytest.raises(InputError, match=rf"{rows} is outside the range of dimension 0 of input inputs_0 .*2 to 512"):
        read_archive(open_archive, {symbol_of(open_archive): rows})


def test_sizes_of_unknown_names_are_refused(open_archive: Path) -> None:
    with pytest.raises(InputError, match=rf"no open size named n \(its open sizes: {symbol_of(open_archive)}\)"):
        read_archive(open_archive, {"n": 4})


def test_sizes_that_depend_on_the_data_are_refused(tmp_path: Path) -> None:
    path = save_function(tmp_path / "nonzero.pt2", lambda x: torch.nonzero(x).float().sum(0), torch.ones(4))
    with pytest.raises(InputError, match="a size named u0 depends on the data"):
        read_archive(path)


def test_conditions_of_the_export_are_checked(tmp_path: Path) -> None:
    def conditional(x: Tensor) -> Tensor:
        torch._check(x.shape[0] * 2 <= 100)  # type: ignore[no-untyped-call]
        return x + 1

    path = save_function(tmp_path / "check.pt2", conditional, torch.ones(8, 2), dynamic=({0: Dim.AUTO},))
    symbol = symbol_of(path)
    assert targets(read_archive(path, {symbol: 50})) == ["aten.add.Tensor"]
    with pytest.raises(InputError):
        read_archive(path, {symbol: 60})


def test_a_custom_operator_is_named_with_the_way_out(tmp_path: Path) -> None:
    parts = parts_of(save_function(tmp_path / "x.pt2", torch.relu, torch.ones(4)))

    def replace(document: dict[str, object]) -> None:
        graph_of(document)["nodes"][0]["target"] = "torch.ops.casebook.opaque.default"

    path = write_parts(tmp_path / "custom.pt2", with_json(parts, MODEL, replace))
    with pytest.raises(UnsupportedError) as caught:
        read_archive(path)
    assert re.fullmatch(r"operator casebook::opaque \(archives\.py:\d+\)", caught.value.what)
    assert "operator of another package" in caught.value.why
    assert "open it as FILE.py:FACTORY" in caught.value.remedy


def test_complex_numbers_are_refused_by_tensor(tmp_path: Path) -> None:
    path = save_function(tmp_path / "complex.pt2", lambda x: (x * x).real, torch.ones(2, 64, dtype=torch.complex64))
    with pytest.raises(UnsupportedError, match="tensor inputs_0: it has the element type complex64"):
        read_archive(path)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_examples_are_what_their_scripts_build(example: Example) -> None:
    program, today = read_archive(example.archive), exported(example.name)
    assert targets(program) == targets(today)
    assert shapes(program) == shapes(today)
    tensors = read_tensors(example.archive, program)
    assert (tensors is not None) == (example.name in WITH_WEIGHTS)
    for name, tensor in (tensors or {}).items():
        torch.testing.assert_close(tensor, today.state_dict[name], rtol=0, atol=0)


def shapes(program: ExportedProgram) -> list[tuple[str, tuple[int, ...], torch.dtype]]:
    values = [(node.name, node.meta["val"]) for node in program.graph.nodes if node.op == "placeholder"]
    return [(name, tuple(value.shape), value.dtype) for name, value in values]


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_examples_name_their_source_lines_and_no_folder(example: Example) -> None:
    assert example.title
    assert example.archive.stat().st_size < 1 << 20
    text = b"\n".join(data for name, data in parts_of(example.archive).items() if name.endswith(".json")).decode()
    assert "/" not in text.replace("\\n", "")
    assert "Users" not in text
    lines = example.script.read_text(encoding="utf-8").splitlines()
    for node in read_archive(example.archive).graph.nodes:
        if node.op != "call_function" or not node.meta.get("stack_trace"):
            continue
        place, code = node.meta["stack_trace"].splitlines()[-2:]
        assert f'File "{example.script.name}", line ' in place
        assert lines[int(place.split("line ")[1].split(",")[0]) - 1].strip() == code.strip()
