"""The options for plugin locations, like those of Kafka's ``connect-plugin-path``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import ConfigError, DiscoveryError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright.plugins import Diagnostic, Location

NO_PROVIDER = "Must specify at least one --plugin-location, --plugin-path, or --worker-config"
_FOLLOW = "plugin.path.follow.symlinks"
_HERE = "write . for the current directory"


@dataclass(frozen=True, slots=True)
class Providers:
    """The values of the three options.

    Attributes:
        elements: of plugin paths, those of the command line first, then of worker configurations.
        single: paths that are one location each.
        worker: the settings of the worker configurations, of equal ones the last.
    """

    elements: Sequence[str]
    single: Sequence[Path]
    worker: Mapping[str, str]

    def locations(self, *, fail_fast: bool = True) -> tuple[list[Location], list[Diagnostic]]:
        """The plugin locations, each once, and what is wrong with them.

        Args:
            fail_fast: whether a missing element is an error or a diagnostic.

        Raises:
            DiscoveryError: if a location does not exist.
        """
        from plugwright.plugins import find_locations  # noqa: PLC0415  # after --help

        found, findings = find_locations(
            self.elements,
            fail_fast=fail_fast,
            follow_symlinks="inside" if self.worker.get(_FOLLOW) == "inside" else "any",
        )
        for path in self.single:
            one, problems = _only(path)
            found += [one] if one not in found else []
            findings += problems
        return found, findings


def plugin_names(arguments: argparse.Namespace) -> Iterable[str]:
    """Names of built-in plugins and of those on ``--plugin-path``, for shell completion."""
    from plugwright.plugins import Plugins  # noqa: PLC0415  # after --help

    elements = [e for paths in arguments.plugin_path for e in paths.split(",") if Path(e).exists()]
    found = Plugins.service_load(elements)
    every = (*found.descriptors, *found.builtin)
    return sorted({name for each in every for name in (each.class_name, *each.aliases)})


def add_providers(parser: argparse.ArgumentParser) -> None:
    """Add ``--plugin-path``, ``--plugin-location`` and ``--worker-config``; all may be repeated."""
    group = parser.add_argument_group("plugin providers")
    group.add_argument(
        "--plugin-path",
        metavar="PATHS",
        action="append",
        default=[],
        help="elements of plugin.path between commas: archives, and directories of locations",
    )
    group.add_argument(
        "--plugin-location",
        metavar="PATH",
        action="append",
        default=[],
        help="one plugin location: a directory, an archive or a module",
    )
    group.add_argument(
        "--worker-config",
        metavar="FILE",
        action="append",
        default=[],
        help="a worker's properties file, of which plugin.path counts",
    )
    parser.set_defaults(refuse=parser.error)


def read_providers(arguments: argparse.Namespace, *, required: bool = True) -> Providers:
    """What the options name; wrong usage, such as no option at all, ends the process.

    Raises:
        ConfigError: if a worker configuration cannot be read.
        SystemExit: with status 1, after the usage, if the options are wrong.
    """
    given = (arguments.plugin_path, arguments.plugin_location, arguments.worker_config)
    if required and not any(given):
        arguments.refuse(NO_PROVIDER)
    elements = [e for paths in arguments.plugin_path for e in paths.split(",")]
    if not all(map(str.strip, (*elements, *arguments.plugin_location))):
        arguments.refuse(f"an element of the plugin path is empty; {_HERE}")
    worker: dict[str, str] = {}
    for file in arguments.worker_config:
        settings = _read_worker(Path(file))
        elements += _plugin_path(file, settings)
        worker |= settings
    singles = [Path(path) for path in arguments.plugin_location]
    return Providers([element.strip() for element in elements], singles, worker)


def _read_worker(file: Path) -> Mapping[str, str]:
    from plugwright.config import parse_properties  # noqa: PLC0415  # after --help

    try:
        return parse_properties(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(
            f"Unable to read worker config at {file}: {reason}",
            code="config.unreadable",
            hint="name the properties file that the worker is started with",
            facts={"file": str(file), "reason": reason},
        ) from error


def _plugin_path(file: str, settings: Mapping[str, str]) -> list[str]:
    """The elements of a worker's ``plugin.path``, which may be absent or empty."""
    value = settings.get("plugin.path", "").strip()
    elements = value.split(",") if value else []
    if not all(map(str.strip, elements)):
        raise ConfigError(
            f"plugin.path in {file} has an empty element: {value!r}",
            hint=_HERE,
            facts={"file": file, "name": "plugin.path", "value": value},
        )
    return elements


def _only(path: Path) -> tuple[Location, list[Diagnostic]]:
    """A path as one location, even if it could be a directory of locations."""
    from plugwright.plugins import location_at  # noqa: PLC0415  # after --help

    if not path.exists():
        raise DiscoveryError(
            f"Specified location {path} does not exist",
            code="discovery.no-such-location",
            hint="name a directory that holds a plugin, or an archive",
            facts={"location": str(path)},
        )
    return location_at(path)
