"""KTIR text as a module of values.

Owns the grammar of the operations that exports use, and of the same written by hand: named values, one result type, the
attributes in braces.  Refuses operations that nobody here can run, in one sentence with the line.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from frozendict import frozendict

from compiler.formats.ktir_ir import (
    AffineSet,
    Attribute,
    Function,
    KtirModule,
    Operation,
    Region,
    Scalar,
    Shaped,
    Type,
)
from compiler.read.ktir_sets import read_set, read_space, read_type, skip_map
from compiler.read.ktir_tokens import Tokens

DEEPEST: Final = 60
"""Regions inside each other."""
_FLOATS: Final = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf", "negf")
_INTEGERS: Final = ("addi", "subi", "muli", "divui", "divsi", "remui", "remsi", "andi", "ori", "xori")
_CURVES: Final = ("exp", "log", "sqrt", "rsqrt", "tanh", "erf", "absf", "floor")
_ELEMENTWISE: Final = frozenset(
    {*(f"arith.{name}" for name in (*_FLOATS, *_INTEGERS)), *(f"math.{name}" for name in _CURVES)}
)
_CASTS: Final = frozenset({"arith.extf", "arith.truncf", "arith.uitofp", "arith.sitofp", "arith.index_cast"})
_SHAPES: Final = frozenset({"tensor.collapse_shape", "tensor.expand_shape"})
_YIELDS: Final = frozenset({"scf.yield", "linalg.yield", "ktdp.yield_partial", "ktdp.yield_reduced"})
_NAMED: Final = frozenset({"linalg.matmul", "linalg.batch_matmul", "linalg.add", "linalg.max", "linalg.fill"})


def parse_ktir(text: str, origin: str = "this module") -> KtirModule:
    """The module of a text; InputError with one sentence and the line for what is none."""
    return _Reader(Tokens(text, origin)).module()


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.aliases: dict[str, AffineSet] = {}
        self.depth = 0

    # Modules and functions

    def module(self) -> KtirModule:
        tokens = self.tokens
        while tokens.next.startswith("#"):
            self._alias()
        wrapped = tokens.took("module")
        if wrapped:
            if tokens.next.startswith("@"):
                tokens.take()
            tokens.take("{")
        functions: list[Function] = []
        while tokens.next == "func.func":
            functions.append(self._function())
        if wrapped:
            tokens.take("}")
        if tokens.next or not functions:
            raise tokens.fault(f"{tokens.next or 'nothing'} stands where a function is expected")
        return KtirModule(tuple(functions))

    def _alias(self) -> None:
        tokens = self.tokens
        name = tokens.take()
        tokens.take("=")
        if tokens.next == "affine_map":
            skip_map(tokens)
        else:
            self.aliases[name] = read_set(tokens, self.aliases)

    def _function(self) -> Function:
        tokens = self.tokens
        tokens.take("func.func")
        name = tokens.take()
        parameters: list[str] = []
        tokens.take("(")
        while not tokens.took(")"):
            parameters.append(tokens.value())
            tokens.take(":")
            tokens.take("index")
            tokens.took(",")
        grid: tuple[int, ...] = (1,)
        if tokens.took("attributes"):
            tokens.take("{")
            tokens.take("grid")
            tokens.take("=")
            grid = tokens.integers()
            tokens.take("}")
        return Function(name.removeprefix("@"), tuple(parameters), grid, self._block())

    def _block(self) -> tuple[Operation, ...]:
        """Operations in braces, without block arguments."""
        self.tokens.take("{")
        return self._until_brace()

    def _until_brace(self) -> tuple[Operation, ...]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.tokens.fault(f"regions are nested deeper than {DEEPEST} levels")
        found: list[Operation] = []
        while not self.tokens.took("}"):
            found.append(self._operation())
        self.depth -= 1
        return tuple(found)

    def _region(self, arguments: tuple[tuple[str, Type], ...] = ()) -> Region:
        """Operations in braces, perhaps with a label that names arguments."""
        tokens = self.tokens
        tokens.take("{")
        if tokens.next.startswith("^"):
            tokens.take()
            arguments = self._arguments()
            tokens.take(":")
        return Region(arguments, self._until_brace())

    def _arguments(self) -> tuple[tuple[str, Type], ...]:
        tokens = self.tokens
        tokens.take("(")
        found: list[tuple[str, Type]] = []
        while not tokens.took(")"):
            name = tokens.value()
            tokens.take(":")
            found.append((name, self._type()))
            tokens.took(",")
        return tuple(found)

    # Operations

    def _operation(self) -> Operation:
        tokens = self.tokens
        line = tokens.line
        results: list[str] = []
        while tokens.next.startswith("%"):
            results.append(tokens.take())
            tokens.took(",")
        if results:
            tokens.take("=")
        name = tokens.take()
        read = self._reader(name)
        found = read(name)
        return Operation(name, line, tuple(results), found.operands, found.attributes, found.types, found.regions)

    def _reader(self, name: str) -> Callable[[str], Operation]:
        own: dict[str, Callable[[str], Operation]] = {
            "arith.constant": self._constant,
            "arith.cmpf": self._compared,
            "arith.cmpi": self._compared,
            "arith.select": self._selected,
            "ktdp.get_compute_tile_id": self._identity,
            "ktdp.construct_memory_view": self._view,
            "ktdp.construct_distributed_memory_view": self._distributed,
            "ktdp.construct_access_tile": self._tile,
            "ktdp.load": self._load,
            "ktdp.store": self._store,
            "ktdp.inter_tile_produce": self._produced,
            "ktdp.inter_tile_reduce": self._reduced,
            "tensor.empty": self._empty,
            "tensor.splat": self._splat,
            "tensor.extract": self._extract,
            "tensor.extract_slice": self._part,
            "tensor.insert_slice": self._part,
            "linalg.transpose": self._rearranged,
            "linalg.broadcast": self._rearranged,
            "linalg.reduce": self._fold,
            "scf.for": self._for,
            "scf.if": self._if,
            "return": lambda name: Operation(name, 0),
            "func.return": lambda name: Operation(name, 0),
            **dict.fromkeys(_ELEMENTWISE, self._plain),
            **dict.fromkeys(_CASTS, self._cast),
            **dict.fromkeys(_SHAPES, self._shaped),
            **dict.fromkeys(_YIELDS, self._yield),
            **dict.fromkeys(_NAMED, self._named),
        }
        if name not in own:
            raise self.tokens.fault(f"{name} is no operation that is read here")
        return own[name]

    def _type(self) -> Type:
        return read_type(self.tokens, self.aliases)

    def _values(self) -> tuple[str, ...]:
        found: list[str] = []
        while self.tokens.next.startswith("%"):
            found.append(self.tokens.take())
            if not self.tokens.took(","):
                break
        return tuple(found)

    def _types(self) -> tuple[Type, ...]:
        found = [self._type()]
        while self.tokens.took(","):
            found.append(self._type())
        return tuple(found)

    def _bracketed(self) -> tuple[str, ...]:
        self.tokens.take("[")
        found = self._values()
        self.tokens.take("]")
        return found

    def _plain(self, name: str) -> Operation:
        operands = self._values()
        self.tokens.take(":")
        return _made(name, operands, types=(self._type(),))

    def _cast(self, name: str) -> Operation:
        operands = self._values()
        self.tokens.take(":")
        self._type()
        self.tokens.take("to")
        return _made(name, operands, types=(self._type(),))

    def _constant(self, name: str) -> Operation:
        tokens = self.tokens
        dense = tokens.took("dense")
        if dense:
            tokens.take("<")
        negative = tokens.took("-")
        word = tokens.take()
        if dense:
            tokens.take(">")
        tokens.take(":")
        kind = self._type()
        value = _number(word, kind)
        if value is None:
            raise tokens.fault(f"{word} is no number")
        return _made(name, (), {"value": -value if negative else value}, (kind,))

    def _compared(self, name: str) -> Operation:
        predicate = self.tokens.take()
        self.tokens.take(",")
        operands = self._values()
        self.tokens.take(":")
        return _made(name, operands, {"predicate": predicate}, (self._type(),))

    def _selected(self, name: str) -> Operation:
        operands = self._values()
        self.tokens.take(":")
        return _made(name, operands, types=self._types()[-1:])

    def _yield(self, name: str) -> Operation:
        operands = self._values()
        types = self._types() if self.tokens.took(":") else ()
        return _made(name, operands, types=types)

    # Memory

    def _identity(self, name: str) -> Operation:
        self.tokens.take(":")
        return _made(name, (), types=self._types())

    def _view(self, name: str) -> Operation:
        tokens = self.tokens
        base = tokens.value()
        attributes: dict[str, Attribute] = {}
        tokens.take(",")
        for word in ("sizes", "strides"):
            tokens.take(word)
            tokens.take(":")
            attributes[word] = tokens.integers()
            tokens.took(",")
        attributes |= self._attributes()
        tokens.take(":")
        return _made(name, (base,), attributes, (self._type(),))

    def _attributes(self) -> dict[str, Attribute]:
        """Sets and memory spaces in braces; maps are left out."""
        tokens, found = self.tokens, dict[str, Attribute]()
        tokens.take("{")
        while not tokens.took("}"):
            word = tokens.take()
            tokens.take("=")
            if word == "memory_space":
                found[word] = read_space(tokens)
            elif word in ("access_tile_order", "base_map", "variables_space_order"):
                skip_map(tokens)
            else:
                found[word] = read_set(tokens, self.aliases)
            tokens.took(",")
        return found

    def _distributed(self, name: str) -> Operation:
        tokens = self.tokens
        tokens.take("(")
        operands = self._values()
        tokens.take(":")
        self._types()
        tokens.take(")")
        tokens.take(":")
        return _made(name, operands, types=(self._type(),))

    def _tile(self, name: str) -> Operation:
        view = self.tokens.value()
        starts = self._bracketed()
        attributes = self._attributes()
        self.tokens.take(":")
        self._type()
        self.tokens.take("->")
        return _made(name, (view, *starts), attributes, (self._type(),))

    def _load(self, name: str) -> Operation:
        tile = self.tokens.value()
        self.tokens.take(":")
        self._type()
        self.tokens.take("->")
        return _made(name, (tile,), types=(self._type(),))

    def _store(self, name: str) -> Operation:
        operands = self._values()
        self.tokens.take(":")
        return _made(name, operands, types=self._types())

    # Between cores

    def _produced(self, name: str) -> Operation:
        tokens = self.tokens
        tokens.take("producer_tiles_per_group")
        tokens.take("=")
        members = read_set(tokens, self.aliases)
        tokens.take(":")
        self._type()
        tokens.take("->")
        kind = self._type()
        return _made(name, (), {"members": members}, (kind,), (self._region(),))

    def _reduced(self, name: str) -> Operation:
        tokens = self.tokens
        tokens.take("(")
        future = tokens.value()
        tokens.take(")")
        tokens.take("consumer_tiles_per_group")
        tokens.take("=")
        members = read_set(tokens, self.aliases)
        tokens.take(",")
        tokens.take("identity")
        tokens.take("(")
        neutral = tokens.value()
        tokens.take(":")
        self._type()
        tokens.take(")")
        tokens.take(":")
        self._type()
        tokens.take("->")
        kind = self._type()
        return _made(name, (future, neutral), {"members": members}, (kind,), (self._region(),))

    # Tensors

    def _empty(self, name: str) -> Operation:
        self.tokens.take("(")
        self.tokens.take(")")
        self.tokens.take(":")
        return _made(name, (), types=(self._type(),))

    def _splat(self, name: str) -> Operation:
        operands = self._values()
        self.tokens.take(":")
        return _made(name, operands, types=(self._type(),))

    def _extract(self, name: str) -> Operation:
        tensor = self.tokens.value()
        places = self._bracketed()
        self.tokens.take(":")
        return _made(name, (tensor, *places), types=(self._type(),))

    def _part(self, name: str) -> Operation:
        """A slice taken out of a tensor, or put into one."""
        operands = [self.tokens.value()]
        if self.tokens.took("into"):
            operands.append(self.tokens.value())
        edges = {word: self.tokens.integers() for word in ("offsets", "sizes", "strides")}
        self.tokens.take(":")
        self._type()
        self.tokens.take("into" if name == "tensor.insert_slice" else "to")
        return _made(name, tuple(operands), dict(edges), (self._type(),))

    def _shaped(self, name: str) -> Operation:
        tokens = self.tokens
        operand = tokens.value()
        tokens.take("[")
        while not tokens.took("]"):
            tokens.integers()
            tokens.took(",")
        if tokens.took("output_shape"):
            tokens.integers()
        tokens.take(":")
        self._type()
        tokens.take("into")
        return _made(name, (operand,), types=(self._type(),))

    def _ins_outs(self) -> tuple[tuple[str, ...], tuple[Type, ...]]:
        """`ins(%a : T) outs(%b : U)`: values, and the types of outs."""
        tokens, operands, types = self.tokens, list[str](), tuple[Type, ...]()
        for word in ("ins", "outs"):
            tokens.take(word)
            tokens.take("(")
            operands += self._values()
            tokens.take(":")
            types = self._types()
            tokens.take(")")
        return tuple(operands), types

    def _rearranged(self, name: str) -> Operation:
        operands, types = self._ins_outs()
        word = self.tokens.take()
        self.tokens.take("=")
        return _made(name, operands, {word: self.tokens.integers()}, types)

    def _named(self, name: str) -> Operation:
        operands, types = self._ins_outs()
        if self.tokens.took("->"):
            types = (self._type(),)
        return _made(name, operands, types=types)

    def _fold(self, name: str) -> Operation:
        tokens = self.tokens
        short = ""
        if tokens.took("{"):
            short = tokens.take()
            tokens.take("}")
        operands, types = self._ins_outs()
        tokens.take("dimensions")
        tokens.take("=")
        dims = tokens.integers()
        attributes: dict[str, Attribute] = {"dimensions": dims, "short": short}
        regions = () if short else (self._region(self._arguments()),)
        return _made(name, operands, attributes, types, regions)

    # Control

    def _for(self, name: str) -> Operation:
        tokens = self.tokens
        counter = tokens.value()
        tokens.take("=")
        first = tokens.value()
        tokens.take("to")
        end = tokens.value()
        tokens.take("step")
        step = tokens.value()
        names, starts, types = [counter], list[str](), tuple[Type, ...]()
        if tokens.took("iter_args"):
            tokens.take("(")
            while not tokens.took(")"):
                names.append(tokens.value())
                tokens.take("=")
                starts.append(tokens.value())
                tokens.took(",")
            tokens.take("->")
            tokens.take("(")
            types = self._types()
            tokens.take(")")
        if tokens.took(":"):
            self._type()
        kinds: tuple[Type, ...] = (_INDEX, *types)
        region = self._region(tuple(zip(names, kinds, strict=True)))
        return _made(name, (first, end, step, *starts), {}, types, (region,))

    def _if(self, name: str) -> Operation:
        condition = self.tokens.value()
        types: tuple[Type, ...] = ()
        if self.tokens.took("->"):
            self.tokens.take("(")
            types = self._types()
            self.tokens.take(")")
        regions = [self._region()]
        if self.tokens.took("else"):
            regions.append(self._region())
        return _made(name, (condition,), {}, types, tuple(regions))


_INDEX: Final = Scalar("index")


def _made(
    name: str,
    operands: tuple[str, ...],
    attributes: dict[str, Attribute] | None = None,
    types: tuple[Type, ...] = (),
    regions: tuple[Region, ...] = (),
) -> Operation:
    return Operation(name, 0, (), operands, frozendict(attributes or {}), types, regions)


def _number(word: str, kind: Type) -> int | float | None:
    """The number of a literal; hexadecimal ones are the bits of a float."""
    element = kind.element if isinstance(kind, Shaped | Scalar) else ""
    if word in ("true", "false"):
        return int(word == "true")
    try:
        if element in ("f16", "f32") and word.lower().startswith("0x"):
            form, size = ("<e", 2) if element == "f16" else ("<f", 4)
            return float(struct.unpack(form, int(word, 16).to_bytes(size, "little"))[0])
        return float(word) if element.startswith("f") or element == "bf16" else int(word, 0)
    except (ValueError, OverflowError):
        return None
