"""A reported fault: a bug of a public project in miniature, its good twin, and the report."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright_conformance.documentation import settings_table
from plugwright_conformance.mutants.reported.plain import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_HERE = Path(__file__).parent
_OWN = "plugwright_conformance.mutants.reported"
_ROWS = "plugwright_conformance.reference.rows"
_FROM_ROWS = "rows_"
LOST = (
    r"\blost [1-9]",
    r"[1-9]\d* (of them )?(lost|missing)",
    "are lost",
    "not durable",
    "is missing",
    r"expected \d+ records(?: within|;)",
)
"""Patterns of a finding that points to lost records."""

TWICE = (
    r"duplicated [1-9]",
    "twice",
    "again",
    "repeated",
    "duplicate ",
    "surplus",
    r"record \d+ first, then the rest",
)
"""Patterns of a finding that points to repeated records."""

_ADDRESS = re.compile(r"https://github\.com/\S+?/(?:issues|pull)/\d+")


@dataclass(frozen=True, slots=True)
class Base:
    """A good connector that faults are put into.

    Attributes:
        connector: module and class of it, as in ``sinks:LinesSink``.
        kind: ``source`` or ``sink``.
        endpoint: class in ``endpoints``, or module and class of the driver.
        claims: its capabilities, as lines of its declaration.
        config: further settings of its example configuration.
    """

    connector: str
    kind: str
    endpoint: str
    claims: str = ""
    config: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reported:
    """One connector with a fault that was reported elsewhere, or a good one.

    Attributes:
        id: of this suite.
        base: what it is made from, and what it is without its fault.
        made: module and class of its task, or of its connector.
        points_to: patterns of which a finding has at least one if it points to the fault.
        packaging: whether the fault lies in the package instead of its code.
        spoil: breaks the files of the location.
        claims: further lines of the declaration.
    """

    id: str
    base: Base
    made: str
    points_to: tuple[str, ...] = ()
    packaging: bool = False
    spoil: Callable[[Path], None] | None = None
    claims: str = ""

    @property
    def text(self) -> str:
        """The docstring of the faulty class: the fault, and the report with its address."""
        return inspect.cleandoc(_loaded(self.made).__doc__ or "")

    @property
    def fault(self) -> str:
        """What is broken, in one sentence."""
        return self.text.splitlines()[0]

    @property
    def origin(self) -> str:
        """The address of the report; empty for a good connector."""
        found = _ADDRESS.search(self.text)
        return found.group() if found else ""

    @property
    def twin(self) -> Reported:
        """The same connector without the fault; its package counts if the fault lies there."""
        twin = good(self.base)
        return replace(twin, id=f"{twin.id}-packaged", packaging=True) if self.packaging else twin

    @property
    def package(self) -> str:
        """The import package in the location."""
        return f"reported_{self.id.lower().replace('-', '_')}"


def _file(module: str) -> Path:
    """Where a module of the location comes from."""
    if not module.startswith(_FROM_ROWS):
        return _HERE / f"{module}.py"
    return Path(str(import_module(_ROWS).__file__)).with_name(f"{module[len(_FROM_ROWS) :]}.py")


def _loaded(made: str) -> type[Any]:
    """A class of this package, or of the reference rows."""
    module, _, name = made.partition(":")
    rows = module.startswith(_FROM_ROWS)
    where = f"{_ROWS}.{module[len(_FROM_ROWS) :]}" if rows else f"{_OWN}.{module}"
    found: type[Any] = getattr(import_module(where), name)
    return found


def good(base: Base) -> Reported:
    """A base as a connector of its own."""
    words = re.findall("[A-Z][a-z]+", base.connector)
    return Reported("-".join(["good", *words]).lower(), base, base.connector)


def materialise(reported: Reported, directory: Path) -> Path:
    """Make the connector a plugin location of its own.

    Args:
        reported: what to make.
        directory: receives the location.

    Returns:
        The location, ready to be certified.
    """
    location = directory / reported.id
    package = location / reported.package
    package.mkdir(parents=True)
    for file in sorted(_HERE.glob("[a-z]*.py")):
        _write(package / file.name, _renamed(file.read_text("utf-8"), reported.package))
    for name in ("codec", "source", "sink", "testing"):
        module = f"{_FROM_ROWS}{name}"
        text = _file(module).read_text("utf-8")
        _write(package / f"{module}.py", _renamed(text, reported.package))
    _write(package / "__init__.py", _connector(reported))
    _write(package / "conformance.toml", _declaration(reported))
    metadata = location / f"{reported.package}-{VERSION}.dist-info"
    for name, text in _metadata(reported).items():
        _write(metadata / name, text)
    _write(location / "README.md", _readme(reported))
    if reported.spoil is not None:
        reported.spoil(location)
    return location


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _renamed(text: str, package: str) -> str:
    """The text of a module, with the package names of the location."""
    text = re.sub(rf"{re.escape(_ROWS)}\.(\w+)", rf"{package}.rows_\1", text)
    return text.replace(_OWN, package)


def _class_name(reported: Reported) -> str:
    return f"{reported.base.kind.title()}Connector"


def _is_task(reported: Reported) -> bool:
    return reported.made.endswith("Task")


def _connector(reported: Reported) -> str:
    """The package's own module: the connector, with the faulty task if it is one."""
    module, _, name = (reported.base.connector if _is_task(reported) else reported.made).partition(
        ":"
    )
    package, lines = reported.package, [f"from {reported.package}.{module} import {name}"]
    body = '    """Moves values."""\n'
    if _is_task(reported):
        task_module, _, task = reported.made.partition(":")
        lines.append(f"from {package}.{task_module} import {task}")
        body += f"\n    TASK = {task}\n\n    def task_class(self):\n"
        body += f'        """The class of the tasks."""\n        return {task}\n'
    made = _class_name(reported)
    return (
        '"""A small connector."""\n\nfrom __future__ import annotations\n\n'
        + "\n".join(lines)
        + f'\n\n__all__ = ["{made}"]\n\n\nclass {made}({name}):\n{body}'
    )


