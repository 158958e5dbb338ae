"""The wheel of the plugwright that runs, made again from its installed files.

An environment that has plugwright need not have what built it: no index, no checkout with a build
backend, no archive in a cache. Its modules and its metadata are all that a wheel is.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import zipfile
from dataclasses import dataclass
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_toolkit.record import edit_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.metadata import Distribution

__all__ = ["DISTRIBUTION", "OwnWheel", "write_own_wheel"]

DISTRIBUTION = "plugwright"
_PACKAGES = (
    "plugwright",
    "plugwright_toolkit",
    "plugwright_templates",
    "plugwright_conformance",
)
_METADATA = {"METADATA", "WHEEL", "entry_points.txt"}
_LICENSES = "licenses"
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_REGULAR = 0o100644 << 16


@dataclass(frozen=True, slots=True)
class OwnWheel:
    """The wheel of the plugwright that runs.

    Attributes:
        origin: the directory that its package `plugwright` is imported from.
        digest: SHA-256 of its RECORD, which two wheels share if they hold the same.
    """

    path: Path
    version: str
    origin: Path
    digest: str


def write_own_wheel(directory: Path) -> OwnWheel:
    """Put the wheel of the plugwright that runs into a directory, which is made if need be.

    Also the code of an editable installation is that which runs, with the metadata that it was
    installed with. A concurrent reader sees a whole file; one that is right is left as it is.

    Raises:
        OSError: if the directory cannot be written.
        PackageNotFoundError: if plugwright runs without having been installed.
    """
    installed = distribution(DISTRIBUTION)
    code = {name: _directory_of(name) for name in _PACKAGES}
    prefix = f"{DISTRIBUTION}-{installed.version}"
    members = dict(_code(code)) | dict(_metadata(installed, f"{prefix}.dist-info"))
    own = f"{prefix}.dist-info/RECORD"
    record = edit_record(f"{own},,\n".encode(), members)
    content = _archive({**members, own: record})
    path = directory / f"{prefix}-py3-none-any.whl"
    _place(content, path)
    origin = code[DISTRIBUTION].parent
    return OwnWheel(path, installed.version, origin, hashlib.sha256(record).hexdigest())


def _directory_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    return Path(spec.submodule_search_locations[0])


def _code(packages: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    for name, directory in packages.items():
        for file in directory.rglob("*"):
            if file.suffix != ".pyc" and file.is_file():
                yield f"{name}/{file.relative_to(directory).as_posix()}", file.read_bytes()


def _metadata(installed: Distribution, target: str) -> Iterator[tuple[str, bytes]]:
    """What a builder wrote; all else in the directory is of the installation."""
    for file in installed.files or ():
        if not file.parts[0].endswith(".dist-info"):
            continue
        name = "/".join(file.parts[1:])
        if name in _METADATA or name.startswith(f"{_LICENSES}/"):
            yield f"{target}/{name}", file.read_binary()


def _archive(members: Mapping[str, bytes]) -> bytes:
    """The members, stored as they are: it is read from this disk, once or twice."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in sorted(members.items()):
            info = zipfile.ZipInfo(name, _EARLIEST)
            info.external_attr = _REGULAR
            archive.writestr(info, content)
    return buffer.getvalue()


def _place(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_bytes() == content:
        return
    descriptor, draft = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(draft).replace(path)
    finally:
        Path(draft).unlink(missing_ok=True)
