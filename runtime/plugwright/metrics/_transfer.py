"""Sends the metrics of plugins from their processes to the worker.

They are sent with the figures of a task, which are numbers by name. The name of a plugin's figure
contains the metric's name, description and tags, and its value if that is a text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plugwright.metrics._plugin_metrics import MetricName

_MARK = "plugins:"


@dataclass(frozen=True, slots=True)
class PluginFigure:
    """A metric of a plugin, as the worker receives it."""

    name: str
    description: str
    tags: Mapping[str, str]
    value: float | str


def reported_figures(metrics: Iterable[tuple[MetricName, float | str]]) -> dict[str, float]:
    """Metrics of plugins as figures of a task."""
    return dict(_reported(name, value) for name, value in metrics)


def _reported(name: MetricName, value: float | str) -> tuple[str, float]:
    text, number = (value, 1.0) if isinstance(value, str) else (None, value)
    content = [name.name, name.description, dict(name.tags), text]
    return _MARK + json.dumps(content, ensure_ascii=False), number


def figures_of_plugins(figures: Mapping[str, float]) -> Iterator[PluginFigure]:
    """The metrics of plugins in the figures of a task or connector."""
    for key, number in figures.items():
        if key.startswith(_MARK):
            name, description, tags, text = json.loads(key.removeprefix(_MARK))
            yield PluginFigure(name, description, tags, number if text is None else text)
