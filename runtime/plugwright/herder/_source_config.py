"""The delivery settings of source connectors (KIP-618)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    CaseInsensitiveValidString,
    ConfigDef,
    ConfigType,
    ConfigValue,
    Importance,
    LambdaValidator,
    invalid_value,
)
from plugwright.connector import ConnectorTransactionBoundaries, ExactlyOnceSupport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_SUPPORT = "exactly.once.support"
_BOUNDARY = "transaction.boundary"


def _check_no_less_than_zero(name: str, value: object) -> None:
    if isinstance(value, int) and value < 0:
        raise invalid_value(name, value, "Value must be at least 0")


def _check_not_blank(name: str, value: object) -> None:
    if isinstance(value, str) and not value.strip():
        raise invalid_value(name, value, "String must be non-empty")


SOURCE_CONFIG = (
    ConfigDef()
    .define(
        _SUPPORT,
        ConfigType.STRING,
        default="requested",
        validator=CaseInsensitiveValidString.in_("required", "requested"),
        importance=Importance.MEDIUM,
        group="Exactly Once Support",
        documentation="Whether the connector must support exactly-once delivery to start "
        "(required), or is only asked to (requested).",
    )
    .define(
        _BOUNDARY,
        ConfigType.STRING,
        default="poll",
        validator=CaseInsensitiveValidString.in_("interval", "poll", "connector"),
        importance=Importance.MEDIUM,
        group="Exactly Once Support",
        documentation="Boundary of a transaction: each batch that a task returns (poll), a time "
        "interval (interval), or calls of the tasks themselves (connector).",
    )
    .define(
        "transaction.boundary.interval.ms",
        ConfigType.LONG,
        default=None,
        validator=LambdaValidator.with_(_check_no_less_than_zero, lambda: "[0,...]"),
        importance=Importance.LOW,
        group="Exactly Once Support",
        documentation="Time between the commits of a task for the boundary interval; by default "
        "the worker's offset.flush.interval.ms.",
    )
    .define(
        "offsets.storage.topic",
        ConfigType.STRING,
        default=None,
        validator=LambdaValidator.with_(_check_not_blank, lambda: "non-empty string"),
        importance=Importance.LOW,
        group="offsets.topic",
        documentation="Separate topic for the offsets of this connector, created if it does not "
        "exist. The offsets are also written to the worker's offsets topic.",
    )
)
"""Definition of the settings that only source connectors have."""


@dataclass(frozen=True, slots=True)
class SourceDelivery:
    """The parsed delivery settings of a source connector.

    Attributes:
        boundary: where transactions end.
        interval_s: time between commits, or ``None`` for the worker's flush interval.
        offsets_topic: topic of its offsets, or ``None`` for the worker's topic.
    """

    boundary: str
    interval_s: float | None
    offsets_topic: str | None

    @classmethod
    def parse(cls, properties: Mapping[str, str]) -> SourceDelivery:
        """Read a valid configuration."""
        values = SOURCE_CONFIG.parse(properties)
        interval_ms = values["transaction.boundary.interval.ms"]
        return cls(
            boundary=values[_BOUNDARY].lower(),
            interval_s=None if interval_ms is None else interval_ms / 1000,
            offsets_topic=values["offsets.storage.topic"],
        )


def validate_source(
    properties: Mapping[str, str], connector: Any, *, worker_supports: bool, has_boundaries: bool
) -> Sequence[ConfigValue]:
    """The delivery settings with their values and problems.

    Asks the connector whether it supports what is required; problems have Kafka's messages.

    Args:
        properties: the configuration, references to config providers resolved.
        connector: a new instance of the connector.
        worker_supports: whether the worker has ``exactly.once.source.support=enabled``.
        has_boundaries: whether the connector is asked about ``transaction.boundary``, which a
            standalone worker without transactions does not use.
    """
    found = SOURCE_CONFIG.validate_all(properties)
    if str(found[_SUPPORT].value).lower() == "required":
        problem = (
            _missing_support(connector, properties)
            if worker_supports
            else "This worker does not have exactly-once source support enabled."
        )
        if problem:
            found[_SUPPORT] = found[_SUPPORT].with_error(problem)
    by_connector = has_boundaries and str(found[_BOUNDARY].value).lower() == "connector"
    if by_connector and (problem := _missing_boundaries(connector, properties)):
        found[_BOUNDARY] = found[_BOUNDARY].with_error(problem)
    return list(found.values())


def _missing_support(connector: Any, properties: Mapping[str, str]) -> str:
    answer, problem = _asked(
        lambda: connector.exactly_once_support(properties),
        "Failed while validating connector support for exactly-once semantics",
    )
    if problem or answer is ExactlyOnceSupport.SUPPORTED:
        return problem
    if answer is None:
        return (
            "The connector does not implement the API required for preflight validation of "
            "exactly-once source support. Please consult the documentation for the connector to "
            "determine whether it supports exactly-once semantics, and then consider "
            'reconfiguring the connector to use the value "requested" for this property (which '
            "will disable this preflight check and allow the connector to be created)."
        )
    return "The connector does not support exactly-once semantics with the provided configuration."


def _missing_boundaries(connector: Any, properties: Mapping[str, str]) -> str:
    answer, problem = _asked(
        lambda: connector.can_define_transaction_boundaries(properties),
        "Failed while validating connector support for defining its own transaction boundaries",
    )
    if problem or answer is ConnectorTransactionBoundaries.SUPPORTED:
        return problem
    return (
        "The connector does not support connector-defined transaction boundaries with the given "
        "configuration. Please reconfigure it to use a different transaction boundary definition."
    )


def _asked(question: Callable[[], Any], failure: str) -> tuple[Any, str]:
    """Ask the connector; returns its answer and an empty string, or a problem if it fails."""
    try:
        return question(), ""
    except (Exception, SystemExit) as error:  # noqa: BLE001  # plugin code; the answer is a problem
        return None, f"{failure}: {error}"
