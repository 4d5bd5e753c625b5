"""Bundles in MLIR's generic form, line by line as the back end writes them.

Owns the spelling of each operation in both forms; a line stays a line, so that faults name the right one.  Refuses
nothing: what it does not know is left as it is, and the reader of bundles says that it is no statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

_VALUE: Final = r"(%\w+) = "
_ROWS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r'"builtin\.module"\(\) \(\{'), lambda _: "module {"),
    (re.compile(r'"func\.func"\(\) <\{.*sym_name = "sdsc_bundle".*\}> \(\{'), lambda _: ""),
    (re.compile(r"\^bb0\((.*)\):"), lambda found: _function(found[1])),
    (re.compile(r'"func\.return"\(\) : \(\) -> \(\)'), lambda _: "return"),
    (re.compile(r"\}\) : \(\) -> \(\)"), lambda _: "}"),
    (
        re.compile(_VALUE + r'"sdscbundle\.device_mem_allocate"\(\) \{bytes = (-?\d+) : index\} : \(\) -> index'),
        lambda found: f"{found[1]} = sdscbundle.device_mem_allocate {found[2]} bytes : index",
    ),
    (
        re.compile(_VALUE + r'"sdscbundle\.input_arg_extract"\((%\w+)\) : \(index\) -> index'),
        lambda found: f"{found[1]} = sdscbundle.input_arg_extract value from {found[2]} : index -> index",
    ),
    (
        re.compile(_VALUE + r'"arith\.constant"\(\) <\{value = (-?\d+) : index\}> : \(\) -> index'),
        lambda found: f"{found[1]} = arith.constant {found[2]} : index",
    ),
    (
        re.compile(_VALUE + r'"arith\.addi"\((%\w+), (%\w+)\)(?: <\{[^{}]*\}>)? : \(index, index\) -> index'),
        lambda found: f"{found[1]} = arith.addi {found[2]}, {found[3]} : index",
    ),
    (
        re.compile(
            r'"sdscbundle\.sdsc_execute"\(([^()]*)\) \{sdsc_filename = ("[^"]*"), symbol_ids = (\[[^\]]*\])\} : .*'
        ),
        lambda found: f'sdscbundle.sdsc_execute ({found[1]}) {{sdsc_filename={found[2]}, "symbol_ids"={found[3]}}}',
    ),
)


def is_generic(text: str) -> bool:
    """True for a module in which every op is quoted."""
    return text.lstrip().startswith('"builtin.module"')


def native_lines(text: str) -> Iterator[str]:
    """The same lines in the form of the back end."""
    for line in text.splitlines():
        plain = line.strip()
        found = next(((form.fullmatch(plain), make) for form, make in _ROWS if form.fullmatch(plain)), None)
        yield line if found is None or found[0] is None else found[1](found[0])


def _function(parameters: str) -> str:
    typed = parameters.replace(": index", ": !sdscbundle.input_arg<index>")
    return f"func.func @sdsc_bundle({typed}) {{"
