"""Names in an archive: plain identifiers, dotted parameter paths, and where in the author's source a call stands.

torch writes names of nodes, arguments and parameters into Python source and executes it, so that a name with a bracket
in it is a program.  Refuses everything but what torch's exporter writes.
"""

from __future__ import annotations

import keyword
import re

import torch
from torch._export.serde import schema

from compiler.frontend.archive_error import ArchiveError, quoted

CRAFTED = "do not use this file"
STACK_LENGTH = 20_000
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,999}")
_SEGMENT = re.compile(r"(?!__)[A-Za-z0-9_\-]{1,200}")
_TAKEN = frozenset({"self", "torch"})
_FRAME = re.compile(r'File "([^"\n]{1,500})", line (\d{1,9})')


def check_name(name: str) -> None:
    """Refuse a name that is more than a plain identifier, or that would hide what generated source needs."""
    if not _IDENTIFIER.fullmatch(name) or keyword.iskeyword(name) or name in _TAKEN:
        raise ArchiveError(f"it uses {quoted(name)} as a name, which torch never writes", CRAFTED)


def check_operand_name(name: str) -> None:
    """Operand names are looked up in the operator's schema; a keyword such as `from` is a name there."""
    if name and not _IDENTIFIER.fullmatch(name):
        raise ArchiveError(f"it uses {quoted(name)} as the name of an operand, which torch never writes", CRAFTED)


def check_path(path: str) -> None:
    """Refuse a dotted path of a parameter or constant that no module can have."""
    parts = path.split(".")
    if not all(_SEGMENT.fullmatch(part) and not hasattr(torch.nn.Module, part) for part in parts):
        raise ArchiveError(f"it uses {quoted(path)} as the path of a parameter, which no module can have", CRAFTED)


def source_line(node: schema.Node) -> str:
    """` (model.py:14)`, or nothing if the node does not say where it comes from."""
    frames = _FRAME.findall(node.metadata.get("stack_trace", "")[:STACK_LENGTH])
    if not frames:
        return ""
    file, line = frames[-1]
    name = re.split(r"[/\\]", file)[-1]
    return f" ({name}:{line})" if name.isprintable() else ""


def metadata_of(node: schema.Node) -> dict[str, str]:
    """The two notes that are kept of a node, where they are well formed: its source lines and its module path."""
    notes = {name: node.metadata.get(name, "") for name in ("stack_trace", "nn_module_stack")}
    kept = {name: text for name, text in notes.items() if text.replace("\n", "").isprintable() and text}
    if len(notes["stack_trace"]) > STACK_LENGTH:
        kept.pop("stack_trace", None)
    if not all(_has_three_parts(entry) for entry in notes["nn_module_stack"].split(";")):
        kept.pop("nn_module_stack", None)
    return kept


def _has_three_parts(entry: str) -> bool:
    """True for `key,path,type`; commas in brackets do not count."""
    depth = commas = 0
    for letter in entry:
        depth += (letter in "[(") - (letter in "])")
        commas += letter == "," and depth == 0
    return commas == 2
