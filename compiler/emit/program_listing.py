"""Program listing: tensors with addresses and device ops with the slice of every core."""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.text.program_text import print_program


def program_listing(compilation: Compilation) -> str:
    """The program's text form, which parses back to the program."""
    return print_program(compilation.program)
