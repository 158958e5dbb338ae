"""A source and a sink of typed rows: one JSON document per line, one file per table."""

from __future__ import annotations
