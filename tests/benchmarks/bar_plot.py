"""Rows of a benchmark as a plot of bars, in SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["bar_plot"]

_LEFT, _WIDTH, _BAR, _GAP = 300, 420, 14, 16
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.ours{fill:#2a6f97}.peer{fill:#c9c9c9}"
    "line{stroke:#222;stroke-width:1}"
)


def bar_plot(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """A pair of bars for each row, each pair on its own scale, with the spread as a line.

    Args:
        title: above the bars.
        rows: with ``name``, ``unit``, ``ours``, ``peer``, ``ratio`` and ``spread``, which has
            minimum, median and maximum of either side; rows without ``ratio`` are left out.
    """
    shown = [row for row in rows if row["ratio"]]
    height = 50 + len(shown) * (2 * _BAR + _GAP)
    parts = [f'<text x="10" y="22" font-weight="bold">{escape(title)}</text>']
    for number, row in enumerate(shown):
        top = 40 + number * (2 * _BAR + _GAP)
        name = f"{row['name']} ({row['unit']})"
        parts.append(
            f'<text x="{_LEFT - 8}" y="{top + 18}" text-anchor="end">{escape(name)}</text>'
        )
        largest = max(row["spread"]["ours"][2], row["spread"]["peer"][2])
        parts += _bar(row, "ours", top, _WIDTH / largest)
        parts += _bar(row, "peer", top + _BAR, _WIDTH / largest)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 130}" height="{height}">'
        f"<style>{_STYLE}</style>{''.join(parts)}</svg>\n"
    )


def _bar(row: Mapping[str, Any], side: str, top: float, scale: float) -> list[str]:
    low, median, high = (value * scale for value in row["spread"][side])
    middle = top + _BAR / 2
    return [
        f'<rect class="{side}" x="{_LEFT}" y="{top}" width="{median:.1f}" height="{_BAR - 1}"/>',
        f'<line x1="{_LEFT + low:.1f}" x2="{_LEFT + high:.1f}" y1="{middle}" y2="{middle}"/>',
        f'<text x="{_LEFT + high + 6:.1f}" y="{top + 11}">{side} {row[side]:,.4g}</text>',
    ]
