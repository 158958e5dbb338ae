"""A parsed configuration: typed values, raw settings, and which of them were read."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar

from plugwright.config._instances import configured_instances
from plugwright.config._password import HIDDEN, Password
from plugwright.config._printing import printed, type_name
from plugwright.config._problems import invalid_value, problem
from plugwright.config._recording import RecordingDict
from plugwright.config._resolving import resolve_references
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.config._classes import ClassResolver
    from plugwright.config._definition import ConfigDef
    from plugwright.config._provider import ConfigProvider

T = TypeVar("T")

_LOG = logging.getLogger("plugwright.config")


class AbstractConfig:
    """Settings parsed by a definition; a plugin can subclass it to name its settings.

    References to config providers are resolved first. All values are logged at INFO, with passwords
    hidden and references unresolved.

    Args:
        definition: the definition of the settings.
        originals: raw settings by key.
        providers: resolves references instead of the providers that the settings declare; the
            caller closes them.
        provider_props: the settings with ``config.providers``, if not ``originals``.
        class_loader: loads provider classes by name or alias; by default the context's resolver.
        log_values: whether to log.

    Raises:
        ConfigError: if a key is not a string, a provider fails, or a value is not valid.
    """

    def __init__(  # noqa: PLR0913  # each of the last four replaces one default of Kafka
        self,
        definition: ConfigDef,
        originals: Mapping[str, Any],
        *,
        providers: Mapping[str, ConfigProvider] | None = None,
        provider_props: Mapping[str, object] | None = None,
        class_loader: ClassResolver | None = None,
        log_values: bool = True,
    ) -> None:
        _require_string_keys(originals)
        for name in definition.names:
            originals.get(name)  # marks the key as used if the originals record their use too
        self.definition = definition
        self._resolution = resolve_references(
            originals, provider_props or originals, providers, class_loader
        )
        self._originals = self._resolution.settings
        self._used: set[str] = set()
        self._values = self._parsed()
        if log_values:
            self._log_values()

    def post_process_parsed_config(
        self,
        parsed: Mapping[str, Any],  # noqa: ARG002  # for subclasses
    ) -> Mapping[str, Any]:
        """Override to derive defaults from other values; the result replaces parsed values."""
        return {}

    def get(self, key: str) -> Any:
        """The typed value of a setting; ``None`` if that is its value.

        Raises:
            ConfigError: if the definition has no such setting.
        """
        if key not in self._values:
            raise problem(
                key,
                f"Unknown configuration '{key}'",
                code="config.unknown-key",
                hint="define it, or correct the name",
            )
        self._used.add(key)
        return self._values[key]

    def __getitem__(self, key: str) -> Any:
        return self.get(key)

    def get_boolean(self, key: str) -> bool:
        """The value of a BOOLEAN setting that is not ``None``."""
        return self._typed(key, bool)

    def get_int(self, key: str) -> int:
        """The value of a SHORT, INT or LONG setting that is not ``None``."""
        return self._typed(key, int)

    get_short = get_int
    get_long = get_int

    def get_double(self, key: str) -> float:
        """The value of a DOUBLE setting that is not ``None``."""
        return self._typed(key, float)

    def get_string(self, key: str) -> str:
        """The value of a STRING setting that is not ``None``."""
        return self._typed(key, str)

    def get_list(self, key: str) -> list[str]:
        """The value of a LIST setting that is not ``None``, as a copy."""
        return list(self._typed(key, list))

    def get_password(self, key: str) -> Password:
        """The value of a PASSWORD setting that is not ``None``."""
        return self._typed(key, Password)

    def get_class(self, key: str) -> type:
        """The value of a CLASS setting that is not ``None``."""
        return self._typed(key, type)

    def get_configured_instance(
        self, key: str, base: type[T], overrides: Mapping[str, Any] | None = None
    ) -> T | None:
        """An instance of the class that a CLASS setting names; ``None`` if it names none.

        If it has a method ``configure``, that receives the originals and ``overrides``.

        Raises:
            ConfigError: if the class is of another kind.
            PluginError: if it cannot be instantiated or configured.
        """
        named = self.get(key)
        made = self._instances(key, [] if named is None else [named], base, overrides)
        return made[0] if made else None

    def get_configured_instances(
        self, key: str, base: type[T], overrides: Mapping[str, Any] | None = None
    ) -> list[T]:
        """Instances of the classes that a LIST setting names; none if it is ``None`` or empty.

        Raises:
            ConfigError: if a class cannot be loaded or is of another kind.
            PluginError: if one cannot be instantiated or configured; the others are then closed.
        """
        return self._instances(key, self.get(key) or [], base, overrides)

    def originals(self, overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A copy of the raw settings, references resolved; reading a key marks it as used."""
        return RecordingDict({**self._originals, **(overrides or {})}, self.ignore)

    def originals_strings(self) -> dict[str, str]:
        """The raw settings, which must all be strings.

        Raises:
            ConfigError: if one is not.
        """
        for key, value in self._originals.items():
            if not isinstance(value, str):
                raise problem(
                    key,
                    f"Non-string value found in original settings for key {key}: "
                    f"{'null' if value is None else type_name(value)}",
                    code="config.not-a-string",
                )
        return self.originals()

    def originals_with_prefix(self, prefix: str, *, strip: bool = True) -> dict[str, Any]:
        """The raw settings under a prefix, by default without it."""
        found = {
            key.removeprefix(prefix) if strip else key: value
            for key, value in self._originals.items()
            if key.startswith(prefix) and key != prefix
        }
        return RecordingDict(found, self._marker(prefix if strip else ""))

    def values_with_prefix_override(self, prefix: str) -> dict[str, Any]:
        """All values; those under the prefix, parsed by the unprefixed definition, take precedence.

        Keys with a second prefix before a known name, as in ``<prefix>plain.sasl.jaas.config``,
        are parsed by the definition of that name and keep the second prefix.

        Raises:
            ConfigError: if a prefixed value is not valid.
        """
        found = dict(self._values)
        for key, value in self.originals_with_prefix(prefix).items():
            name = key if key in self.definition.keys else key.partition(".")[2]
            if name in self.definition.keys:
                found[key] = self._parse_value(prefix + key, name, value)
        return RecordingDict(found, self._marker(prefix, also_without=True))

    def values_with_prefix_all_or_nothing(self, prefix: str) -> dict[str, Any]:
        """The values under the prefix, or all unprefixed values if there are none.

        Raises:
            ConfigError: if a prefixed value is not valid.
        """
        prefixed = self.originals_with_prefix(prefix)
        if not prefixed:
            return self.values()
        found = {
            key: self._parse_value(prefix + key, key, value)
            for key, value in prefixed.items()
            if key in self.definition.keys
        }
        return RecordingDict(found, self._marker(prefix, also_without=True))

    def values(self) -> dict[str, Any]:
        """All typed values; reading a key marks it as used."""
        return RecordingDict(self._values, self.ignore)

    def non_internal_values(self) -> dict[str, Any]:
        """All typed values of settings that the documentation lists."""
        keys = self.definition.keys
        shown = {k: v for k, v in self._values.items() if k not in keys or not keys[k].internal}
        return RecordingDict(shown, self.ignore)

    def ignore(self, key: str) -> None:
        """Mark a setting as used."""
        self._used.add(key)

    def unused(self) -> tuple[str, ...]:
        """The given settings that were not read yet, in the given order."""
        return tuple(key for key in self._originals if key not in self._used)

    def unknown_keys(self) -> tuple[str, ...]:
        """The given settings that the definition does not have, in the given order."""
        return tuple(key for key in self._originals if key not in self.definition.keys)

    def log_unused(self) -> None:
        """Log at INFO the settings that were not read."""
        if self.unused():
            names = printed(self.unused())
            _LOG.info("These configurations '%s' were supplied but are not used yet.", names)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, AbstractConfig):
            return NotImplemented
        return self._originals == other._originals

    def __hash__(self) -> int:
        return hash(frozenset(self._originals))

    def _parsed(self) -> dict[str, Any]:
        try:
            values = self.definition.parse(self._originals)
            values.update(self.post_process_parsed_config(dict(values)))
            self.definition.parse(values)
        except ConfigError as error:
            discreet = self._resolution.discreet(error)
            if discreet is error:
                raise
            raise discreet from None
        return values

    def _parse_value(self, key: str, name: str, value: object) -> Any:
        try:
            return self.definition.parse_value(name, value)
        except ConfigError:
            if key not in self._resolution.written:
                raise
            raise invalid_value(key, self._resolution.written[key]) from None

    def _typed(self, key: str, kind: type[T]) -> T:
        value = self.get(key)
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        raise problem(
            key,
            f"Configuration '{key}' is "
            + ("null" if value is None else f"of type {type_name(value)}, not {kind.__name__}"),
            code="config.wrong-type",
            hint=f"read it with config[{key!r}], which returns any value",
        )

    def _instances(
        self,
        key: str,
        classes: Sequence[object],
        base: type[T],
        overrides: Mapping[str, Any] | None,
    ) -> list[T]:
        props = self.originals(overrides)
        return configured_instances(key, classes, base, props, self.definition.resolver)

    def _marker(self, prefix: str, *, also_without: bool = False) -> Callable[[str], None]:
        """A function that marks a key of a view as used, by its name in the originals."""

        def mark(key: str) -> None:
            self.ignore(prefix + key)
            if also_without:
                self.ignore(key)

        return mark

    def _log_values(self) -> None:
        shown = {**self._values, **self._shown_for_resolved()}
        lines = "".join(f"\t{key} = {printed(shown[key])}\n" for key in sorted(shown))
        _LOG.info("%s values: \n%s", type(self).__name__, lines)

    def _shown_for_resolved(self) -> dict[str, str]:
        """The text to log for values that providers supplied: the reference, not the value."""
        written = self._resolution.written.items()
        return {
            key: text
            for key, text in written
            if key in self._values and not isinstance(self._values[key], Password)
        }


def _require_string_keys(originals: Mapping[Any, Any]) -> None:
    for key in originals:
        if not isinstance(key, str):
            raise invalid_value(printed(key), HIDDEN, "Key must be a string.")
