"""Configuration values from environment variables."""

from __future__ import annotations

import logging
import os
import re
from typing import TYPE_CHECKING, Final

from plugwright.config._problems import invalid_value
from plugwright.config._provider import ConfigData, ConfigProvider
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

ALLOWLIST_PATTERN: Final = "allowlist.pattern"

_LOG = logging.getLogger("plugwright.config")
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
