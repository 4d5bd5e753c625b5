"""`spyre-studio examples`: the bundled models by name."""

from __future__ import annotations

import argparse

from resources.examples import examples


def add(parser: argparse.ArgumentParser) -> None:
    """No arguments."""
    parser.description = "List the bundled examples; each name can be used wherever a MODEL is asked for."


def run(_arguments: argparse.Namespace) -> int:
    """Print name and title of each."""
    width = max(len(example.name) for example in examples())
    for example in examples():
        print(f"{example.name:<{width}}  {example.title}")
    return 0
