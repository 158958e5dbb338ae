"""``badge.svg``: the level as a self-contained image."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report.wording import headline

if TYPE_CHECKING:
    from plugwright_conformance.report.results import RunResults

_LABEL = "plugwright"
_CHARACTER = 6.6
_PADDING = 10
_REACHED = "#1a6b3c"
_UNREACHED = "#555b66"
_FAILED = "#a3262b"

_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{text}">
<title>{text}</title>
<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#24292f"/>\
<rect x="{left}" width="{right}" height="20" fill="{colour}"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{left_middle}" y="14">{label}</text>
<text x="{right_middle}" y="14">{verdict}</text>
</g>
</svg>
"""


@dataclass(frozen=True, slots=True)
class BadgeReport:
    """Writes level, waivers and date as text on a coloured image without links and scripts."""

    file_name: str = "badge.svg"

    def render(self, results: RunResults) -> bytes:
        """The badge, which contains no text of the plugin."""
        verdict = _verdict(results)
        left, right = _width(_LABEL), _width(verdict)
        picture = _SVG.format(
            width=left + right,
            left=left,
            right=right,
            left_middle=left // 2,
            right_middle=left + right // 2,
            colour=_colour(results),
            label=_LABEL,
            verdict=escape(verdict),
            text=escape(f"{_LABEL}: {verdict}"),
        )
        return picture.encode()


def _verdict(results: RunResults) -> str:
    waived = len({r.id for r in results.results if r.outcome is Outcome.WAIVED})
    parts = [
        headline(results),
        f"{waived} waived" if waived else "",
        "" if results.plugin.capabilities else "nothing declared",
        results.started[:10],
    ]
    return " · ".join(part for part in parts if part)


def _colour(results: RunResults) -> str:
    if results.level() is not None:
        return _REACHED
    return _FAILED if results.failed else _UNREACHED


def _width(text: str) -> int:
    return round(len(text) * _CHARACTER) + _PADDING
