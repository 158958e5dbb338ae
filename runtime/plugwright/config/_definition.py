"""The definition of a set of settings (Kafka's ``ConfigDef``)."""

from __future__ import annotations

import logging
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.config._embedding import embedded
from plugwright.config._key import ConfigKey
from plugwright.config._order import documentation_order
from plugwright.config._parsing import parse_type
from plugwright.config._printing import convert_to_string
from plugwright.config._problems import problem
from plugwright.config._types import NO_DEFAULT_VALUE, ConfigType, Importance, Width
from plugwright.config._validation import undefined_dependents, validated
from plugwright.config._validators import ValidList
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.config._classes import ClassResolver
    from plugwright.config._recommender import Recommender
    from plugwright.config._validators import Validator
    from plugwright.config._values import ConfigValue

_LOG = logging.getLogger("plugwright.config")


class ConfigDef:
    """Defines settings with their types, defaults and validators.

    >>> definition = ConfigDef().define("batch.size", ConfigType.INT, 100, documentation="Rows")
    >>> definition.parse({"batch.size": " 5 "})
    {'batch.size': 5}

    Args:
        base: a definition whose settings are copied; it is not changed.
        resolver: loads the classes that CLASS settings name; by default the one of the context
            (:func:`resolving_classes`), which by default imports.
    """

    convert_to_string = staticmethod(convert_to_string)

    def __init__(
        self, base: ConfigDef | None = None, *, resolver: ClassResolver | None = None
    ) -> None:
        self._keys: dict[str, ConfigKey] = dict(base.keys) if base else {}
        self._resolver = resolver or (base.resolver if base else None)

    def define(  # noqa: PLR0913  # one argument for each property of a setting, as in Kafka
        self,
        name: str,
        type: ConfigType,  # noqa: A002  # Kafka's name
        default: object = NO_DEFAULT_VALUE,
        importance: Importance = Importance.MEDIUM,
        documentation: str | None = "",
        *,
        validator: Validator | None = None,
        group: str | None = None,
        order_in_group: int = -1,
        width: Width = Width.NONE,
        display_name: str | None = None,
        dependents: Sequence[str] = (),
        recommender: Recommender | None = None,
        internal: bool = False,
        alternative_string: str | None = None,
    ) -> ConfigDef:
        """Add a setting; without a default it is required.

        The arguments are the attributes of :class:`ConfigKey`. The default is parsed and validated
        here and now.

        Raises:
            ConfigError: if the key is defined already, or the default is not valid.
        """
        return self.add(
            ConfigKey(
                name,
                type,
                default,
                importance,
                documentation,
                validator,
                group,
                order_in_group,
                width,
                display_name or name,
                tuple(dependents),
                recommender,
                internal,
                alternative_string,
            )
        )

    def add(self, key: ConfigKey) -> ConfigDef:
        """Add a complete key; :meth:`define` is the usual way.

        Raises:
            ConfigError: if the key is defined already, or the default is not valid.
        """
        if key.name in self._keys:
            raise problem(
                key.name,
                f"Configuration {key.name} is defined twice.",
                code="config.defined-twice",
                hint="remove one of the two definitions",
            )
        if key.has_default:
            key = key.with_default(
                parse_type(key.name, key.default_value, key.type, self._resolver)
            )
            key.check(key.default_value)
        self._keys[key.name] = key
        return self

    def embed(
        self, key_prefix: str, group_prefix: str, starting_order: int, child: ConfigDef
    ) -> ConfigDef:
        """Add all settings of another definition under a prefix.

        Their group becomes ``group_prefix``, or ``group_prefix: group`` if they have one;
        validators and recommenders still receive names without the prefix.
        """
        for order, key in enumerate(documentation_order(child), starting_order):
            self.add(embedded(key, key_prefix, group_prefix, order))
        return self

    @property
    def keys(self) -> Mapping[str, ConfigKey]:
        """The settings by name, in the order of definition; read-only."""
        return MappingProxyType(self._keys)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all settings, in the order of definition."""
        return tuple(self._keys)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, in the order of their first occurrence."""
        groups = (key.group for key in self._keys.values())
        return tuple(dict.fromkeys(group for group in groups if group is not None))

    @property
    def default_values(self) -> dict[str, Any]:
        """The parsed defaults of all settings that have one."""
        return {name: key.parse({}, None) for name, key in self._keys.items() if key.has_default}

    @property
    def resolver(self) -> ClassResolver | None:
        """Loads classes for this definition; ``None`` for the resolver of the context."""
        return self._resolver

    def parse(self, props: Mapping[str, object]) -> dict[str, Any]:
        """Typed values for all settings, from raw values and defaults; unknown keys are ignored.

        Duplicates in a list with :class:`ValidList` are dropped here with a warning, but are errors
        in :meth:`validate`, as in Kafka.

        Raises:
            ConfigError: for the first setting with a problem.
        """
        undefined = undefined_dependents(self._keys)
        if undefined:
            names = ",".join(undefined)
            raise ConfigError(
                "Some configurations in are referred in the dependents, but not defined: " + names,
                code="config.undefined-dependents",
                hint="define them, or take them out of dependents",
                facts={"keys": tuple(undefined)},
            )
        return {name: self._parse_and_check(key, props) for name, key in self._keys.items()}

    def parse_value(self, name: str, value: object) -> Any:
        """One value of the setting ``name``, parsed and validated.

        Raises:
            ConfigError: if the value is not valid.
            KeyError: if there is no such setting.
        """
        return self._parse_and_check(self._keys[name], {name: value})

    def validate(self, props: Mapping[str, object]) -> list[ConfigValue]:
        """Every setting with its value and problems, all at once, in the order of definition.

        Never raises, whatever the mapping contains. A key that is not a string follows at the end,
        with an error.
        """
        return list(self.validate_all(props).values())

    def validate_all(self, props: Mapping[str, object]) -> dict[str, ConfigValue]:
        """The result of :meth:`validate`, by key."""
        return validated(self._keys, props, self._resolver)

    def _parse_and_check(self, key: ConfigKey, props: Mapping[str, object]) -> object:
        value = key.parse(props, self._resolver)
        if isinstance(key.validator, ValidList) and isinstance(value, list):
            value = _distinct(key.name, value)
        key.check(value)
        return value


def _distinct(name: str, elements: list[object]) -> list[object]:
    """Each element once (KAFKA-19875), so that settings from before KIP-1161 still work."""
    texts: set[str] = set()
    kept: list[object] = []
    for element in elements:
        if not isinstance(element, str):
            kept.append(element)
        elif element not in texts:
            texts.add(element)
            kept.append(element)
    if len(kept) < len(elements):
        _LOG.warning("Configuration %s contains duplicate values, which are left out", name)
    return kept
