"""Rows of the module tree for runs of equal modules: one that holds them all, and a mark where one is planned apart.

Owns: where such rows go and what they say. Refuses: Qt, and finding the modules (repeats.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from spyre_studio.repeat_facts import ASPECTS
from spyre_studio.repeats import Run
from spyre_studio.views.graph_model import GraphModel
from spyre_studio.views.graph_names import group_title
from spyre_studio.views.graph_runs import sole_runs, stretch_path

MARK = "≠"
"""What stands at modules that are planned in another way than most of their equals."""


@dataclass(frozen=True, slots=True)
class RowWords:
    """Path, title and tooltip of a row."""

    group: str
    title: str
    hint: str = ""


class RunRows:
    """A run that is all there is in a module stands in its row; any other has a row of its own, around its modules."""

    def __init__(self, model: GraphModel) -> None:
        runs = model.graph.runs
        sole = sole_runs(model.graph.tree, runs)
        self._run_of = {path: run for run in runs for path in run.members}
        self._sole = {run.parent: run for run in runs if run.parent in sole}
        self._facts = model.run_facts
        self._odd = {block.path: block.differs for facts in model.run_facts.values() for block in facts.blocks}

    def module(self, path: str) -> RowWords:
        """The row of a module."""
        run = self._sole.get(path)
        if run is not None:
            return self._folded(run, path)
        odd = self._odd.get(path, ())
        if not odd:
            return RowWords(path, group_title(path))
        words = dict(ASPECTS)
        return RowWords(path, f"{group_title(path)} {MARK}", f"{path}: {', '.join(words[one] for one in odd)}")

    def between(self, path: str) -> RowWords | None:
        """The row between a module and the one around it, None where there is none."""
        run = self._run_of.get(path)
        return None if run is None or run.parent in self._sole else self._folded(run, stretch_path(run.members))

    def _folded(self, run: Run, path: str) -> RowWords:
        facts = self._facts.get(run.key)
        told = "\n".join([f"{len(run.members)} equal modules", *(facts.sentences() if facts else ())])
        mark = f" {MARK} {len(facts.different)}" if facts and facts.different else ""
        return RowWords(path, f"{run.title} × {len(run.members)}{mark}", told)
