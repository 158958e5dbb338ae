"""What is said of a worker's settings that nothing reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["worker_misspellings"]

_CLIENTS = ("sasl.", "ssl.")
"""Families of settings of Kafka's clients, of which many are one letter or word apart."""


def worker_misspellings(given: Iterable[str]) -> Sequence[str]:
    """A line for each key of a worker's properties that looks like a setting, and is none.

    Keys that look like nothing are left alone: Kafka's clients, Spark and REST extensions take
    settings that are their own.

    Raises:
        ModuleNotFoundError: if the extras of a worker are not installed.
    """
    from plugwright.config import misspelt  # noqa: PLC0415  # after --help
    from plugwright.herder import CLUSTER_CONFIG, WORKER_CONFIG  # noqa: PLC0415  # needs extras
    from plugwright.rest import REST_CONFIG  # noqa: PLC0415  # needs extras

    known = WORKER_CONFIG.keys.keys() | CLUSTER_CONFIG.keys.keys() | REST_CONFIG.keys.keys()
    found = misspelt(known, [key for key in given if not key.startswith(_CLIENTS)])
    return [f'unknown setting "{key}"; did you mean "{near}"?' for key, near in found.items()]
