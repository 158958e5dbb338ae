"""Checks the result of a validation, and builds the error for an invalid configuration."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from plugwright.config import misspelling, misspelt
from plugwright.errors import ConfigError, ConnectError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

log = logging.getLogger(__name__)


def require_no_errors(validation: Mapping[str, Any], given: Iterable[str] = ()) -> None:
    """Check that a validation has found no problems.

    Args:
        validation: its result, from `plugwright.config.config_infos`.
        given: keys of the configuration, to suggest a misspelt key for a missing setting.

    Raises:
        ConfigError: naming every setting that is missing or wrong, in Kafka's words.
    """
    problems = [
        (entry["value"]["name"], message)
        for entry in validation["configs"]
        if entry["value"] is not None
        for message in entry["value"]["errors"]
    ]
    if not problems:
        return
    known = {entry["value"]["name"] for entry in validation["configs"] if entry["value"]}
    lines = "\n".join(message for _, message in problems)
    raise ConfigError(
        f"Connector configuration is invalid and contains the following {len(problems)} error(s):\n"
        f"{lines}\nYou can also find the above list of errors at the endpoint "
        "`/connector-plugins/{connectorType}/config/validate`",
        hint=misspelling([name for name, _ in problems], known, given),
        facts={"problems": tuple(problems)},
    )


def without_nulls(config: Mapping[str, str | None]) -> dict[str, str]:
    """A valid configuration as strings, checked for ``null`` values of undefined settings.

    Raises:
        ConnectError: if there is one. Kafka Connect detects this only when it starts the connector,
            which it keeps nevertheless.
    """
    missing = next((key for key, value in config.items() if value is None), None)
    if missing is not None:
        raise ConnectError(
            f"Non-string value found in original settings for key {missing}: null",
            code="herder.null-setting",
            hint=f"give {missing} a value, or leave it out",
            facts={"key": missing},
        )
    return {key: value for key, value in config.items() if value is not None}


def warn_of_misspellings(
    connector: str, validation: Mapping[str, Any], given: Iterable[str]
) -> None:
    """Log a warning for each unknown key that resembles a setting.

    Kafka Connect accepts undefined keys, so they are not errors.

    Args:
        connector: its name.
        validation: its result, from `plugwright.config.config_infos`.
        given: keys of the configuration.
    """
    known = {entry["definition"]["name"] for entry in validation["configs"] if entry["definition"]}
    for key, near in misspelt(known, given).items():
        log.warning('%s: unknown setting "%s"; did you mean "%s"?', connector, key, near)
