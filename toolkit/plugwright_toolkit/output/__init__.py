"""Output for users and programs: escaped text, tables, JSON, diagnostics."""

from __future__ import annotations

from plugwright.cli import write_json
from plugwright.plugins import printable
from plugwright_toolkit.output._printing import (
    aligned,
    diagnostic_rows,
    fold,
    tab_separated,
    write,
    write_table,
)

__all__ = [
    "aligned",
    "diagnostic_rows",
    "fold",
    "printable",
    "tab_separated",
    "write",
    "write_json",
    "write_table",
]
