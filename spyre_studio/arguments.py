"""Arguments: the parser of both the window and the command line, with errors as one sentence."""

from __future__ import annotations

import argparse
from typing import NoReturn

from compiler.errors import InputError


class Parser(argparse.ArgumentParser):
    """Raises InputError where argparse prints a usage and exits."""

    def error(self, message: str) -> NoReturn:
        """One sentence instead of a page."""
        raise InputError(self.prog, message, f"see {self.prog} --help")
