"""Messages about a worker's settings that nothing reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CLIENTS = ("sasl.", "ssl.")
"""Families of Kafka's client settings, many of which differ by one letter or word."""


def worker_misspellings(given: Iterable[str]) -> Sequence[str]:
    """A line for each key of a worker's properties that resembles a setting but is not one.

    Keys that resemble no setting are ignored: Kafka's clients, Spark and REST extensions have
    settings of their own.

    Raises:
        ModuleNotFoundError: if the extras of a worker are not installed.
    """
    from plugwright.config import misspelt  # noqa: PLC0415  # after --help
    from plugwright.herder import (  # noqa: PLC0415  # needs extras
        CLUSTER_CONFIG,
        METRICS_CONFIG,
        UNREAD_BY_WORKERS,
        WORKER_CONFIG,
    )
    from plugwright.rest import REST_CONFIG  # noqa: PLC0415  # needs extras

    known = WORKER_CONFIG.keys.keys() | CLUSTER_CONFIG.keys.keys() | REST_CONFIG.keys.keys()
    known |= UNREAD_BY_WORKERS.keys() | METRICS_CONFIG.keys.keys()
    found = misspelt(known, [key for key in given if not key.startswith(_CLIENTS)])
    return [f'unknown setting "{key}"; did you mean "{near}"?' for key, near in found.items()]
