"""The configuration definitions for a connector's transformations and predicates."""

from __future__ import annotations

import inspect
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    ConfigDef,
    ConfigType,
    Importance,
    Width,
    convert_to_string,
    invalid_value,
    parse_type,
)
from plugwright.errors import ConfigError
from plugwright.transforms._base import Predicate, Transformation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.config import ClassResolver

PREDICATE = "predicate"
NEGATE = "negate"

_LOG = logging.getLogger("plugwright.transforms")


@dataclass(frozen=True, slots=True)
class PluginListKind:
    """The settings of one kind of plugin: transformations or predicates.

    Attributes:
        key: the setting that lists their aliases; the prefix of their other settings.
        group: the group of their settings.
        word: the kind in messages and documentation.
        base: their base class.
        list_documentation: the documentation of the setting that lists them.
        conditional: whether they can have a predicate.
    """

    key: str
    group: str
    word: str
    base: type[Any]
    list_documentation: str
    conditional: bool

    def aliases(self, props: Mapping[str, Any]) -> tuple[str, ...]:
        """The distinct aliases in a configuration; none if the list is invalid."""
        try:
            listed = parse_type(self.key, props.get(self.key), ConfigType.LIST)
        except ConfigError:
            return ()
        return tuple(dict.fromkeys(listed)) if isinstance(listed, list) else ()

    def prefix(self, alias: str) -> str:
        """The prefix of the settings of one plugin."""
        return f"{self.key}.{alias}."

    def class_in(
        self, props: Mapping[str, Any], alias: str, resolver: ClassResolver
    ) -> type[Any] | None:
        """The class of one plugin; ``None`` if it cannot be used."""
        key = f"{self.prefix(alias)}type"
        try:
            found = parse_type(key, props.get(key), ConfigType.CLASS, resolver)
            if isinstance(found, type):
                self.definition_of(key, found)
                return found
        except ConfigError:
            return None
        return None

    def definition_of(self, key: str, found: type[Any]) -> ConfigDef:
        """The configuration definition of a class.

        Raises:
            ConfigError: if the class is of another kind or abstract, or fails.
        """
        if not issubclass(found, self.base):
            message = (
                f"Class {plugin_name(found)} does not implement the {self.base.__name__} interface"
            )
            raise invalid_value(key, found, message)
        if inspect.isabstract(found):
            raise invalid_value(key, found, _abstract(found))
        try:
            definition = found().config()
        except Exception as error:
            message = f"Error getting config definition from {self.base.__name__}: {error}"
            raise invalid_value(key, found, message) from error
        if not isinstance(definition, ConfigDef):
            message = f"{plugin_name(found)}.config() must return a ConfigDef that is not null."
            raise invalid_value(key, found, message)
        return definition


TRANSFORMATION_KIND = PluginListKind(
    "transforms",
    "Transforms",
    "transformation",
    Transformation,
    "Aliases of the transformations to apply to records, in this order.",
    conditional=True,
)
PREDICATE_KIND = PluginListKind(
    "predicates",
    "Predicates",
    "predicate",
    Predicate,
    "Aliases of the predicates that transformations refer to.",
    conditional=False,
)
KINDS = (TRANSFORMATION_KIND, PREDICATE_KIND)


def chain_config_def(props: Mapping[str, Any], resolver: ClassResolver) -> ConfigDef:
    """The settings for the transformations and predicates of a configuration.

    ``transforms`` and ``predicates``, then for each alias ``type``, for transformations
    ``predicate`` and ``negate``, and the settings of the class, in groups such as
    ``Transforms: <alias>``. Add its keys to the definition of a connector to validate both at once,
    as Kafka's ``ConnectorConfig.enrich`` does.

    Args:
        props: the configuration of a connector; need not be valid.
        resolver: loads a class by name or alias.
    """
    definition = ConfigDef(resolver=resolver)
    for kind in KINDS:
        definition.define(
            kind.key,
            ConfigType.LIST,
            default="",
            importance=Importance.LOW,
            documentation=kind.list_documentation,
            validator=_UniqueAliases(kind.word),
            group=kind.group,
            width=Width.LONG,
            display_name=kind.group,
        )
    for kind in KINDS:
        for alias in kind.aliases(props):
            _define(definition, kind, alias, props, resolver)
    return definition


def _define(
    definition: ConfigDef,
    kind: PluginListKind,
    alias: str,
    props: Mapping[str, Any],
    resolver: ClassResolver,
) -> None:
    prefix, group = kind.prefix(alias), f"{kind.group}: {alias}"
    key = f"{prefix}type"
    definition.define(
        key,
        ConfigType.CLASS,
        importance=Importance.HIGH,
        documentation=f"Class for the '{alias}' {kind.word}.",
        validator=_UsableClass(kind, alias, props),
        group=group,
        order_in_group=0,
        width=Width.LONG,
        display_name=f"{kind.base.__name__} type for {alias}",
    )
    child = _implicit() if kind.conditional else ConfigDef()
    found = kind.class_in(props, alias, resolver)
    if found is not None:
        for own in kind.definition_of(key, found).keys.values():
            if own.name in child.keys:
                _LOG.warning("The setting %s of %s is masked", own.name, plugin_name(found))
            elif own.name != "type":
                child.add(own)
    definition.embed(prefix, group, 1, child)


def plugin_name(found: type[Any]) -> str:
    """The name of a plugin's class, as configurations write it."""
    return str(convert_to_string(found, ConfigType.CLASS))


def _implicit() -> ConfigDef:
    return (
        ConfigDef()
        .define(
            PREDICATE,
            ConfigType.STRING,
            default=None,
            documentation="The alias of the predicate that selects the records to transform; "
            "without one all records are transformed.",
        )
        .define(
            NEGATE,
            ConfigType.BOOLEAN,
            default=False,
            documentation="Whether to transform the records that do not match the predicate.",
        )
    )


@dataclass(frozen=True, slots=True)
class _UniqueAliases:
    """A list in which no alias occurs twice."""

    word: str

    def __call__(self, name: str, value: object) -> None:
        if value is None:
            raise invalid_value(name, None, "entry must be non null")
        if isinstance(value, list) and len(value) > len(set(value)):
            raise invalid_value(name, value, "Duplicate alias provided.")

    def __str__(self) -> str:
        return f"unique {self.word} aliases"


@dataclass(frozen=True, slots=True)
class _UsableClass:
    """A class of the right kind with a usable definition; ``negate`` requires ``predicate``."""

    kind: PluginListKind
    alias: str
    props: Mapping[str, Any]

    def __call__(self, name: str, value: object) -> None:
        prefix = self.kind.prefix(self.alias)
        negate, predicate = f"{prefix}{NEGATE}", f"{prefix}{PREDICATE}"
        if self.kind.conditional and negate in self.props and predicate not in self.props:
            raise ConfigError(
                f"Config '{negate}' was provided but there is no config '{predicate}' "
                "defining a predicate to be negated.",
                facts={"key": negate},
            )
        if isinstance(value, type):
            self.kind.definition_of(name, value)

    def __str__(self) -> str:
        return f"valid configs for {self.alias} {self.kind.word}"


def _abstract(found: type[Any]) -> str:
    nested = (
        plugin_name(inner)
        for inner in vars(found).values()
        if isinstance(inner, type) and issubclass(inner, found) and not inspect.isabstract(inner)
    )
    names = ", ".join(nested)
    advice = f" Did you mean {names}?" if names else ""
    return f"This class is abstract and cannot be created.{advice}"
