"""Validates the return values of a connector's methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef
from plugwright.errors import PluginError

if TYPE_CHECKING:
    from plugwright.plugins import PluginDescriptor


def definition_from(plugin: PluginDescriptor, found: object) -> ConfigDef:
    """Check the return value of ``config``.

    Raises:
        PluginError: ``plugin.wrong-answer`` if it is not a definition.
    """
    if isinstance(found, ConfigDef):
        return found
    raise _wrong(plugin, "config", found, "a ConfigDef", "return the ConfigDef of its settings")


def task_class_from(plugin: PluginDescriptor, found: object) -> type[Any]:
    """Check the return value of ``task_class``.

    Raises:
        PluginError: ``plugin.wrong-answer`` if it is not a class.
    """
    if isinstance(found, type):
        return found
    hint = "return the class itself; the worker creates the tasks"
    raise _wrong(plugin, "task_class", found, "a class", hint)


def task_configs_from(plugin: PluginDescriptor, found: object) -> list[dict[str, str]]:
    """Check the return value of ``task_configs``.

    Raises:
        PluginError: ``plugin.wrong-answer`` if it is not a list of maps.
    """
    hint = "return a list with one map of settings for each task"
    if isinstance(found, Mapping | str | bytes) or not isinstance(found, Iterable):
        raise _wrong(plugin, "task_configs", found, "a list", hint)
    configs = list(found)
    for config in configs:
        if not isinstance(config, Mapping):
            raise _wrong(plugin, "task_configs", config, "a map", hint, "a list with ")
    return [dict(config) for config in configs]


def _wrong(  # noqa: PLR0913, PLR0917  # the parts of one sentence
    plugin: PluginDescriptor, method: str, found: object, expected: str, hint: str, within: str = ""
) -> PluginError:
    kind = "None" if found is None else f"a {type(found).__name__}"
    return PluginError(
        f"{plugin.class_name} {plugin.version} failed in {method}: it returned {within}{kind} "
        f"instead of {expected}",
        code="plugin.wrong-answer",
        hint=hint,
        facts={
            "plugin": plugin.class_name,
            "version": plugin.version,
            "phase": method,
            "found": type(found).__name__,
        },
    )
