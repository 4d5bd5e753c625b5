"""Kernel keys: sixteen letters that name a kernel by what it computes (facts 5.2).

Owns the digest and the canonical text of expressions in it, which is that of sympy.  Refuses to be a name for people.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math

from compiler.formats.expression import Atom, Expression, Floor, Mod, Symbol
from compiler.formats.handles import handle_id
from compiler.formats.json_value import Json
from compiler.formats.opspec import KernelSpec, LoopSpec, OpSpec, TensorArg

_DOMAIN, _VERSION = "spyre-kernel-bundle", 1


def kernel_key(kernel: KernelSpec) -> str:
    """The key of a kernel."""
    content = {"domain": _DOMAIN, "version": _VERSION, "specs": [_part(one) for one in kernel.body]}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return base64.b32encode(hashlib.sha256(text.encode()).digest()[:10]).decode("ascii").lower()


def _part(part: OpSpec | LoopSpec) -> Json:
    if isinstance(part, LoopSpec):
        return {"kind": "loop", "count": part.count, "body": [_part(one) for one in part.body]}
    constants: list[Json] = [[name, {"float": float(value).hex()}] for name, value in sorted(part.constants.items())]
    info: list[Json] = [["constants", {"mapping": constants}]] if constants else []
    return {
        "kind": "op",
        "op": part.op,
        "is_reduction": part.is_reduction,
        "iteration_space": [
            [_text(f"Symbol('{dim.symbol}')"), _text(f"Integer({dim.extent})"), dim.slices] for dim in part.iteration
        ],
        "args": [_argument(arg) for arg in part.args],
        "op_info": {"mapping": info},
        "tiled_symbols": [],
        "tiled_symbol_trip_counts": {"mapping": []},
        "symbolic_dim_bounds": {"mapping": []},
        "node_output_ranges": None,
        "debug_handle_id": handle_id(part.handle) if part.handle is not None else None,
    }


def _argument(arg: TensorArg) -> Json:
    plain: dict[str, Json] = {
        "is_input": arg.is_input,
        "arg_index": arg.argument,
        "device_dtype": f"DataFormats.{arg.device_dtype}",
        "device_size": list(arg.device_size),
        "device_coordinates": [_text(canonical(each)) for each in arg.coordinates],
        "allocation": {"mapping": [[arg.place.room.value, arg.place.at]]},
        "name": None,
        "device_tile_advance_expr": None,
        "element_arrangement": arg.arrangement,
    }
    if arg.division is not None:
        slices: list[Json] = [[name, count] for name, count in sorted(arg.division.slices.items())]
        plain["work_division"] = {"mapping": slices}
    return plain


def _text(text: str) -> Json:
    return {"sympy": text}


def canonical(one: Expression) -> str:
    """An expression as sympy spells its tree.

    >>> from compiler.formats.expression import parse_expression
    >>> canonical(parse_expression("floor(c1/64)"))
    "floor(Mul(Rational(1, 64), Symbol('c1')))"
    """
    parts = [_times(atom, factor) for atom, factor in one.terms]
    if one.constant or not parts:
        parts.append(f"Integer({one.constant})")
    return parts[0] if len(parts) == 1 else f"Add({', '.join(parts)})"


def _times(atom: Atom, factor: int) -> str:
    match atom:
        case Symbol(name):
            text = f"Symbol('{name}')"
        case Floor(of, by):
            text = f"floor({_over(of, by)})"
        case Mod(of, by):
            text = f"Mod({canonical(of)}, Integer({by}))"
    return text if factor == 1 else f"Mul(Integer({factor}), {text})"


def _over(of: Expression, by: int) -> str:
    """A sum divided by a number: every term of it is."""
    parts = [_share(_times(atom, 1), factor, by) for atom, factor in of.terms]
    if of.constant:
        parts.append(_ratio(of.constant, by))
    return parts[0] if len(parts) == 1 else f"Add({', '.join(parts)})"


def _share(text: str, factor: int, by: int) -> str:
    return f"Mul({_ratio(factor, by)}, {text})"


def _ratio(factor: int, by: int) -> str:
    common = math.gcd(factor, by)
    top, bottom = factor // common, by // common
    return f"Integer({top})" if bottom == 1 else f"Rational({top}, {bottom})"
