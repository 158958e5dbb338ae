"""Tables: tab-separated for programs, aligned for people."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import zip_longest
from typing import TYPE_CHECKING, TextIO

from plugwright.plugins import printable
from plugwright_toolkit.output._text import write

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def tab_separated(rows: Sequence[Sequence[str]]) -> str:
    """One line a row, cells escaped so that no cell adds a column or a line."""
    return "".join("\t".join(map(printable, row)) + "\n" for row in rows)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """One line a row, columns as wide as their widest cell and two blanks apart."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*cells, fillvalue="")]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "".join(f"{line}\n" for line in lines)


def write_table(
    rows: Sequence[Sequence[str]], stream: TextIO, folding: Collection[str] = ()
) -> None:
    """Write rows for a person at a terminal.

    Args:
        rows: the first of them is the header.
        stream: the terminal.
        folding: headers of the columns whose cells rich, where it is installed, may break to fit
            the terminal's width.
    """
    if find_spec("rich") is None:
        write(aligned(rows), stream)
        return
    from rich.console import Console  # noqa: PLC0415  # an extra's package
    from rich.table import Column, Table  # noqa: PLC0415  # an extra's package
    from rich.text import Text  # noqa: PLC0415  # an extra's package

    header, *body = rows
    columns = [Column(cell, overflow="fold", no_wrap=cell not in folding) for cell in header]
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in body:
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console(file=stream, highlight=False).print(table)
