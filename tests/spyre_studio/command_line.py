"""One run of the command line inside the test's own process.

Owns what such a run leaves behind.
"""

import json

import pytest

from spyre_studio.__main__ import main


class Outcome:
    """What a run of the command line left behind."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: object) -> None:
        self.code = main([str(word) for word in words])
        self.out, self.err = capsys.readouterr()

    @property
    def json(self) -> dict[str, object]:
        """Stdout, which must be one JSON object and nothing else."""
        document = json.loads(self.out)
        assert isinstance(document, dict)
        return document

    def refused(self) -> str:
        """The one sentence on stderr, for exit code 2."""
        assert self.code == 2
        assert self.out == ""
        assert self.err.count("\n") == 1
        assert "Traceback" not in self.err
        return self.err.strip()
