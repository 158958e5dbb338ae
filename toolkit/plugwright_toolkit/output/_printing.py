"""Writes tables, diagnostics and text from plugins."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import zip_longest
from typing import TYPE_CHECKING, TextIO

from plugwright.plugins import DiagnosticLevel, printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from plugwright.plugins import Diagnostic


def write(text: str, stream: TextIO) -> None:
    """Write text; characters that the stream cannot encode are escaped."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def fold(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """One line for each finding and one for its hint; omits notes, counts repetitions.

    The same finding about several locations or files is shown for the first of them.
    """
    groups: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for each in diagnostics:
        if each.level is not DiagnosticLevel.NOTE:
            groups.setdefault((each.code, each.message, each.hint), []).append(each)
    return [line for same in groups.values() for line in _lines(same)]


def _lines(same: list[Diagnostic]) -> Iterable[str]:
    first, *others = same
    more = f" (and {len(others)} more like this)" if others else ""
    yield f"{first.level.value}: {first}{more}"
    if first.hint:
        yield f"  → {printable(first.hint)}"


def diagnostic_rows(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Every finding, including notes, with unescaped texts."""
    return [
        {
            "level": each.level.value,
            "code": each.code,
            "location": each.location,
            "file": each.file,
            "line": each.line,
            "message": each.message,
            "hint": each.hint,
        }
        for each in diagnostics
    ]


def tab_separated(rows: Sequence[Sequence[str]]) -> str:
    """One line per row; cells are escaped, so none adds a column or a line."""
    return "".join("\t".join(map(printable, row)) + "\n" for row in rows)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """One line per row; columns are as wide as their widest cell, two blanks apart."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*cells, fillvalue="")]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "".join(f"{line}\n" for line in lines)


def write_table(
    rows: Sequence[Sequence[str]], stream: TextIO, folding: Collection[str] = ()
) -> None:
    """Write rows as a table for users.

    Args:
        rows: the first of them is the header.
        stream: the terminal.
        folding: headers of the columns whose cells may wrap, if rich is installed.
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
