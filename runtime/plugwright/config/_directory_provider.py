"""Configuration values from a directory with one file for each key."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.config._allowed_paths import AllowedPaths, configured_paths, required
from plugwright.config._provider import ConfigData, ConfigProvider
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

_LOG = logging.getLogger("plugwright.config")


class DirectoryConfigProvider(ConfigProvider):
    """Reads ``${dir:/path/to/directory:file}``: the unchanged content of a file in UTF-8.

    Meant for secrets that Kubernetes mounts. It reads only regular files directly in the directory.
    Setting ``allowed.paths`` (KIP-993): files outside these paths are skipped, with a warning.
    """

    def __init__(self) -> None:
        self._allowed: AllowedPaths | None = None

    def configure(self, props: Mapping[str, object]) -> None:
        """Read ``allowed.paths``.

        Raises:
            ConfigError: if one of them is not absolute or does not exist.
        """
        self._allowed = configured_paths(props)

    def get(self, path: str | None, keys: Collection[str] | None = None) -> ConfigData:
        """The contents of the files in the directory ``path``; empty without a path.

        Raises:
            ConfigError: if the directory cannot be listed or a file cannot be read.
            IllegalWorkerStateError: if the provider has not been configured.
        """
        allowed = required(self._allowed)
        if not path:
            return ConfigData()
        directory = allowed.if_allowed(path)
        if directory is None:
            _LOG.warning("The path %s is not allowed to be accessed", path)
            return ConfigData()
        if not directory.is_dir():
            _LOG.warning("The path %s is not a directory", path)
            return ConfigData()
        return ConfigData({file.name: _read(file) for file in _files(directory, keys, allowed)})


def _files(directory: Path, keys: Collection[str] | None, allowed: AllowedPaths) -> Iterator[Path]:
    """The requested regular files, without links that lead out of the allowed paths."""
    for file in _listed(directory):
        if (keys is not None and file.name not in keys) or not file.is_file():
            continue
        if allowed.if_allowed(file) is None:
            _LOG.warning("The path %s is not allowed to be accessed", file)
            continue
        yield file


def _listed(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError as error:
        raise _unreadable(f"Could not list directory {directory}", directory) from error


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode()
    except (OSError, ValueError):  # a decoding error contains the file's content
        message = f"Could not read file {file} for property {file.name}"
        raise _unreadable(message, file) from None


def _unreadable(message: str, path: Path) -> ConfigError:
    return ConfigError(
        message,
        code="config.provider-unreadable",
        hint="name a directory of files in UTF-8 that the worker may read",
        facts={"path": str(path)},
    )
