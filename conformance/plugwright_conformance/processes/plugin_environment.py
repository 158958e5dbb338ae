"""Creates an environment with a plugin, the API, and the plugin's requirements."""

from __future__ import annotations

import importlib.metadata
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from plugwright_conformance.evidence.outcome import NotRunError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plugwright_conformance.subject.subject import Subject

__all__ = ["furnish", "place_of"]

_API = "plugwright"


def place_of(package: str) -> str:
    """The directory that a package is imported from."""
    spec = find_spec(package)
    assert spec is not None  # noqa: S101  # it is one of ours
    assert spec.origin is not None  # noqa: S101  # and no namespace
    return str(Path(spec.origin).parents[1])


def furnish(subject: Subject, directory: Path) -> None:
    """Put the plugin's files and links to everything that it may import into a directory.

    Raises:
        NotRunError: if a required distribution is not installed here.
    """
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(subject.root, directory, ignore=skip, dirs_exist_ok=True)
    wanted = [
        requirement
        for distribution in importlib.metadata.distributions(path=[str(subject.root)])
        for requirement in distribution.requires or ()
    ]
    for name in _closure([_API, *wanted]):
        for entry in _contents(name):
            link = directory / entry.name
            if not link.exists():
                link.symlink_to(entry)


def _closure(texts: Iterable[str]) -> Iterator[str]:
    """Every distribution that an installation without extras would bring."""
    seen: set[str] = set()
    open_ends = list(texts)
    while open_ends:
        requirement = Requirement(open_ends.pop())
        name = str(canonicalize_name(requirement.name))
        extras = ["", *requirement.extras]
        if requirement.marker and not any(
            requirement.marker.evaluate({"extra": e}) for e in extras
        ):
            continue
        if name not in seen:
            seen.add(name)
            yield name
            open_ends += [r for r in _distribution(name).requires or () if "extra ==" not in r]


def _distribution(name: str) -> importlib.metadata.Distribution:
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError as error:
        raise NotRunError(f"{name}, which the plugin requires, is not installed here") from error


def _contents(name: str) -> Iterator[Path]:
    """The top-level files of a distribution: packages, modules and metadata."""
    if name == _API:
        yield Path(place_of(_API)) / _API
        return
    distribution = _distribution(name)
    tops = {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}
    yield from (Path(str(distribution.locate_file(top))) for top in sorted(tops))