def _declaration(reported: Reported) -> str:
    base, package = reported.base, reported.package
    module, _, driver = base.endpoint.rpartition(":")
    topic = "topic" if base.kind == "source" else "topics"
    config = {topic: "{topic}", **base.config}
    given = "".join(f'"{name}" = "{value}"\n' for name, value in config.items())
    return (
        f'format = 1\n\n[[plugin]]\nclass = "{package}.{_class_name(reported)}"\n'
        f'endpoint = "{package}.{module or "endpoints"}:{driver}"\n\n[plugin.config]\n{given}'
        f'\n[plugin.capabilities]\ndelivery = "at-least-once"\n{reported.claims}{base.claims}'
    )


def _readme(reported: Reported) -> str:
    connector = _loaded(reported.base.connector)()
    return (
        f"# {reported.package}\n\nMoves values.\n\n{settings_table(connector.config())}\n"
        "**Data model.** One record for each value.\n\n"
        "**Delivery.** At-least-once; what is not committed at a crash comes again.\n"
    )


def _metadata(reported: Reported) -> Mapping[str, str]:
    made = f"{reported.package}.{_class_name(reported)}"
    entry = f"{made} = {reported.package}:{_class_name(reported)}"
    return {
        "METADATA": (
            f"Metadata-Version: 2.4\nName: {reported.package.replace('_', '-')}\n"
            f"Version: {VERSION}\nSummary: Moves values\nLicense-Expression: Apache-2.0\n"
            "License-File: LICENSE\nRequires-Python: >=3.11\nRequires-Dist: plugwright<1,>=0.1\n"
            f"Description-Content-Type: text/markdown\n\n{_readme(reported)}"
        ),
        "WHEEL": (
            "Wheel-Version: 1.0\nGenerator: plugwright\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
        "entry_points.txt": f"[plugwright.{reported.base.kind.title()}Connector]\n{entry}\n",
        "licenses/LICENSE": "Apache License, Version 2.0; its text comes with plugwright.\n",
    }
