"""The endpoint kits by name, and how a table ``[plugin.endpoint]`` becomes a driver."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.errors import DiscoveryError
from plugwright_conformance.subject.declared_keys import DeclaredKey, meant_word, unknown_keys
from plugwright_conformance.subject.kits import _options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = ["KITS", "Kit", "kit_driver", "kit_problems"]


@dataclass(frozen=True, slots=True)
class Kit:
    """A ready endpoint driver.

    Attributes:
        name: in ``conformance.toml``.
        meaning: what the endpoint is.
        driver: its module and class.
        placeholders: what ``settings`` may refer to, with their meanings.
        keys: its options, without those that all kits have.
        required: the options that must be given.
        libraries: top-level modules that it imports.
    """

    name: str
    meaning: str
    driver: str
    placeholders: Mapping[str, str]
    keys: Sequence[DeclaredKey]
    required: Sequence[str] = ()
    libraries: Sequence[str] = ()


_ALL = (
    Kit(
        "file",
        "A text file with one value per line.",
        "_files:FileKit",
        {"file": "the path of the file", "directory": "the directory of the file"},
        _options.FILE_KEYS,
    ),
    Kit(
        "directory",
        "A directory of files.",
        "_files:DirectoryKit",
        {"directory": "the path of the directory"},
        _options.DIRECTORY_KEYS,
    ),
    Kit(
        "table",
        "A table of a database that SQLAlchemy can access; without a `url`, of SQLite.",
        "_database:TableKit",
        {
            "url": "the URL of the database in SQLAlchemy's form",
            "table": "the name of the table",
            "file": "the file of SQLite",
        },
        _options.TABLE_KEYS,
        libraries=("sqlalchemy",),
    ),
    Kit(
        "http",
        "An HTTP service on this machine. `GET` returns a JSON list, `POST` adds one item or a "
        "list of items.",
        "_service:HttpKit",
        {
            "url": "the URL of the items",
            "root": "the URL of the service",
            "token": "the token that requests must have",
        },
        _options.HTTP_KEYS,
    ),
    Kit(
        "objects",
        "An object store that fsspec can access, such as S3, GCS or Azure.",
        "_objects:ObjectsKit",
        {
            "url": "the URL of the run's prefix",
            "root": "the declared URL",
            "prefix": "the run's prefix without the protocol",
        },
        _options.OBJECTS_KEYS,
        required=("url",),
        libraries=("fsspec",),
    ),
    Kit(
        "queue",
        "A Redis list in memory, served on this machine.",
        "_queue:QueueKit",
        {"url": "the URL in the form of Redis clients", "key": "the key of the list"},
        _options.QUEUE_KEYS,
        libraries=("fakeredis", "redis"),
    ),
)

KITS: Mapping[str, Kit] = MappingProxyType({kit.name: kit for kit in _ALL})
"""Every kit by its name."""


def kit_problems(options: Mapping[str, Any]) -> list[str]:
    """All problems of a table ``[plugin.endpoint]``.

    Args:
        options: the table.
    """
    name = options.get("kit")
    if not isinstance(name, str) or name not in KITS:
        meant = meant_word(str(name), KITS)
        found = f"{name!r}: {meant}" if meant else f"{name!r}"
        return [f"kit must be one of {', '.join(KITS)}, found {found}"]
    kit = KITS[name]
    known = {key.name: key for key in (*_options.COMMON_KEYS, *kit.keys)}
    wrong = {key: known[key].problem("", options[key]) for key in options if key in known}
    missing = [key for key in ("settings", *kit.required) if key not in options]
    return [
        *unknown_keys(options, list(known), f"the kit {name}"),
        *(f"{key} {problem}" for key, problem in wrong.items() if problem),
        *(f"the kit {name} needs the option {key}" for key in missing),
        *([] if missing or wrong["settings"] else _unused(kit, options["settings"])),
    ]


def kit_driver(options: Mapping[str, Any]) -> Callable[[Path], Any]:
    """Load the driver of a table ``[plugin.endpoint]`` without problems.

    Raises:
        DiscoveryError: if a library of the kit is not installed.
    """
    kit = KITS[options["kit"]]
    missing = [each for each in kit.libraries if importlib.util.find_spec(each) is None]
    if missing:
        raise DiscoveryError(
            f"the endpoint kit {kit.name} cannot be loaded: {', '.join(missing)} not found",
            code="declaration.endpoint-not-loadable",
            hint="install plugwright[kits]",
        )
    module, _, qualname = kit.driver.partition(":")
    kind = getattr(importlib.import_module(f"{__package__}.{module}"), qualname)
    return partial(kind, options)


def _unused(kit: Kit, settings: Mapping[str, str]) -> list[str]:
    """The problem of settings that do not refer to the endpoint."""
    used = [each for each in kit.placeholders if any(f"{{{each}}}" in s for s in settings.values())]
    shown = ", ".join(f"{{{each}}}" for each in kit.placeholders)
    return [] if used else [f"settings must contain one of {shown}, found {dict(settings)!r}"]
