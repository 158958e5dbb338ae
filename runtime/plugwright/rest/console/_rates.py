"""Computes the throughput of tasks from the worker's metrics."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.rest.service import Service

_WRITTEN: Final = ("source-record-write-rate", "sink-record-send-rate")
"""Records a second that have reached the other side."""


def rates_of(service: Service) -> Mapping[str, Mapping[int, float]]:
    """Records a second by connector and task; only of tasks that this worker runs."""
    found: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for figure in service.figures() if service.figures else ():
        if figure.name in _WRITTEN and isinstance(figure.value, int | float):
            task = int(figure.tags["task"])
            found[figure.tags["connector"]][task] = float(figure.value)
    return found
