"""Selects the plugin copies that a connector configuration refers to, by version (KIP-891)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConfigError, NotFoundError
from plugwright.herder._plugin_versions import (
    CHAIN_KINDS,
    NO_SUCH_VERSION,
    PLUGIN_VERSION,
    aliases_in,
)
from plugwright.plugins import (
    PREDICATE,
    SINK,
    SOURCE,
    TRANSFORMATION,
    VersionRequirement,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugwright.config import ConfigValue
    from plugwright.plugins import Location, PluginDescriptor, Plugins, PluginType

_KINDS = {"transforms": TRANSFORMATION, "predicates": PREDICATE}


class PluginChoices:
    """The plugins that a configuration names, each in the requested version.

    Without a version, the copy in the connector's own location comes first (apache/kafka#7236).
    A version that is not installed is reported as a problem of its key, not raised.

    Args:
        settings: the configuration, resolved.
        plugins: the installed plugins.
    """

    def __init__(self, settings: Mapping[str, str], plugins: Plugins) -> None:
        self._settings = settings
        self._plugins = plugins
        self._location: Location | None = None
        self._pinned: dict[str, PluginDescriptor] = {}
        self._problems: dict[str, str] = {}
        self._absent: list[str] = []

    def connector(self) -> PluginDescriptor | None:
        """The connector; ``None`` if its requested version is not installed.

        Raises:
            ConfigError: if the requested version cannot be parsed.
            NotFoundError: if no plugin has that class name or alias.
        """
        name = self._settings["connector.class"]
        found = self._find(name, "connector", SOURCE, SINK)
        self._location = found.location if found else None
        return found

    def converter(self, key: str, kind: PluginType) -> PluginDescriptor | None:
        """The converter that a key of the configuration names; ``None`` if it is not installed."""
        name = self._settings[key]
        try:
            return self._find(name, key, kind)
        except NotFoundError as error:
            near = error.facts.get("near")
            names = ", ".join(map(str, near)) if isinstance(near, list | tuple) else ""
            advice = f" Did you mean {names}?" if names else ""
            self._problems[key] = (
                f"Invalid value {name} for configuration {key}: Class {name} could not be found."
                f"{advice}"
            )
            return None

    def step(self, prefix: str, kind: PluginType) -> PluginDescriptor | None:
        """The transformation or predicate of an alias; ``None`` if it is not installed.

        Args:
            prefix: of its settings, such as ``transforms.mask``.
            kind: transformation or predicate.
        """
        try:
            return self._find(self._settings.get(f"{prefix}.type", ""), prefix, kind)
        except NotFoundError:
            return None

    @property
    def pinned(self) -> Mapping[str, PluginDescriptor]:
        """The plugins behind the names that `chain` substitutes for types."""
        return dict(self._pinned)

    def chain(self) -> dict[str, str]:
        """The configuration, with types that request a version replaced by names in `pinned`.

        Two transformations of one class in different versions get different names.
        """
        result = dict(self._settings)
        for key in CHAIN_KINDS:
            for alias in aliases_in(self._settings, key):
                self._pin(f"{key}.{alias}", _KINDS[key], result)
        return result

    def hides(self, name: str) -> bool:
        """Whether a setting belongs to a transformation whose version is not installed."""
        return any(
            name.startswith(prefix) and name.removeprefix(prefix) not in {"type", PLUGIN_VERSION}
            for prefix in self._absent
        )

    def judged(self, values: Iterable[ConfigValue]) -> list[ConfigValue]:
        """Add the version problems found so far to the values of settings.

        The type of a transformation or predicate has one problem at most, the first.
        """
        return [
            value.with_error(self._problems[value.name])
            if value.name in self._problems
            and not (value.error_messages and value.name.endswith(".type"))
            else value
            for value in values
        ]

    def _pin(self, prefix: str, kind: PluginType, settings: dict[str, str]) -> None:
        name = settings.get(f"{prefix}.type")
        if not name:
            return
        try:
            found = self._find(name, prefix, kind)
        except NotFoundError:  # reported as a problem of the type
            found = None
        if found is None:
            self._absent.append(f"{prefix}.")
        elif self._settings.get(f"{prefix}.{PLUGIN_VERSION}") is not None:
            pinned = f"{found.class_name} {found.version}"
            self._pinned[pinned] = found
            settings[f"{prefix}.type"] = pinned

    def _find(self, name: str, prefix: str, *kinds: PluginType) -> PluginDescriptor | None:
        key = f"{prefix}.{PLUGIN_VERSION}"
        try:
            wanted = VersionRequirement.parse(self._settings.get(key))
        except ConfigError as error:  # reported as a problem of its key as well
            if prefix == "connector" and str(self._settings[key]).strip()[:1] in {"[", "("}:
                raise  # an unparsable range, which Kafka Connect rejects at once
            self._problems[_class_key(prefix)] = str(error)
            return None
        try:
            return self._plugins.find(name, *kinds, version=wanted, prefer=self._location)
        except NotFoundError as error:
            if error.code != NO_SUCH_VERSION:
                raise
            self._problems[key] = self._problems[_class_key(prefix)] = str(error)
            return None


def _class_key(prefix: str) -> str:
    """The key that names the plugin; it has a problem if no version matches."""
    if prefix == "connector":
        return "connector.class"
    return f"{prefix}.type" if prefix.partition(".")[0] in CHAIN_KINDS else prefix
