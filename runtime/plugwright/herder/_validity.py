"""What is answered to a configuration that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["require_no_errors"]


def require_no_errors(validation: Mapping[str, Any]) -> None:
    """Insist that a validation has found nothing.

    Args:
        validation: its result, as `plugwright.config.config_infos` makes it.

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
    lines = "\n".join(message for _, message in problems)
    raise ConfigError(
        f"Connector configuration is invalid and contains the following {len(problems)} error(s):\n"
        f"{lines}\nYou can also find the above list of errors at the endpoint "
        "`/connector-plugins/{connectorType}/config/validate`",
        facts={"problems": tuple(problems)},
    )
