"""Trace file: a trace as one binary file, columns as they are (an uncompressed zip of arrays, no pickle).

Owns its layout and version.  Refuses other versions, naming both, and what is no trace, each in a sentence.
"""

from __future__ import annotations

import json
import zipfile
from contextlib import nullcontext
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import BinaryIO, get_type_hints

import numpy as np
from cattrs import Converter
from cattrs.errors import BaseValidationError, StructureHandlerNotFoundError
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from compiler.errors import InputError
from simulator.trace import Holds, OpRuns, Spans, Stalls, Trace
from simulator.trace_sound import is_sound

VERSION = 1
TABLES: dict[str, type] = {"runs": OpRuns, "spans": Spans, "stalls": Stalls, "holds": Holds}
HEADER = "header"
Columns = dict[str, NDArray[np.generic]]
_FOREIGN, _DAMAGED, _AGAIN = "it is not a trace of the simulator", "a part of it is damaged", "simulate the plan again"


def save_trace(trace: Trace, place: Path | BinaryIO) -> None:
    """Write a trace to a file or into an open one; OSError if that cannot be done."""
    columns: Columns = {}
    header: dict[str, object] = {"kind": "trace", "version": VERSION}
    converter = Converter()
    for field in fields(trace):
        value = getattr(trace, field.name)
        if field.name in TABLES:
            columns |= {f"{field.name}.{each.name}": getattr(value, each.name) for each in fields(value)}
        else:
            header[field.name] = converter.unstructure(value)
    text = json.dumps(header, allow_nan=False, ensure_ascii=False).encode("utf-8", "surrogatepass")
    columns = {HEADER: np.frombuffer(text, dtype=np.uint8), **columns}
    with nullcontext(place) if not isinstance(place, Path) else place.open("wb") as file:
        np.savez(file, **columns)  # type: ignore[arg-type]


def load_trace(path: Path) -> Trace:
    """Read a trace; InputError with one sentence if the file is none."""
    what = f"trace file {path}"
    try:
        with path.open("rb") as file:
            columns = _columns(file)
    except FileNotFoundError as error:
        raise InputError(what, "there is no such file", _AGAIN) from error
    except (OSError, ValueError, EOFError, MemoryError, zipfile.BadZipFile) as error:
        raise InputError(what, _FOREIGN, _AGAIN) from error
    return _trace(what, columns)


def _columns(file: BinaryIO) -> Columns:
    """All arrays of a file; ValueError or BadZipFile if it holds anything else."""
    with NpzFile(file, allow_pickle=False) as archive:
        columns: Columns = {name: archive[name] for name in archive.files}
    if not all(isinstance(column, np.ndarray) for column in columns.values()):
        raise ValueError("an archive of something else than arrays")
    return columns


def _trace(what: str, columns: Columns) -> Trace:
    header = _header(what, columns)
    if header.get("version") != VERSION:
        why = f"its version is {header.get('version')}, this program reads version {VERSION}"
        raise InputError(what, why, _AGAIN)
    converter = Converter(forbid_extra_keys=False)
    values: dict[str, object] = {}
    try:
        for name, cls in TABLES.items():
            assert is_dataclass(cls)
            values[name] = cls(**{each.name: columns[f"{name}.{each.name}"] for each in fields(cls)})
        for field in fields(Trace):
            if field.name not in TABLES:
                values[field.name] = converter.structure(header[field.name], _TYPES[field.name])
    except (KeyError, TypeError, ValueError, BaseValidationError, StructureHandlerNotFoundError) as error:
        raise InputError(what, _DAMAGED, _AGAIN) from error
    trace = Trace(**values)  # type: ignore[arg-type]
    if not is_sound(trace):
        raise InputError(what, _DAMAGED, _AGAIN)
    return trace


def _header(what: str, columns: Columns) -> dict[str, object]:
    try:
        header = json.loads(bytes(columns[HEADER].astype(np.uint8)).decode("utf-8", "surrogatepass"))
    except (KeyError, ValueError) as error:
        raise InputError(what, _FOREIGN, _AGAIN) from error
    if not isinstance(header, dict) or header.get("kind") != "trace":
        raise InputError(what, _FOREIGN, _AGAIN)
    return header


_TYPES: dict[str, type] = get_type_hints(Trace)
