"""Kernels files: what torch-spyre compiled, as a plan that every view and command takes.

Owns the way from a file or folder of kernels to a compilation, and the sentences about what it does not hold.  Refuses
to run anything of it, and to believe it: the checker proves it as it proves plans of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from compiler.compilation import Compilation
from compiler.counts import counted
from compiler.device import load_device
from compiler.read.imported import imported
from compiler.read.kernel_folder import read_programs

DEVICE: Final = "spyre"
"""Files of kernels do not say for which device they are; there is one such card."""


def read_kernels(path: Path) -> Compilation:
    """The kernels as a compilation, what was found in the files among its log; InputError with one sentence."""
    device = load_device(DEVICE)
    read = read_programs(path, device.count("lx_bytes"))
    used = max((op.cores for kernel in read.kernels for op in kernel.ops()), default=0)
    cores = read.cores or used
    if used <= cores <= device.cores:
        device = device.with_cores(cores)
    guess = f"nothing says for how many cores it was compiled: its ops use {counted(used, 'core')}, which is taken"
    guessed = [guess] if not read.cores and device.cores < load_device(DEVICE).cores else []
    found = (*read.findings, *guessed, *(f"{file}: not read" for file in read.listed), *_unknown(read.extra))
    return imported(read.kernels, read.name, device, read.results, found).compilation


def _unknown(extra: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for file, fields in extra.items():
        yield f"{file}: unknown {'field' if len(fields) == 1 else 'fields'} {', '.join(sorted(fields))}"
