"""Resolves the connector named in a test file to a location or wheel."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError
from plugwright_conformance.subject.declaration import FILE_NAME

if TYPE_CHECKING:
    from pathlib import Path

    from plugwright_conformance.subject.suite import ConformanceSuite

__all__ = ["built_wheel", "declared", "is_project", "locate"]

_BUILD = (
    "import importlib, sys; sys.path[:0] = sys.argv[3:]\n"
    "module, _, rest = sys.argv[1].partition(':')\n"
    "backend = importlib.import_module(module)\n"
    "for name in filter(None, rest.split('.')): backend = getattr(backend, name)\n"
    "print(); print(backend.build_wheel(sys.argv[2]))"
)


def locate(named: str, root: Path, workspace: Path) -> Path:
    """The location or wheel that is meant.

    Args:
        named: a path, or the name of an installed distribution.
        root: where relative paths begin.
        workspace: takes what has to be built or copied.

    Raises:
        DiscoveryError: if there is neither, the project cannot be built, or the distribution is
            installed in a way that leaves its files elsewhere.
    """
    path = root / named
    if is_project(path):
        return built_wheel(path, workspace / "built")
    return path if path.exists() else _copied(named, workspace / "installed")


def declared(given: Path, suite: ConformanceSuite, workspace: Path) -> Path:
    """The location with the declaration that a test file makes for it; itself if it makes none.

    Raises:
        DiscoveryError: if the package has a declaration already.
    """
    from plugwright_conformance.subject.subject import unpacked  # noqa: PLC0415  # for this only

    if not suite.endpoint:
        return given
    copy = workspace / "declared" / given.stem
    shutil.copytree(unpacked(given, workspace), copy, ignore=shutil.ignore_patterns("__pycache__"))
    from plugwright.plugins import SINK, SOURCE, Plugins  # noqa: PLC0415  # for this only

    for plugin in Plugins.service_load([copy]).descriptors:
        file = copy / plugin.module.partition(".")[0] / FILE_NAME
        if plugin.type not in {SOURCE, SINK}:
            continue
        if file.exists() and not file.read_text("utf-8").startswith(_MARK):
            raise _failure(
                f"{plugin.class_name} is declared twice: by {FILE_NAME} in its package, "
                "and by the test file",
                "declaration.twice",
                f"leave out endpoint, config and capabilities, or the {FILE_NAME}",
            )
        with file.open("a", encoding="utf-8") as text:
            text.write(_toml(plugin.class_name, suite, first=text.tell() == 0))
    return copy


_MARK = "# Written for one run of a test file.\n"


def _toml(name: str, suite: ConformanceSuite, *, first: bool) -> str:
    """One plugin's table; JSON's strings, lists and truth values are TOML's as well."""
    lines = [f"{_MARK}format = 1\n"] if first else []
    lines += [
        "[[plugin]]",
        f"class = {json.dumps(name)}",
        f"endpoint = {json.dumps(suite.endpoint)}",
    ]
    for table, content in (("config", suite.config), ("capabilities", suite.capabilities)):
        lines.append(f"[plugin.{table}]")
        lines += [f"{json.dumps(key)} = {_value(value)}" for key, value in content.items()]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_value(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    return json.dumps(value)


def is_project(path: Path) -> bool:
    """Whether a directory is a project that can be built, and not a plugin location."""
    return (path / "pyproject.toml").is_file() and not any(path.glob("*.dist-info"))


def built_wheel(project: Path, target: Path) -> Path:
    """A wheel of a project, made by its own build backend (PEP 517), which must be installed.

    Args:
        project: has a ``pyproject.toml``.
        target: the directory that the wheel is put into.

    Raises:
        DiscoveryError: ``conformance.build`` if that fails, with the backend's last line.
    """
    with (project / "pyproject.toml").open("rb") as file:
        system = tomllib.load(file).get("build-system", {})
    backend = system.get("build-backend", "setuptools.build_meta:__legacy__")
    target.mkdir(exist_ok=True)
    homes = [str(project.resolve() / path) for path in system.get("backend-path", [])]
    done = subprocess.run(  # noqa: S603  # the project's own backend in our own interpreter
        [sys.executable, "-c", _BUILD, backend, str(target.resolve()), *homes],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise _failure(
            f"no wheel of {project} could be built: {last}",
            "conformance.build",
            f"install {', '.join(system.get('requires', [backend]))} here, or name a wheel",
        )
    return target / done.stdout.splitlines()[-1]


def _copied(name: str, target: Path) -> Path:
    """A location with the files of an installed distribution and no others."""
    try:
        distribution = importlib.metadata.distribution(name)
    except (importlib.metadata.PackageNotFoundError, ValueError) as error:
        raise _failure(
            f"{name} is neither a directory, a wheel nor an installed distribution",
            "conformance.not-found",
            "name the directory of the project",
        ) from error
    files = [file for file in distribution.files or () if ".." not in file.parts]
    if not any(file.suffix == ".py" for file in files):
        raise _failure(
            f"{name} is installed in editable mode, so its code is elsewhere",
            "conformance.editable",
            "name the project directory, from which a wheel is built",
        )
    location = target / distribution.name
    for file in files:
        source = file.locate()
        if "__pycache__" not in file.parts and source.is_file():  # type: ignore[attr-defined]  # a path
            (location / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(source), location / file)
    return location


def _failure(message: str, code: str, hint: str) -> DiscoveryError:
    return DiscoveryError(message, code=code, hint=hint)
