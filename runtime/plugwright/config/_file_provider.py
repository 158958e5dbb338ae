"""Configuration values from a properties file."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.config._allowed_paths import AllowedPaths, configured_paths, required
from plugwright.config._properties import parse_properties
from plugwright.config._provider import ConfigData, ConfigProvider
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_LOG = logging.getLogger("plugwright.config")


class FileConfigProvider(ConfigProvider):
    """Reads ``${file:/path/to/some.properties:key}``: the path names a properties file in UTF-8.

    Setting ``allowed.paths`` (KIP-993): files outside these paths are read as empty, with a
    warning.
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
