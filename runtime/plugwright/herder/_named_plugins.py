"""Resolves the settings of a connector that name plugins, and lists their valid values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.herder._plugin_versions import (
    CONVERTER_KEYS,
    aliases_in,
)
from plugwright.plugins import (
    CONVERTER,
    HEADER_CONVERTER,
    JAVA_NAMES,
    PLUGIN_TYPES,
    PREDICATE,
    SINK,
    SOURCE,
    TRANSFORMATION,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.plugins import PluginDescriptor, Plugins, PluginType

_KINDS = {"transforms": TRANSFORMATION, "predicates": PREDICATE}


@dataclass(frozen=True, slots=True)
class NamedPlugin:
    """The resolution of one setting that names a plugin.

    Attributes:
        found: the plugin it resolves to, in any version; ``None`` if there is none.
        choice: the names of all plugins that it may name.
        versions: the installed versions of the plugin.
        default: the plugin that applies if the setting is absent.
        known: whether a class has the name, even of another type or abstract.
        other_type: full name of a plugin of another type that has the name.
        default_version: version of the default, unless another plugin is named.
    """

    found: PluginDescriptor | None
    choice: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    default: str | None = None
    known: bool = False
    other_type: str = ""
    default_version: str | None = None

    @property
    def version(self) -> str | None:
        """The version that is used if none is requested."""
        return self.default_version if self.found is None else self.found.version

    def shown(self, written: str) -> str | None:
        """The full name, as written if written in full, even as a Java name."""
        if self.found is None:
            full = written if "." in written else self.other_type or written
            return full if self.known else None
        return written if "." in written else self.default if not written else self.found.class_name


def named_plugins(
    settings: Mapping[str, str], worker: WorkerConfig, plugins: Plugins, *, connects: bool = True
) -> dict[str, NamedPlugin]:
    """Resolve the settings of a configuration that name plugins, by key.

    Args:
        settings: the configuration, resolved.
        worker: provides the default converters.
        plugins: the installed plugins.
        connects: whether the connector is installed in the requested version; otherwise the other
            settings are not resolved.
    """
    named = settings.get("connector.class") or ""
    found = {"connector.class": _named(named, plugins, SOURCE, SINK)}
    if not connects:
        return found | dict.fromkeys(CONVERTER_KEYS, NamedPlugin(None))
    for key in CONVERTER_KEYS:
        kind = HEADER_CONVERTER if key.startswith("header") else CONVERTER
        default = getattr(worker, key.replace(".", "_"))
        if settings.get(key, default) is None:
            found[key] = replace(
                _named(default, plugins, kind, default=default),
                found=None,
                known=False,
                versions=(),
            )
            continue
        found[key] = _named(settings.get(key, default), plugins, kind, default=default)
    for key, kind in _KINDS.items():
        for alias in aliases_in(settings, key):
            name = f"{key}.{alias}.type"
            found[name] = _named(settings.get(name) or "", plugins, kind)
    return found


def _named(name: str, plugins: Plugins, *kinds: PluginType, default: str = "") -> NamedPlugin:
    there = _there(plugins, *kinds)
    plugin = _found(name, plugins, *kinds)
    versions: tuple[str, ...] = ()
    if plugin is not None:
        versions = tuple(
            dict.fromkeys(p.version for p in there if p.class_name == plugin.class_name)
        )
    any_kind = _found(name, plugins, *PLUGIN_TYPES)
    known = any_kind is not None or f"{name}$Value" in JAVA_NAMES
    other_type = "" if any_kind is None else any_kind.class_name
    full = _full_name(default, plugins, *kinds)
    version = None if plugin is None or not default else plugin.version
    return NamedPlugin(
        plugin, _choice(plugins, *kinds), versions, full, known, other_type, default_version=version
    )


def _there(plugins: Plugins, *kinds: PluginType) -> list[PluginDescriptor]:
    return [p for p in (*plugins.descriptors, *plugins.builtin) if p.type in kinds]


def _choice(plugins: Plugins, *kinds: PluginType) -> tuple[str, ...]:
    """The names of all plugins of the given types, in Java's order."""
    by_name = sorted(_there(plugins, *kinds), key=lambda each: each.java_name or each.class_name)
    return tuple(dict.fromkeys(each.class_name for each in by_name))


def _full_name(name: str, plugins: Plugins, *kinds: PluginType) -> str | None:
    """The full name of a default; unchanged if the worker's settings give it in full."""
    found = _found(name, plugins, *kinds)
    return None if found is None else name if "." in name else found.class_name


def _found(name: str, plugins: Plugins, *kinds: PluginType) -> PluginDescriptor | None:
    try:
        return plugins.find(name, *kinds) if name else None
    except ConnectError:
        return None
