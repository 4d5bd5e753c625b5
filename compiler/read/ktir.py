"""KTIR text as a module of values.

Owns modules, functions, regions, and the grammar of operations that have regions; `ktir_numbers` and `ktir_memory` have
the rest, and `ktir_check` judges types.  Refuses operations that nobody here can run, in one sentence with the line.
"""

from __future__ import annotations

from typing import Final

from frozendict import frozendict

from compiler.formats.ktir_ir import Attribute, Function, Future, KtirModule, Operation, Region, Scalar, Type
from compiler.read.ktir_check import check_types
from compiler.read.ktir_cursor import INDEX, Cursor, made
from compiler.read.ktir_memory import MEMORY
from compiler.read.ktir_numbers import NUMBERS
from compiler.read.ktir_sets import skip_map
from compiler.read.ktir_tokens import Tokens

DEEPEST: Final = 40
"""Regions inside each other."""


def read_ktir(text: str, origin: str = "this module") -> KtirModule:
    """The module of a text, in either spelling of memory spaces.

    Raises InputError, with one sentence and the line, for what is no module, has operations that are not read here, or
    types that do not fit each other; `origin` names the file in it.
    """
    module = _Reader(Tokens(text, origin)).module()
    check_types(module, origin)
    return module


class _Reader(Cursor):
    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
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
            raise tokens.expected("a function")
        return KtirModule(tuple(functions))

    def _alias(self) -> None:
        tokens = self.tokens
        name = tokens.take()
        tokens.take("=")
        if tokens.next == "affine_map":
            skip_map(tokens)
        else:
            self.aliases[name] = self.set()

    def _function(self) -> Function:
        tokens = self.tokens
        line = tokens.line
        tokens.take("func.func")
        if not tokens.next.startswith("@"):
            raise tokens.expected("the name of a function")
        name = tokens.take()
        parameters: list[str] = []
        tokens.take("(")
        for _ in tokens.items(")"):
            parameters.append(tokens.value())
            tokens.take(":")
            tokens.take("index")
        grid: tuple[int, ...] = (1,)
        if tokens.took("attributes"):
            tokens.take("{")
            tokens.take("grid")
            tokens.take("=")
            grid = tokens.integers()
            tokens.take("}")
        tokens.take("{")
        return Function(name.removeprefix("@"), tuple(parameters), grid, self._until_brace(), line)

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
        self.tokens.take("(")
        return tuple((self.tokens.value(), self.colon_type()) for _ in self.tokens.items(")"))

    # Operations

    def _operation(self) -> Operation:
        tokens = self.tokens
        line = tokens.line
        results: tuple[str, ...] = ()
        if tokens.next.startswith("%"):
            results = self.values()
            tokens.take("=")
        name = tokens.next
        if name in NUMBERS:
            tokens.take()
            found = NUMBERS[name](self, name)
        elif name in MEMORY:
            tokens.take()
            found = MEMORY[name](self, name)
        elif name in _OWN:
            tokens.take()
            found = _OWN[name](self, name)
        else:
            raise tokens.expected("an operation that is read here")
        known = found.operands, found.attributes, found.types, found.regions, found.operand_types
        return Operation(name, line, results, *known)

    def returned(self, name: str) -> Operation:
        """The end of a function."""
        return made(name)

    def yielded(self, name: str) -> Operation:
        """The end of a region: what it hands on."""
        if not self.tokens.next.startswith("%"):
            return made(name)
        operands = self.values()
        self.tokens.take(":")
        types = self.types()
        return made(name, operands, types, types)

    def produced(self, name: str) -> Operation:
        """What a core sends to its group."""
        members = self.assigned_set("producer_tiles_per_group")
        sent = self.colon_type()
        self.tokens.take("->")
        kind = self.type()
        if not isinstance(kind, Future) or kind.tensor != sent:
            raise self.tokens.fault(f"what is sent as {sent} is no future of it")
        return made(name, types=[kind], attributes={"members": members}, regions=[self._region()])

    def reduced(self, name: str) -> Operation:
        """What a group makes of its parts."""
        tokens = self.tokens
        tokens.take("(")
        future = tokens.value()
        tokens.take(")")
        members = self.assigned_set("consumer_tiles_per_group")
        tokens.take(",")
        tokens.take("identity")
        tokens.take("(")
        neutral, kind = tokens.value(), self.colon_type()
        tokens.take(")")
        sent = self.colon_type()
        tokens.take("->")
        result = self.type()
        return made(name, [future, neutral], [sent, kind], [result], {"members": members}, [self._region()])

    def fold(self, name: str) -> Operation:
        """A reduction over dims of a tensor."""
        tokens = self.tokens
        short = ""
        if tokens.took("{"):
            short = tokens.take()
            tokens.take("}")
        operands, kinds, types = self.ins_outs()
        tokens.take("dimensions")
        tokens.take("=")
        attributes: dict[str, Attribute] = {"dimensions": tokens.integers(), "short": short}
        regions = () if short else (self._region(self._arguments()),)
        return made(name, operands, kinds, types, attributes, regions)

    # Control

    def repeated(self, name: str) -> Operation:
        """A loop, which may hand values from turn to turn."""
        tokens = self.tokens
        names, bounds = [tokens.value()], list[str]()
        for word in ("=", "to", "step"):
            tokens.take(word)
            bounds.append(tokens.value())
        types: tuple[Type, ...] = ()
        if tokens.took("iter_args"):
            tokens.take("(")
            for _ in tokens.items(")"):
                names.append(tokens.value())
                tokens.take("=")
                bounds.append(tokens.value())
            tokens.take("->")
            tokens.take("(")
            types = self.types()
            tokens.take(")")
        if tokens.took(":"):
            tokens.take("index")
        kinds = (INDEX, *types)
        if len(kinds) != len(names):
            raise tokens.fault("a loop hands on as many values as it has types")
        region = self._region(tuple(zip(names, kinds, strict=True)))
        return made(name, bounds, [INDEX, INDEX, INDEX, *types], types, regions=[region])

    def chosen(self, name: str) -> Operation:
        """One region or another."""
        condition = self.tokens.value()
        types: tuple[Type, ...] = ()
        if self.tokens.took("->"):
            self.tokens.take("(")
            types = self.types()
            self.tokens.take(")")
        regions = [self._region()]
        if self.tokens.took("else"):
            regions.append(self._region())
        return made(name, [condition], [Scalar("i1")], types, regions=regions)


_OWN: Final = frozendict(
    {
        "ktdp.inter_tile_produce": _Reader.produced,
        "ktdp.inter_tile_reduce": _Reader.reduced,
        "linalg.reduce": _Reader.fold,
        "scf.for": _Reader.repeated,
        "scf.if": _Reader.chosen,
        **dict.fromkeys(("return", "func.return"), _Reader.returned),
        **dict.fromkeys(("scf.yield", "linalg.yield", "ktdp.yield_partial", "ktdp.yield_reduced"), _Reader.yielded),
    }
)
"""Operations whose grammar has regions, or ends one."""
