"""Configuration values from properties files, directories and environment variables."""

from __future__ import annotations

import logging
import os
import re
from typing import TYPE_CHECKING, Final

from plugwright.config._allowed_paths import AllowedPaths, configured_paths, required
from plugwright.config._problems import invalid_value
from plugwright.config._properties import parse_properties
from plugwright.config._provider import ConfigData, ConfigProvider
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

_LOG = logging.getLogger("plugwright.config")


class _AllowedFilesProvider(ConfigProvider):
    """Reads files, if they are under ``allowed.paths``."""

    def __init__(self) -> None:
        self._allowed: AllowedPaths | None = None

    def configure(self, props: Mapping[str, object]) -> None:
        """Read ``allowed.paths``.

        Raises:
            ConfigError: if one of them is not absolute or does not exist.
        """
        self._allowed = configured_paths(props)


class DirectoryConfigProvider(_AllowedFilesProvider):
    """Reads ``${dir:/path/to/directory:file}``: the unchanged content of a file in UTF-8.

    Meant for secrets that Kubernetes mounts. It reads only regular files directly in the directory.
    Setting ``allowed.paths`` (KIP-993): files outside these paths are skipped, with a warning.
    """

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


ALLOWLIST_PATTERN: Final = "allowlist.pattern"

_EVERYTHING: Final = re.compile(".*")


class EnvVarConfigProvider(ConfigProvider):
    """Reads ``${env:NAME}`` (KIP-887).

    Setting ``allowlist.pattern``: only variables whose name contains a match of this regular
    expression; write ``^`` and ``$`` to match whole names.

    Args:
        environment: the variables, by default those of this process.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._pattern = _EVERYTHING

    def configure(self, props: Mapping[str, object]) -> None:
        """Read ``allowlist.pattern``.

        Raises:
            ConfigError: if it is not a regular expression.
        """
        if ALLOWLIST_PATTERN not in props:
            _LOG.info(
                "No pattern for environment variables provided. Using default pattern '(.*)'."
            )
            return
        pattern = str(props[ALLOWLIST_PATTERN])
        try:
            self._pattern = re.compile(pattern)
        except re.error as error:
            message = f"Not a regular expression: {error}"
            raise invalid_value(ALLOWLIST_PATTERN, pattern, message) from error

    def get(self, path: str | None, keys: Collection[str] | None = None) -> ConfigData:
        """The allowed variables; all of them, or those of ``keys`` that exist.

        Raises:
            ConfigError: if a path is given.
        """
        if path:
            raise ConfigError(
                f"Path is not supported for EnvVarConfigProvider, invalid value '{path}'",
                code="config.provider-path",
                hint="write ${provider:NAME}, without a path",
                facts={"path": path},
            )
        wanted = self._environment if keys is None else keys
        return ConfigData(
            {
                name: self._environment[name]
                for name in wanted
                if name in self._environment and self._pattern.search(name)
            }
        )


class FileConfigProvider(_AllowedFilesProvider):
    """Reads ``${file:/path/to/some.properties:key}``: the path names a properties file in UTF-8.

    Setting ``allowed.paths`` (KIP-993): files outside these paths are read as empty, with a
    warning.
    """

    def get(self, path: str | None, keys: Collection[str] | None = None) -> ConfigData:
        """The settings in the file ``path``; empty without a path.

        Raises:
            ConfigError: if the file cannot be read.
            IllegalWorkerStateError: if the provider has not been configured.
        """
        allowed = required(self._allowed)
        if not path:
            return ConfigData()
        file = allowed.if_allowed(path)
        if file is None:
            _LOG.warning("The path %s is not allowed to be accessed", path)
            return ConfigData()
        settings = parse_properties(self.read(str(file)))
        wanted = (
            settings if keys is None else {key: settings[key] for key in keys if key in settings}
        )
        return ConfigData(wanted)

    def read(self, path: str) -> str:
        """The text of the file; override to read from elsewhere.

        Raises:
            ConfigError: if there is no such file, or it is not UTF-8.
        """
        try:
            with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123  # keeps line ends
                return file.read()
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"Could not read properties from file {path}",
                code="config.provider-unreadable",
                hint="name a properties file in UTF-8 that the worker may read",
                facts={"path": path, "reason": type(error).__name__},
            ) from None  # a decoding error contains the file's content
