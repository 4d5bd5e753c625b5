"""JSON value: what a document of any of the formats is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None
