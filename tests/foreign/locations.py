"""Locations in which the Singer connectors run one foreign program each."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import Level

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FOREIGN", "Foreign", "make_location"]

_CONNECTORS = Path(__file__).parents[2] / "plugin-path" / "singer"


_OF_C3 = (
    *("CON-SPK-03", "CON-DLV-04", "SNK-OFF-01", "SNK-OFF-02"),
    *("SRC-OFF-01", "SRC-OFF-03", "SRC-OFF-04", "SRC-OFF-05"),
)
"""What tells of restarts, beside everything of the levels below."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A tap or a target of somebody else's.

    Attributes:
        requirement: what pip installs.
        program: what the package calls it.
        kind: whether it is a ``tap`` or a ``target``.
        endpoint: its other side, as module and class.
        settings: of the connector, for the example configuration.
        excluded: characters that its system cannot hold.
        order: what it keeps in order.
        types: of the values that its system holds as they are.
        fails: the checks that it fails, as the documentation has them.
    """

    requirement: str
    program: str
    kind: str
    endpoint: str
    settings: Mapping[str, str] = field(default_factory=dict)
    excluded: Sequence[str] = ()
    order: str = "partition"
    types: Sequence[str] = ("string",)
    fails: Sequence[str] = ()

    @property
    def checks(self) -> Sequence[str]:
        """The checks that it is put before, none of which needs Spark or Kafka."""
        kind = "source" if self.kind == "tap" else "sink"
        mine = [check for check in CHECKS if kind in check.kinds and not check.live]
        return [c.id for c in mine if c.level.value <= Level.C2.value or c.id in _OF_C3]

    @property
    def name(self) -> str:
        """The package."""
        return self.requirement.partition("==")[0]


_JSON_TYPES = ("string", "boolean", "int8", "int16", "int32", "int64", "float64")
_JSON_FIELDS = (
    *('id = "int64"', 'name = "string"', 'ratio = "float64"', 'flag = "boolean"'),
    'note = "string?"',
)
_NOT_CSV = ("\0", "\r")
_STATE_AT_END = ("SRC-OFF-03", "SRC-OFF-05")
_COME_TWICE = ("CON-LIF-08", "SRC-TYP-02", "CON-CAP-01")
_REPEATS = (*_STATE_AT_END, "CON-DLV-04", *_COME_TWICE)
_MORE_THAN_DECLARED = ("SNK-TYP-02", "CON-CAP-02")


def _plain(requirement: str, endpoint: str, **more: Any) -> Foreign:
    """A program that needs no settings but those of its endpoint and of every such program."""
    program = requirement.partition("==")[0].removeprefix("meltanolabs-")
    kind = program.partition("-")[0]
    settings = {"singer.interval.ms": "100"} if kind == "tap" else {"singer.non.finite": "write"}
    return Foreign(requirement, program, kind, endpoint, settings, **more)


FOREIGN = (
    _plain(
        "target-jsonl==0.1.4",
        "file_endpoints:JsonLinesFiles",
        types=_JSON_TYPES,
        fails=("SNK-TYP-02",),
    ),
    Foreign(
        "pipelinewise-target-postgres==2.1.2",
        "target-postgres",
        "target",
        "table_endpoints:TargetTable",
        {"singer.keys": "coordinates"},
        tuple("\0\t\n\r\b\f\v\\"),
        fails=("SNK-TYP-01", "SNK-TYP-09", *_MORE_THAN_DECLARED),
    ),
    Foreign(
        "pipelinewise-tap-postgres==1.8.4",
        "tap-postgres",
        "tap",
        "table_endpoints:TapTable",
        {
            "singer.select": "*",
            "singer.catalog.option": "--properties",
            "singer.metadata.replication-method": "INCREMENTAL",
            "singer.metadata.replication-key": "id",
            "singer.interval.ms": "100",
        },
        ("\0",),
        fails=("SRC-OFF-04", *_REPEATS),
    ),
    Foreign(
        "meltanolabs-target-postgres==0.8.1",
        "target-postgres",
        "target",
        "table_endpoints:TargetTable",
        {"singer.keys": "coordinates"},
        ("\0",),
        fails=_MORE_THAN_DECLARED,
    ),
    Foreign(
        "meltanolabs-tap-postgres==0.10.0",
        "tap-postgres",
        "tap",
        "table_endpoints:TapTableOfMeltano",
        {
            "singer.select": "*",
            "singer.metadata.replication-method": "INCREMENTAL",
            "singer.metadata.replication-key": "id",
            "singer.interval.ms": "100",
        },
        ("\0",),
        fails=(*_STATE_AT_END, *_COME_TWICE),
    ),
    _plain(
        "tap-singer-jsonl==0.1.0",
        "file_endpoints:TapSingerJsonl",
        fails=_REPEATS,
    ),
    _plain("tap-jsonl==0.3.1", "file_endpoints:TapJsonl", fails=_REPEATS),
    _plain("tap-jsonfile==0.1.2", "file_endpoints:TapJsonFile", fails=_STATE_AT_END),
    _plain(
        "tap-csv-folder==0.0.1a1", "file_endpoints:TapCsvFolder", excluded=_NOT_CSV, fails=_REPEATS
    ),
    _plain(
        "tap-spreadsheets==1.1.2",
        "file_endpoints:TapSpreadsheets",
        excluded=_NOT_CSV,
        fails=(*_STATE_AT_END, "SRC-TYP-02", "CON-CAP-01"),
    ),
    _plain("tap-rest-api-msdk==1.4.2", "web_endpoints:TapRestApiMsdk", fails=_STATE_AT_END),
    _plain("tap-rest-api==0.2.22", "web_endpoints:TapRestApi", fails=_STATE_AT_END),
    Foreign(
        "pipelinewise-tap-s3-csv==3.0.1",
        "tap-s3-csv",
        "tap",
        "web_endpoints:TapS3Csv",
        {"singer.catalog.option": "--properties", "singer.interval.ms": "100"},
        _NOT_CSV,
    ),
    _plain(
        "target-singer-jsonl==0.1.0",
        "file_endpoints:TargetSingerJsonl",
        types=_JSON_TYPES,
        fails=("SNK-TYP-02",),
    ),
    _plain(
        "target-localjson==0.1.1",
        "file_endpoints:TargetLocalJson",
        order="none",
        types=_JSON_TYPES,
        fails=("SNK-TYP-02",),
    ),
    _plain(
        "meltanolabs-target-csv==0.5.0",
        "file_endpoints:TargetCsv",
        excluded=("\0",),
        fails=_MORE_THAN_DECLARED,
    ),
)
"""Those that run on one machine, against a server on loopback or a directory."""


def make_location(foreign: Foreign, environment: Path, directory: Path) -> Path:
    """A location with the connectors, of which one is declared to run the program.

    Args:
        foreign: the program.
        environment: the virtual environment that it is in.
        directory: an empty directory to make the location in.
    """
    location = directory / foreign.name
    shutil.copytree(_CONNECTORS, location, ignore=shutil.ignore_patterns("__pycache__"))
    package = location / "plugwright_singer"
    for module in Path(__file__).parent.glob("*_endpoints.py"):
        shutil.copy(module, package)
    source, json_ = foreign.kind == "tap", foreign.types == _JSON_TYPES
    settings = {
        ("topic" if source else "topics"): "{topic}",
        f"singer.{foreign.kind}": foreign.requirement,
        "singer.executable": foreign.program,
        "singer.environment": str(environment),
        **foreign.settings,
    }
    lines = [
        "format = 1",
        "[[plugin]]",
        f'class = "plugwright_singer.Singer{"Source" if source else "Sink"}Connector"',
        f'endpoint = "plugwright_singer.{foreign.endpoint}"',
        "[plugin.config]",
        *(f"{json.dumps(name)} = {json.dumps(value)}" for name, value in settings.items()),
        "[plugin.capabilities]",
        'delivery = "at-least-once"',
        f'order = "{foreign.order}"',
        "async = true",
        f"types = {json.dumps(list(foreign.types))}",
        *(("schemaless = true",) if json_ else ()),
        f"excluded_characters = {json.dumps(list(foreign.excluded))}",
        *(() if source else ('tombstones = "refused"', 'headers = "ignored"', "dlq = true")),
        *(("[plugin.capabilities.fields]", *_JSON_FIELDS) if json_ else ()),
    ]
    (package / "conformance.toml").write_text("\n".join(lines) + "\n", "utf-8")
    return location
