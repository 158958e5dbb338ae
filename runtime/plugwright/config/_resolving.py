"""Resolves the references in a configuration and records what was resolved."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from plugwright.config._printing import printed
from plugwright.config._problems import problem
from plugwright.config._provider_set import config_providers
from plugwright.config._transformer import ConfigTransformer
from plugwright.config._values import ConfigValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.config._classes import ClassResolver
    from plugwright.config._provider import ConfigProvider
    from plugwright.errors import ConfigError


_ALIASED: Final = ("transforms.", "predicates.", "topic.creation.")
_FIXED: Final = frozenset({"type", "importance", "width"})


@dataclass(frozen=True, slots=True)
class Resolution:
    """Settings after resolution.

    Attributes:
        settings: all settings, resolved; never printed.
        written: the original text of each setting that providers changed.
        supplied: the values that providers supplied, likely secrets, each with its reference.
        ttl_ms: milliseconds until the first of these values expires; ``None`` for never.
    """

    settings: dict[str, Any] = field(repr=False)
    written: Mapping[str, str]
    supplied: Mapping[str, str] = field(default_factory=dict, repr=False)
    ttl_ms: int | None = None

    @property
    def secrets(self) -> frozenset[str]:
        """Every text that must not be shown: supplied values, and settings made of them."""
        return frozenset(self.supplied).union(str(self.settings[key]) for key in self.written)

    def discreet(self, error: ConfigError) -> ConfigError:
        """The error, without a value that a provider supplied, because that is likely a secret."""
        key = str(error.facts.get("key", ""))
        if key not in self.written:
            return error
        return problem(key, self._unfit(key), hint="correct what the config provider returns")

    def discreet_value(self, value: ConfigValue, hide: Callable[[str], str]) -> ConfigValue:
        """The outcome for a setting in a form that may be shown.

        A value that a provider supplied is shown as the reference, and its problems show nothing
        else, because a validator may quote any part of the value. The setting's name may contain a
        supplied text as well.

        Args:
            value: the result of the validation.
            hide: hides supplied values in a text.
        """
        shown, errors = value.value, [hide(message) for message in value.error_messages]
        if value.name in self.written:
            shown = None if shown is None else self.written[value.name]
            errors = [self._unfit(value.name)] * len(errors)
        elif isinstance(shown, str | list | tuple):
            shown = _hidden(shown, hide)
        recommended = [_hidden(each, hide) for each in value.recommended_values]
        name = hide(value.name) if self._is_named_by_alias(value.name) else value.name
        return ConfigValue(name, shown, recommended, errors, value.visible)

    def discreet_definition(
        self, definition: Mapping[str, Any], hide: Callable[[str], str]
    ) -> Mapping[str, Any]:
        """A definition made by `key_info`, in a form that may be shown.

        A transformation's definition contains its alias, which a provider may have supplied.
        """
        if not self._is_named_by_alias(definition["name"]):
            return definition
        return {k: v if k in _FIXED else _hidden(v, hide) for k, v in definition.items()}

    def _is_named_by_alias(self, name: str) -> bool:
        """Whether a setting's name may come from a provider; not if the configuration has it."""
        return name.startswith(_ALIASED) and name not in self.settings

    def _unfit(self, key: str) -> str:
        value = printed(self.written[key])
        return f"Invalid value {value} for configuration {key}: what it refers to is not valid"


def resolve_references(
    originals: Mapping[str, Any],
    provider_props: Mapping[str, object],
    providers: Mapping[str, ConfigProvider] | None,
    class_loader: ClassResolver | None,
) -> Resolution:
    """Resolve the references in all string values.

    Args:
        originals: the settings as written.
        provider_props: the settings with ``config.providers``.
        providers: open providers, used instead of the declared ones.
        class_loader: loads the classes of declared providers.

    Raises:
        ConfigError: if a provider cannot be loaded or fails.
    """
    settings = dict(originals.items())
    texts: dict[str, str | None] = {k: v for k, v in settings.items() if isinstance(v, str)}
    declared = config_providers(provider_props, class_loader)
    with declared if providers is None else nullcontext(providers) as available:
        found = ConfigTransformer(available).transform(texts)
    written = {key: str(text) for key, text in texts.items() if found.data[key] != text}
    ttl_ms = min(found.ttls.values(), default=None)
    return Resolution({**settings, **found.data}, written, found.supplied, ttl_ms)


def _hidden(value: object, hide: Callable[[str], str]) -> object:
    if isinstance(value, list | tuple):
        return [_hidden(each, hide) for each in value]
    return hide(value) if isinstance(value, str) else value
