"""Opaque calls: what may be called, and how arguments are rebuilt."""

import pytest
import torch

from compiler.errors import InputError
from compiler.loops import OpaqueCall
from simulator.functional.opaque import call, find

ROWS = torch.tensor([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]])


def test_results_come_in_order() -> None:
    values, places = call(OpaqueCall("aten.topk.default", ('{"read": 0}', "2", "-1", "true", "true")), [ROWS])
    assert values.tolist() == [[3.0, 2.0], [9.0, 8.0]]
    assert places.tolist() == [[0, 2], [0, 2]]


def test_arguments_are_rebuilt_from_data() -> None:
    request = OpaqueCall("aten.cat.default", ('[{"read": 0}, {"read": 1}]',), (("dim", "1"),))
    assert call(request, [ROWS, ROWS])[0].shape == (2, 6)
    keywords = (("dtype", '{"dtype": "f16"}'), ("device", '{"device": "cuda"}'), ("layout", '{"torch": "strided"}'))
    request = OpaqueCall("aten.full_like.default", ('{"read": 0}', '{"float": "inf"}'), keywords)
    (found,) = call(request, [ROWS])
    assert (found.dtype, str(found.device)) == (torch.float16, "cpu")
    assert found.isinf().all()
    request = OpaqueCall("aten.sum.default", ('{"read": 0}',), (("dtype", '{"dtype": "float64"}'),))
    assert call(request, [ROWS])[0].dtype == torch.float64
    request = OpaqueCall("aten.clone.default", ('{"read": 0}',), (("memory_format", '{"torch": "contiguous_format"}'),))
    assert torch.equal(call(request, [ROWS.t()])[0], ROWS.t())


def test_products_are_computed_as_the_reference_computes_them() -> None:
    generator = torch.Generator().manual_seed(0)
    x, weight = (torch.randn(shape, generator=generator).half() for shape in ((1, 64, 5, 5), (64, 4, 3, 3)))
    arguments = ('{"read": 0}', '{"read": 1}', "null", "[2, 2]")
    (found,) = call(OpaqueCall("aten.conv_transpose2d.input", arguments), [x, weight])
    wide = torch.nn.functional.conv_transpose2d(x.float(), weight.float(), stride=2).half()
    assert torch.equal(found, wide)
    assert not torch.equal(found, torch.nn.functional.conv_transpose2d(x, weight, stride=2)), "rounded on the way"


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("os.system", "this is not the name of an operator"),
        ("aten.__class__.default", "this is not the name of an operator"),
        ("aten.add.__globals__", "this is not the name of an operator"),
        ("aten.add.Tensor.more", "this is not the name of an operator"),
        ("aten.add", "this is not the name of an operator"),
        ("aten.no_such_thing.default", "no such operator is registered here"),
        ("nowhere.opaque.default", "no such operator is registered here"),
        ("aten.add.no_such_overload", "no such operator is registered here"),
        ("aten.name.default", "no such operator is registered here"),
        ("aten.op.default", "no such operator is registered here"),
        ("aten.add_.Tensor", "it is not a function of tensors"),
        ("aten.add.out", "it is not a function of tensors"),
        ("aten.from_file.default", "it is not a function of tensors"),
        ("aten.randn.default", "it is not a function of tensors"),
    ],
)
def test_what_may_not_be_called(target: str, why: str) -> None:
    with pytest.raises(InputError, match=f"operator {target}: {why}"):
        find(target)


@pytest.mark.parametrize(
    "text",
    [
        *("not json", '{"read": 1}', '{"read": -1}', '{"read": "0"}', '{"read": 0, "more": 1}', "{}"),
        *('{"dtype": "no_such"}', '{"dtype": "Tensor"}', '{"torch": "load"}', '{"call": "x"}', '{"float": "x"}'),
    ],
)
def test_arguments_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError, match=r"its argument .* cannot be read"):
        call(OpaqueCall("aten.neg.default", (text,)), [ROWS])


def test_a_call_that_fails_says_why() -> None:
    with pytest.raises(InputError, match=r"operator aten\.topk\.default: it fails on the host \(.*out of range"):
        call(OpaqueCall("aten.topk.default", ('{"read": 0}', "9")), [ROWS])
    with pytest.raises(InputError, match="it returns something that is not a tensor"):
        call(OpaqueCall("aten.equal.default", ('{"read": 0}', '{"read": 0}')), [ROWS])
