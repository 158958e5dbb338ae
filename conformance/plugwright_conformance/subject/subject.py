"""The subject of a run: one connector class in a location or wheel, with its declaration."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError, NotFoundError
from plugwright.plugins import SINK, SOURCE, Plugins
from plugwright_conformance.subject.declaration import FILE_NAME, Declaration, read_declarations
from plugwright_conformance.subject.engines import labelled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright.plugins import PluginDescriptor

__all__ = ["Subject", "artifact_digest", "open_subjects", "unpacked"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One connector under test.

    Attributes:
        given: the location or wheel as it was named.
        root: directory that the plugin is imported from.
        digest: SHA-256 of the wheel, or over the files of the location, see `artifact_digest`.
    """

    descriptor: PluginDescriptor
    declaration: Declaration
    plugins: Plugins
    given: Path
    root: Path
    digest: str

    @property
    def kind(self) -> str:
        """``source`` or ``sink``."""
        return self.descriptor.type.name

    @property
    def name(self) -> str:
        """The class, with its configuration if it has several: ``orders_sink.OrdersSink[avro]``."""
        return labelled(self.descriptor.class_name, self.declaration.configuration)

    @property
    def short_name(self) -> str:
        """The same without the module."""
        return labelled(self.descriptor.qualname, self.declaration.configuration)


def open_subjects(given: Path, workspace: Path, plugin: str | None = None) -> Sequence[Subject]:
    """The connectors of a location or wheel, or the one that ``plugin`` names.

    Args:
        given: a plugin location or a wheel.
        workspace: where a wheel may be unpacked.
        plugin: class name or alias of one connector, with a configuration in brackets if only that
            is meant.

    Raises:
        DiscoveryError: if there is no such location, it is no wheel, it holds no connector, or a
            connector's declaration is missing or wrong.
        NotFoundError: if ``plugin`` names none of its connectors, or no configuration of one.
    """
    root = unpacked(given, workspace)
    plugins = Plugins.service_load([root])
    connectors = [p for p in plugins.descriptors if p.type in {SOURCE, SINK}]
    wanted, _, configuration = (plugin or "").removesuffix("]").partition("[")
    if plugin is not None:
        connectors = [plugins.find(wanted, SOURCE, SINK)]
    if not connectors:
        findings = "; ".join(str(d) for d in plugins.diagnostics) or "no manifest names one"
        raise DiscoveryError(
            f"{given} holds no source or sink plugin: {findings}",
            code="discovery.no-plugin",
            hint="declare the connector class as an entry point in the group "
            "plugwright.SourceConnector or plugwright.SinkConnector",
            facts={"location": str(given)},
        )
    digest = artifact_digest(given)
    subjects = [
        Subject(connector, declaration, plugins, given, root, digest)
        for connector in connectors
        for declaration in read_declarations(connector)
        if configuration in {"", declaration.configuration}
    ]
    if not subjects:
        raise NotFoundError(
            f"{FILE_NAME} has no configuration {configuration!r} of {wanted}",
            code="declaration.no-such-configuration",
            hint=f"name one of its [[plugin]] tables, or only {wanted}",
            facts={"plugin": wanted, "configuration": configuration},
        )
    return subjects


def artifact_digest(given: Path) -> str:
    """SHA-256 of a wheel's bytes, or Go's Hash1 over the files of a directory, in hexadecimal.

    Hash1 is the digest that in-toto calls ``dirHash``: SHA-256 over the sorted lines that
    ``sha256sum`` prints. What Python caches is no part of it.
    """
    if given.is_file():
        return hashlib.sha256(given.read_bytes()).hexdigest()
    files = {
        path.relative_to(given).as_posix(): path
        for path in given.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    lines = [
        f"{hashlib.sha256(files[name].read_bytes()).hexdigest()}  {name}\n"
        for name in sorted(files)
    ]
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def unpacked(given: Path, workspace: Path) -> Path:
    """The directory of a location, or the one that a wheel is unpacked into.

    Raises:
        DiscoveryError: if it is no wheel.
    """
    return _unpack(given, workspace) if given.is_file() else given


def _unpack(wheel: Path, workspace: Path) -> Path:
    target = workspace / wheel.stem
    try:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)
    except (zipfile.BadZipFile, OSError) as error:
        raise DiscoveryError(
            f"{wheel} is not a wheel: {error}",
            code="discovery.not-a-wheel",
            hint="name a directory or an installable .whl file",
            facts={"location": str(wheel)},
        ) from error
    return target
