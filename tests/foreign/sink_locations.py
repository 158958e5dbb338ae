"""Six sinks as others would write them, and faults that real sinks had, as plugin locations."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.foreign.changed_text import with_changes

from plugwright_conformance.documentation import settings_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FAULTS", "SINKS", "SinkFault", "make_sink", "score_table"]

_SOURCES = Path(__file__).with_name("sinks")
SINKS: Mapping[str, str] = {
    "ledgerlite": "ledgerlite",
    "jsonshelf": "jsonshelf",
    "webbulk": "webbulk",
    "logvault": "logvault",
    "courier": "courier",
    "windows": "windowed",
}
"""Each good sink, with the name of its package."""


@dataclass(frozen=True, slots=True)
class SinkFault:
    """One fault of a public project, put into one of the sinks.

    Attributes:
        name: of the faulty sink.
        sink: the good one.
        origin: address of the report.
        fault: what is broken.
        changes: pairs of old and new text of the sink's module.
        blind: how it was found by the checks as they were before the sinks were written: `yes`,
            `for another reason`, `no`, or `not run to the end`.
        blind_by: the checks that failed.
        last: how it was found at last.
        last_by: the checks that failed then.
    """

    name: str
    sink: str
    origin: str
    fault: str
    changes: Sequence[tuple[str, str]]
    blind: str
    blind_by: str
    last: str
    last_by: str


def _fault(row: Mapping[str, Any]) -> SinkFault:
    changes = [(change["old"], change["new"]) for change in row["change"]]
    rest = {name: value for name, value in row.items() if name != "change"}
    return SinkFault(changes=changes, **rest)


FAULTS = tuple(map(_fault, tomllib.loads((_SOURCES / "faults.toml").read_text("utf-8"))["fault"]))
"""Every fault, in the order of its sink."""


def make_sink(sink: str, location: Path, changes: Sequence[tuple[str, str]] = ()) -> None:
    """Write a plugin location with one of the sinks.

    Args:
        sink: name of the good one.
        location: to be made.
        changes: pairs of old and new text; each old text must occur once.
    """
    package = SINKS[sink]
    shutil.copytree(_SOURCES / sink, location, ignore=shutil.ignore_patterns("__pycache__"))
    module = location / package / "__init__.py"
    text = module.read_text("utf-8")
    scope: dict[str, Any] = {"__name__": package}
    exec(compile(text, str(module), "exec"), scope)  # noqa: S102  # our own text
    module.write_text(with_changes(text, changes, sink), encoding="utf-8")
    _write_metadata(sink, location, scope)


def _write_metadata(sink: str, location: Path, scope: Mapping[str, Any]) -> None:
    package = SINKS[sink]
    names = {name for name in scope if name.endswith("SinkConnector")}
    (connector,) = names - {"SinkConnector"}
    delivery = "Exactly-once" if sink in {"webbulk", "logvault"} else "At-least-once"
    readme = (
        f"# {sink}\n\n{scope['__doc__']}\n{settings_table(scope['CONFIG'])}\n"
        "**Data model.** Values as `conformance.toml` declares them.\n\n"
        f"**Delivery.** {delivery}.\n"
    )
    metadata = (
        f"Metadata-Version: 2.4\nName: {package}\nVersion: {scope['VERSION']}\n"
        f"Summary: {scope['__doc__']}\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\n"
        "Requires-Python: >=3.11\nRequires-Dist: plugwright<1,>=0.1\n"
        f"Description-Content-Type: text/markdown\n\n{readme}"
    )
    files = {
        "METADATA": metadata,
        "WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "entry_points.txt": (
            f"[plugwright.SinkConnector]\n{package}.{connector} = {package}:{connector}\n"
        ),
        "licenses/LICENSE": "Apache License, Version 2.0.\n",
    }
    for name, text in files.items():
        file = location / f"{package}-{scope['VERSION']}.dist-info" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (location / "README.md").write_text(readme, encoding="utf-8")


def score_table() -> str:
    """A Markdown table of the faults, and how they were found."""
    lines = ["| fault | sink | reported at | blind | last | by |", "|---|---|---|---|---|---|"]
    for each in FAULTS:
        _, _, _, owner, project, _, number = each.origin.split("/")
        where = f"[{owner}/{project}#{number}]({each.origin})"
        row = (each.fault, each.sink, where, each.blind, each.last, each.last_by or each.blind_by)
        lines.append(f"| {' | '.join(row)} |")
    return "".join(f"{line}\n" for line in lines)
