"""Which call targets of an archive may be looked up in torch.

Owns the allow-list: ATen and prims operators of the dispatcher, without those that reach beyond their operands, and
two wrappers that the exporter puts around parts of a graph. torch resolves a target by attribute look-up, which would
find any function of the package (`torch.load`, `torch.ops.aten.save`), so everything else is refused by name.
"""

from __future__ import annotations

import re
from functools import cache

import torch

_OPERATOR = re.compile(r"torch\.ops\.(\w+)\.(\w+)(?:\.(\w+))?")
_NAMESPACES = ("aten", "prims")
# These reach beyond their operands: a file, streams, storages, the autograd engine; or they take memory addresses
# that a tensor holds (packed weights of other libraries).
_DENIED = re.compile(
    r"from_file|record_stream|set_?|set_data|(?:fbgemm|mkldnn|miopen|cudnn|quantized|sparse)_\w+|to_(?:mkldnn|sparse)\w*"
)
# Names with an underscore are torch's own business, and not all of them check their operands; these occur in exports.
_INTERNAL = re.compile(
    r"__(?:and|lshift|or|rshift|xor)__|_low_memory_max_pool_(?:with_offsets|offsets_to_indices)|_native_batch_norm_legit\w*"
    r"|_(?:adaptive_avg_pool[23]d|addmm_activation|assert_tensor_metadata|cdist_forward|conj(?:_physical)?|convolution)"
    r"|_(?:embedding_bag(?:_forward_only)?|euclidean_dist|fft_(?:c2c|c2r|r2c)|fused_rms_norm|grouped_mm|int_mm|scaled_mm)"
    r"|_(?:local_scalar_dense|log_softmax|pad_enum|pdist_forward|prelu_kernel|reshape_alias|safe_softmax|softmax|stack)"
    r"|_scaled_dot_product_(?:attention_math|flash_attention(?:_for_cpu)?|efficient_attention)|_to_copy|_trilinear"
    r"|_unsafe_(?:index|index_put|masked_index|view)|_upsample_(?:bicubic2d_aa|bilinear2d_aa|nearest_exact[123]d)"
    r"|_weight_(?:int8pack_mm|norm|norm_interface)"
)
WRAPPERS = frozenset({"torch.ops.higher_order.wrap_with_set_grad_enabled", "torch.ops.higher_order.wrap_with_autocast"})
# Nodes of shape arithmetic: their values are computed from the sizes, so that the nodes themselves are dropped.
SHAPE_CHECKS = frozenset(
    f"torch.ops.aten.{name}.default"
    for name in ("_assert_scalar", "sym_constrain_range", "sym_constrain_range_for_size")
)


def is_allowed(target: str) -> bool:
    """True if a node of an archive may call `target`."""
    if target in WRAPPERS:
        return True
    match = _OPERATOR.fullmatch(target)
    if not match or match[1] not in _NAMESPACES or not _is_sound(match[2]):
        return False
    return f"{match[1]}::{match[2]}.{match[3]}" in _operators()


def explain(target: str) -> tuple[str, str, str]:
    """What a refused target is called, why it is refused, and what to do."""
    match = _OPERATOR.fullmatch(target)
    if not match:
        return target, "it is not an operator, so that a model file may not call it", "export the model again"
    name = f"{match[1]}::{match[2]}"
    if match[1] == "higher_order":
        return name, "it chooses at run time what is computed", "export the model without data-dependent control flow"
    if match[1] in _NAMESPACES:
        if not _is_sound(match[2]):
            return name, "it reaches beyond its operands or is internal to torch", "export the model without it"
        return name, f"torch {torch.__version__} has no such operator", "save the file again with torch 2.13"
    return (
        name,
        "it is an operator of another package, whose code is not part of the file",
        "write a .py file that imports the package and builds the model, and open it as FILE.py:FACTORY",
    )


def _is_sound(name: str) -> bool:
    return bool(_INTERNAL.fullmatch(name) if name.startswith("_") else not _DENIED.fullmatch(name))


@cache
def _operators() -> frozenset[str]:
    """`namespace::name.overload` of every operator of the dispatcher; TorchScript's own are not among them."""
    names = torch._C._dispatch_get_all_op_names()
    wanted = [name for name in names if name.startswith(tuple(f"{space}::" for space in _NAMESPACES))]
    return frozenset(name if "." in name else f"{name}.default" for name in wanted)
