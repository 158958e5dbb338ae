"""A source and a sink of typed rows, one JSON document a line, in a directory of tables."""

from __future__ import annotations
