"""Runs every benchmark, one after the other."""

from __future__ import annotations

import runpy
import sys

_BENCHMARKS = (
    "archives",
    "converters",
    "transforms",
    "isolation",
    "vocabulary",
    "loops",
    "lake",
    "starts",
    "up",
    "connect",
    "profile",
    "engines",
    "discovery",
    "cluster",
    "certification",
)

for _name in _BENCHMARKS:
    sys.stdout.write(f"\n{_name}\n{'-' * len(_name)}\n")
    sys.argv = [_name]
    try:
        runpy.run_module(f"tests.benchmarks.{_name}", run_name="__main__")
    except SystemExit as _end:
        if _end.code:
            raise
