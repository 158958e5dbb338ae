"""Validates a whole configuration: reports all problems at once, with recommended values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.config._password import HIDDEN, Password
from plugwright.config._printing import printed
from plugwright.config._problems import invalid_value
from plugwright.config._values import ConfigValue
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.config._classes import ClassResolver
    from plugwright.config._key import ConfigKey
    from plugwright.config._recommender import Recommender


def validated(
    keys: Mapping[str, ConfigKey], props: Mapping[Any, object], resolver: ClassResolver | None
) -> dict[str, ConfigValue]:
    """The outcome for every key, in the order of definition, then for undefined names.

    Never raises. As in Kafka, a key with several parents is visited once for each of them, so its
    problems are repeated.
    """
    drafts = {name: _Draft() for name in keys}
    parsed: dict[str, object] = {}
    visits = list(_visits(keys))
    for key in visits:
        parsed[key.name] = _parse(key, props, resolver, drafts[key.name].errors)
    for key in visits:
        if key.recommender is not None:
            _recommend(key, key.recommender, parsed, drafts[key.name])
    _add_undefined(keys, drafts)
    _add_keys_that_are_no_strings(props, drafts)
    return {name: draft.finished(name, parsed.get(name)) for name, draft in drafts.items()}


def undefined_dependents(keys: Mapping[str, ConfigKey]) -> list[str]:
    """The dependents that no key defines, each once, in the order of their names' occurrence."""
    named = dict.fromkeys(dependent for key in keys.values() for dependent in key.dependents)
    return [name for name in named if name not in keys]


@dataclass(slots=True)
class _Draft:
    """The current state of one key."""

    errors: list[str] = field(default_factory=list)
    recommended: list[object] = field(default_factory=list)
    visible: bool = True

    def finished(self, name: str, value: object) -> ConfigValue:
        return ConfigValue(name, value, self.recommended, self.errors, self.visible)


def _visits(keys: Mapping[str, ConfigKey]) -> Iterator[ConfigKey]:
    """The keys, starting with those without parents; a child occurs once for each parent.

    Keys that are not reached because they depend on each other follow at the end.
    """
    children = {dependent for key in keys.values() for dependent in key.dependents}
    reached: set[str] = set()
    roots = [name for name in keys if name not in children]
    for start in [*roots, *keys]:
        if start in reached:
            continue
        pending = [start]
        while pending:
            key = keys.get(pending.pop())
            if key is None:
                continue
            yield key
            if key.name not in reached:
                reached.add(key.name)
                pending.extend(reversed(key.dependents))


def _parse(
    key: ConfigKey,
    props: Mapping[str, object],
    resolver: ClassResolver | None,
    errors: list[str],
) -> object:
    """The parsed value; ``None`` if parsing fails, which the validator then receives as well."""
    value: object = None
    try:
        value = key.parse(props, resolver)
    except ConfigError as error:
        errors.append(str(error))
    try:
        key.check(value)
    except ConfigError as error:
        errors.append(str(error))
    return value


def _recommend(
    key: ConfigKey, recommender: Recommender, parsed: Mapping[str, object], draft: _Draft
) -> None:
    """Call a recommender; only values that were proposed before remain."""
    try:
        proposed = list(recommender.valid_values(key.name, parsed))
        before = draft.recommended
        draft.recommended = [value for value in proposed if not before or value in before]
        draft.visible = bool(recommender.visible(key.name, parsed))
    except ConfigError as error:
        draft.errors.append(_discreet(key, str(error), parsed))
    except Exception as error:  # noqa: BLE001  # code of a plugin; validation reports, never raises
        message = f"The recommender of {key.name} failed with {type(error).__name__}"
        draft.errors.append(_discreet(key, f"{message}: {printed(error)}", parsed))


def _discreet(key: ConfigKey, message: str, parsed: Mapping[str, object]) -> str:
    """The message of a recommender, unless it contains a password."""
    secrets = (value.value for value in parsed.values() if isinstance(value, Password))
    if any(secret and secret in message for secret in secrets):
        return str(invalid_value(key.name, HIDDEN))
    return message


def _add_undefined(keys: Mapping[str, ConfigKey], drafts: dict[str, _Draft]) -> None:
    for name in undefined_dependents(keys):
        message = f"{name} is referred in the dependents, but not defined."
        drafts[name] = _Draft([message], visible=False)


def _add_keys_that_are_no_strings(props: Mapping[Any, object], drafts: dict[str, _Draft]) -> None:
    """Add an error for each; its value stays hidden because it may be a secret."""
    for key in (key for key in props if not isinstance(key, str)):
        name = printed(key)
        error = invalid_value(name, HIDDEN, "Key must be a string.")
        drafts.setdefault(name, _Draft()).errors.append(str(error))
