"""Rows of a benchmark as a plot of bars, in SVG."""

from __future__ import annotations

from html import escape
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["bar_plot", "figure"]

_LEFT, _WIDTH, _BAR, _GAP, _TOP = 330, 420, 14, 14, 66
_VALUE, _RATIO = 80, 60  # widths of the columns behind the bars
_SIDES = ("ours", "peer", "bare")
_ALL = _LEFT + _WIDTH + _VALUE + _RATIO
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.title{font-weight:bold;font-size:15px}.small{fill:#666;"
    "font-size:11px}.ratio{font-weight:bold;text-anchor:end}.paper{fill:#fff}.ours{fill:#5b9bc4}"
    ".peer{fill:#c9c9c9}.bare{fill:#e9dcb4}line{stroke:#222;stroke-width:1.2}"
)


def bar_plot(title: str, names: Mapping[str, str], note: str, rows: Sequence[Any]) -> str:
    """The bars of each row, on a scale of their own, with the spread as a line.

    Args:
        title: above the bars.
        names: what the ``ours``, the ``peer`` and the ``bare`` of the rows are called.
        note: what the figures depend on, below the title.
        rows: with ``name``, ``unit``, ``ours``, ``peer``, ``ratio`` and ``spread``, which has
            minimum, median and maximum of each side; rows without ``ratio`` are left out.
    """
    shown = [row for row in rows if row["ratio"]]
    tops = list(accumulate((len(_sides(row)) * _BAR + _GAP for row in shown), initial=_TOP))
    height = tops[-1] + 4
    parts = [
        f'<rect class="paper" width="{_ALL}" height="{height}"/>',
        f'<text class="title" x="10" y="22">{escape(title)}</text>',
        f'<text class="small" x="10" y="42">{escape(note)}</text>',
        *_legend(names),
    ]
    for row, top in zip(shown, tops, strict=False):
        parts += _row(row, top)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_ALL}" height="{height}" '
        f'viewBox="0 0 {_ALL} {height}"><style>{_STYLE}</style>{"".join(parts)}</svg>\n'
    )


def figure(value: float) -> str:
    """A number as people read it: three digits, or all of those before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _legend(names: Mapping[str, str]) -> list[str]:
    parts, left = [], _LEFT + _WIDTH - 300
    for side in _SIDES:
        parts += [
            f'<rect class="{side}" x="{left}" y="12" width="11" height="11"/>',
            f'<text x="{left + 16}" y="22">{escape(names[side])}</text>',
        ]
        left += 150
    return parts


def _row(row: Mapping[str, Any], top: float) -> list[str]:
    better = "more" if row["unit"] == "rec/s" else "less"
    unit = escape(f"{row['unit']}, {better} is better")
    sides = _sides(row)
    scale = _WIDTH / max(row["spread"][side][2] for side in sides)
    bars = [_bar(row, side, top + number * _BAR, scale) for number, side in enumerate(sides)]
    return [
        f'<text x="{_LEFT - 8}" y="{top + 12}" text-anchor="end">{escape(row["name"])}</text>',
        f'<text class="small" x="{_LEFT - 8}" y="{top + 25}" text-anchor="end">{unit}</text>',
        *chain.from_iterable(bars),
        f'<text class="ratio" x="{_ALL - 10}" y="{top + 19}">{row["ratio"]:.2f} x</text>',
    ]


def _sides(row: Mapping[str, Any]) -> list[str]:
    return [side for side in _SIDES if row.get(side)]


def _bar(row: Mapping[str, Any], side: str, top: float, scale: float) -> list[str]:
    low, median, high = (value * scale for value in row["spread"][side])
    middle = top + _BAR / 2
    return [
        f'<rect class="{side}" x="{_LEFT}" y="{top}" width="{median:.1f}" height="{_BAR - 1}"/>',
        f'<line x1="{_LEFT + low:.1f}" x2="{_LEFT + high:.1f}" y1="{middle}" y2="{middle}"/>',
        f'<text x="{_LEFT + high + 6:.1f}" y="{top + 11}">{figure(row[side])}</text>',
    ]
