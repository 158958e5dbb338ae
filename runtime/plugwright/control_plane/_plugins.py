"""Plugins and their settings, as a client of the control plane sees them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

from plugwright.control_plane._connectors import OMIT_EMPTY


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """One plugin that the worker can run.

    Attributes:
        type: as the REST API and plugin lists call the kind.
        version: ``None`` where it has none.
    """

    class_name: str = field(metadata={"json": "class"})
    type: str
    version: str | None = field(default=None, metadata=OMIT_EMPTY)


class ConfigKeyInfo(TypedDict):
    """The definition of one setting, as `plugwright.config.key_info` makes it."""

    name: str
    type: str
    required: bool
    default_value: str | None
    importance: str
    documentation: str
    group: str | None
    width: str
    display_name: str
    dependents: list[str]
    order: int


class ConfigValueInfo(TypedDict):
    """The outcome of validation for one setting; secrets are hidden."""

    name: str
    value: str | None
    recommended_values: list[str]
    errors: list[str]
    visible: bool


class ConfigInfo(TypedDict):
    """Definition and outcome of one setting; either may be missing."""

    definition: ConfigKeyInfo | None
    value: ConfigValueInfo | None


class ConfigInfos(TypedDict):
    """The result of a validation, as `plugwright.config.config_infos` makes it."""

    name: str
    error_count: int
    groups: list[str]
    configs: list[ConfigInfo]
