"""The project's own files as the house rules see them: paths, syntax trees, numbers.

Refuses to judge: what is allowed stands in test_house_rules.py.
"""

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("compiler", "resources", "simulator", "spyre_studio")
FOLDERS = (*PACKAGES, "scripts", "tests", ".ci")

Number = int | float

_FOLD: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: lambda a, b: int(a) << min(int(b), 64),
    ast.Pow: lambda a, b: a ** min(b, 64),
}


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method and where it stands; `lines` counts from its `def` to its end."""

    name: str
    line: int
    lines: int
    node: ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    """The path as a person writes it: relative to the project, with forward slashes."""
    return path.relative_to(ROOT).as_posix()


def text_files() -> list[Path]:
    """Every text file that is part of the project, in a stable order."""
    found = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return sorted(path for path in found if not _is_binary(path))


def python_files(*folders: str) -> list[Path]:
    """The Python files under `folders`, in a stable order."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of one Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions_of(path: Path) -> list[Function]:
    """Every function of one file, methods and inner ones included; an inner one is called outer.inner."""
    return list(_functions_in(tree_of(path), ""))


def _functions_in(tree: ast.AST, prefix: str) -> Iterator[Function]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = prefix + node.name
            yield Function(name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1, node)
            yield from _functions_in(node, f"{name}.")
        else:
            yield from _functions_in(node, prefix)


def numbers_of(tree: ast.AST) -> Iterator[tuple[int, Number]]:
    """Each number written in a tree with its line, and the value of each sum, product, power or shift of such."""
    for node in ast.walk(tree):
        value = _value(node)
        if value is not None and isinstance(node, ast.Constant | ast.BinOp):
            yield node.lineno, value


def _value(node: ast.AST) -> Number | None:
    if isinstance(node, ast.Constant):
        is_number = isinstance(node.value, int | float) and not isinstance(node.value, bool)
        return node.value if is_number else None  # type: ignore[return-value]
    if not isinstance(node, ast.BinOp) or type(node.op) not in _FOLD:
        return None
    left, right = _value(node.left), _value(node.right)
    if left is None or right is None:
        return None
    return _FOLD[type(node.op)](left, right)


def _is_binary(path: Path) -> bool:
    with path.open("rb") as stream:
        return b"\0" in stream.read(4096)
