"""The components that the endpoints use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.control_plane import MetricValue
    from plugwright.plugins import Plugins
    from plugwright.rest._herder import HerderApi
    from plugwright.rest._settings import RestSettings


@dataclass(frozen=True, slots=True)
class Service:
    """The herder and everything else that answers are made of.

    Attributes:
        metrics: the worker's metrics in Prometheus' text format, if it keeps any.
        figures: the same, each by itself.
        openapi: the OpenAPI document of the listener that was asked.
        plugins: what discovery has found, for the console.
    """

    herder: HerderApi
    settings: RestSettings
    openapi: Callable[[], Mapping[str, Any]]
    metrics: Callable[[], str] | None = None
    figures: Callable[[], Sequence[MetricValue]] | None = None
    plugins: Plugins | None = None
