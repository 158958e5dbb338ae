"""The reference connectors, as plugin locations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.documentation import settings_table
from plugwright_conformance.reference.rows.codec import VERSION
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.connector import Connector

OWN_PACKAGE = "plugwright_conformance.reference.rows"
"""The package of the modules; in a location it is replaced by the location's own."""

FIELDS = """\
types = ["string"]

[plugin.capabilities.fields]
id = "int64"
name = "string"
ratio = "float64"
data = "bytes"
amount = "decimal(2)"
born = "date"
opens = "time"
seen = "timestamp"
note = "string?"
state = "string? = new"
"""
"""Texts and the fields of the typed rows, in the form of a declaration."""

NESTED_FIELDS = """\
tags = "array<string?>?"
counts = "map<string, int64>"
visits = "array<struct<place: string, day: date?>>"
"""
"""Fields that are arrays and maps, behind the others."""

_CAPABILITIES = {
    "source": 'order = "partition"\nparallel = true\n',
    "sink": 'order = "partition"\nparallel = true\nschemaless = true\ntombstones = "left out"\n'
    'headers = "ignored"\n',
}
_LINES = {
    "source": 'order = "partition"\nparallel = false\n',
    "sink": 'order = "partition"\nparallel = true\ntombstones = "left out"\n',
}
_KEYED = (
    'parallel = true\nkeys = "required"\nupsert = true\nheaders = "ignored"\n'
    'tombstones = "deletes the line of the key"\n'
)
_CONFIG = {"source": 'topic = "{topic}"', "sink": 'topics = "{topic}"'}


