"""The setting for expired config provider values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import ConfigDef, ConfigType, Importance, ValidString

if TYPE_CHECKING:
    from collections.abc import Mapping

_ACTION = "config.action.reload"
_RESTART = "restart"

RELOAD_CONFIG = ConfigDef().define(
    _ACTION,
    ConfigType.STRING,
    default=_RESTART,
    validator=ValidString.in_("none", _RESTART),
    importance=Importance.LOW,
    documentation="Action when a value that a config provider supplied expires: restart "
    "the connector, or none.",
)
"""Definition of the setting ``config.action.reload``."""


def restarts_on_reload(config: Mapping[str, str]) -> bool:
    """Whether a connector is restarted when a config provider's value expires."""
    return config.get(_ACTION, _RESTART).strip() == _RESTART
