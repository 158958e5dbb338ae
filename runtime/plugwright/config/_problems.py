"""Configuration problems as errors: one problem, or all of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config._printing import printed
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from plugwright.config._values import ConfigValue

_NEAR = 0.7  # allows two swapped letters in a word of four
_NEAR_OPTION = 0.75  # stricter, because no setting is known to be missing
_SLIPS = 2  # extra or missing letters; more means another name, such as a client setting
_FIX_VALUE = "correct the value in the configuration"


def invalid_value(name: str, value: object, message: str = "") -> ConfigError:
    """The error for an invalid value of a setting, with Kafka's message; validators raise it.

    >>> str(invalid_value("port", 70000, "Value must be no more than 65535"))
    'Invalid value 70000 for configuration port: Value must be no more than 65535'
    """
    text = f"Invalid value {printed(value)} for configuration {printed(name)}"
    return problem(name, f"{text}: {message}" if message else text)


def not_null(settings: Mapping[str, Any], key: str) -> Any:
    """The parsed value of a setting that must not be null.

    Like Kafka's, a definition accepts a null from JSON; Kafka's plugins then fail with a
    NullPointerException.

    Raises:
        ConfigError: if it is null.
    """
    if settings[key] is None:
        raise invalid_value(key, None, "a value is required; omit the setting to use its default")
    return settings[key]


def problem(
    name: str, message: str, *, code: str = "config.invalid", hint: str = _FIX_VALUE
) -> ConfigError:
    """The error for one setting; ``facts`` carry the key and the problem."""
    facts = {"key": name, "problems": ((name, message),)}
    return ConfigError(message, code=code, hint=hint, facts=facts)


def require_valid(values: Iterable[ConfigValue], given: Iterable[str] = ()) -> None:
    """Raise one error with every problem of a validation and its key, in the given order.

    Repeated problems of a setting occur once.

    Args:
        values: the result of a validation.
        given: keys of the configuration, to find a misspelt required setting.

    Raises:
        ConfigError: if any setting has a problem; ``facts["problems"]`` holds (key, message) pairs.
    """
    values = list(values)
    found = ((value.name, message) for value in values for message in value.error_messages)
    problems = tuple(dict.fromkeys(found))
    if not problems:
        return
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    message = " · ".join([count, *(f"{name}: {text}" for name, text in problems)])
    wrong, known = [name for name, _ in problems], {value.name for value in values}
    hint = misspelling(wrong, known, given) or _FIX_VALUE
    raise ConfigError(message, hint=hint, facts={"problems": problems})


def misspelling(wrong: Iterable[str], known: Collection[str], given: Iterable[str]) -> str:
    """The hint if the configuration has a similar name for a setting with a problem.

    Args:
        wrong: the settings with a problem.
        known: all defined settings.
        given: keys of the configuration.

    Returns:
        A hint, or an empty string if no key is similar.
    """
    from difflib import get_close_matches  # noqa: PLC0415  # for this error only

    keys = list(given)
    unknown = [key for key in keys if key not in known]
    for name in wrong:
        if name not in keys and (near := get_close_matches(name, unknown, 1, _NEAR)):
            return f"{near[0]} is not a setting; did you mean {name}?"
    return ""


def misspelt(known: Collection[str], given: Iterable[str]) -> dict[str, str]:
    """The keys that are not settings but resemble one that is not given, with that setting.

    Without this, nothing would report the key, because the missing setting has its default.

    >>> misspelt({"batch.size", "file"}, ["file", "bath.size", "colour"])
    {'bath.size': 'batch.size'}
    """
    keys = list(given)
    free = sorted(set(known).difference(keys))
    unknown = [key for key in keys if key not in known]
    if not (free and unknown):
        return {}
    from difflib import get_close_matches  # noqa: PLC0415  # for what is unknown only

    found = {}
    for key in unknown:
        alike = [name for name in free if abs(len(name) - len(key)) <= _SLIPS]
        if near := get_close_matches(key, alike, 1, _NEAR_OPTION):
            found[key] = near[0]
    return found