@dataclass(frozen=True, slots=True)
class ReferenceConnector:
    """One reference connector.

    Attributes:
        name: the name of its location, such as ``rows-source``.
        kind: ``source`` or ``sink``.
        typed: whether it declares the fields of its rows; otherwise it moves lines of text.
        exact: whether it declares exactly-once delivery.
        engines: the engines that it declares.
        evolves: whether it declares that the fields of its rows may change.
        keyed: whether it keeps only the last line of each key.
        nested: whether some fields of its rows are arrays and maps.
    """

    name: str
    kind: str
    typed: bool = True
    exact: bool = False
    engines: tuple[str, ...] = (RESIDENT,)
    evolves: bool = False
    keyed: bool = False
    nested: bool = False

    @property
    def package(self) -> str:
        """The import package in the location."""
        return f"plugwright_{self.name.replace('-', '_')}"

    @property
    def class_name(self) -> str:
        """The connector class."""
        return f"{self._store or 'Rows'}{self.kind.title()}Connector"

    @property
    def module(self) -> str:
        """The module of the location that has the connector class."""
        return f"{self._store.lower()}_sink" if self._store else self.kind

    @property
    def delivery(self) -> str:
        """The declared delivery guarantee."""
        return "exactly-once" if self.exact else "at-least-once"

    @property
    def _store(self) -> str:
        """The prefix of the names of a sink with a database; empty for others."""
        if self.keyed:
            return "Keyed"
        return "Exact" if self.exact and self.kind == "sink" else ""

    @property
    def _endpoint(self) -> str:
        store = self._store
        driver = f"{store.lower()}_testing:{store}Endpoint" if store else "testing:RowsEndpoint"
        return f"{self.package}.{driver}"

    @property
    def _modules(self) -> tuple[str, ...]:
        if not self._store:
            return ("codec", self.module, "testing")
        own = (self.module, f"{self._store.lower()}_testing")
        return ("codec", "testing", "database_sink", "database_testing", *own)

    def materialise(self, location: Path) -> None:
        """Write the location: a package, its metadata, declaration, README and licence."""
        here = Path(__file__).with_name("rows")
        package = location / self.package
        package.mkdir(parents=True)
        for name in self._modules:
            text = (here / f"{name}.py").read_text("utf-8")
            self._write(package / f"{name}.py", text.replace(OWN_PACKAGE, self.package))
        task = self.class_name.replace("Connector", "Task")
        self._write(
            package / "__init__.py",
            f'"""Typed rows."""\n\nfrom {self.package}.{self.module} import '
            f"{self.class_name}, {task}\n"
            f'\n__all__ = ["{self.class_name}", "{task}"]\n',
        )
        self._write(package / "conformance.toml", self._declaration())
        self._write(location / "README.md", self.readme())
        metadata = location / f"{self.package}-{VERSION}.dist-info"
        for name, text in self._metadata().items():
            self._write(metadata / name, text)

    @staticmethod
    def _write(file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def readme(self) -> str:
        """The README, with a table of the settings."""
        found = getattr(import_module(f"{OWN_PACKAGE}.{self.module}"), self.class_name)
        connector: Connector = found()
        return (
            f"# {self.name}\n\n"
            f"A {self.kind} of typed rows, against which the suite is tried itself.\n\n"
            f"{settings_table(connector.config())}\n"
            "**Data model.** One record for each row, as a struct of ten fields.\n\n"
            f"**Delivery.** {self.delivery.capitalize()}; every row has an offset of its own.\n"
        )

    def _declaration(self) -> str:
        claims = f"{_CAPABILITIES[self.kind]}\n{FIELDS}" if self.typed else _LINES[self.kind]
        if self.keyed:
            claims = _KEYED
        if self.nested:
            claims += NESTED_FIELDS
        if self.evolves:
            claims = f"evolution = true\n{claims}"
        return (
            f'format = 1\n\n[[plugin]]\nclass = "{self.package}.{self.class_name}"\n'
            f'endpoint = "{self._endpoint}"\n\n[plugin.config]\n'
            f'{_CONFIG[self.kind]}\n"rows.url" = "rows://user@localhost/tables"\n'
            f"{self._text}\n"
            f'[plugin.capabilities]\ndelivery = "{self.delivery}"\n{self._engines()}{claims}'
        )

    @property
    def _text(self) -> str:
        """The setting for text, of connectors that have it."""
        return "" if self._store else f'"rows.text" = "{str(not self.typed).lower()}"\n'

    def _engines(self) -> str:
        return "" if self.engines == (RESIDENT,) else f"engines = {json.dumps(self.engines)}\n"

    def _metadata(self) -> Mapping[str, str]:
        entry = f"{self.package}.{self.class_name} = {self.package}:{self.class_name}"
        return {
            "METADATA": (
                f"Metadata-Version: 2.4\nName: plugwright-{self.name}\nVersion: {VERSION}\n"
                f"Summary: A {self.kind} of typed rows\nLicense-Expression: Apache-2.0\n"
                "License-File: LICENSE\nRequires-Python: >=3.11\n"
                "Requires-Dist: plugwright<1,>=0.1\n"
                f"Description-Content-Type: text/markdown\n\n{self.readme()}"
            ),
            "WHEEL": (
                "Wheel-Version: 1.0\nGenerator: plugwright\nRoot-Is-Purelib: true\n"
                "Tag: py3-none-any\n"
            ),
            "entry_points.txt": f"[plugwright.{self.kind.title()}Connector]\n{entry}\n",
            "licenses/LICENSE": "Apache License, Version 2.0; its text comes with plugwright.\n",
        }


REFERENCES = (
    ReferenceConnector("rows-source", "source"),
    ReferenceConnector("rows-sink", "sink"),
    ReferenceConnector("lines-source", "source", typed=False, exact=True),
    ReferenceConnector("lines-sink", "sink", typed=False),
    ReferenceConnector("evolving-source", "source", evolves=True),
    ReferenceConnector("evolving-sink", "sink", evolves=True),
    ReferenceConnector("nested-source", "source", nested=True),
    ReferenceConnector("nested-sink", "sink", nested=True),
    ReferenceConnector("exact-lines-sink", "sink", typed=False, exact=True),
    ReferenceConnector("keyed-sink", "sink", typed=False, keyed=True),
)


def reference_for(kind: str, *, exact: bool) -> ReferenceConnector:
    """The reference connector of lines for a run.

    Args:
        kind: ``source`` or ``sink``.
        exact: whether it must declare exactly-once delivery.
    """
    lines = [e for e in REFERENCES if e.kind == kind and not (e.typed or e.keyed)]
    return next(each for each in lines if each.exact or not exact)


def reference(name: str) -> ReferenceConnector | None:
    """The reference connector of a name, or ``None`` if there is none."""
    return next((each for each in REFERENCES if each.name == name), None)
