"""Renders metrics in the Prometheus text format, version 0.0.4."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugwright.herder.metric_names import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugwright.control_plane import MetricValue

_NOT_IN_NAMES: Final = re.compile("[^a-zA-Z0-9_]")


def prometheus_text(metrics: Iterable[MetricValue]) -> str:
    """Render metrics under the names that the Prometheus JMX exporter gives Kafka's.

    Implemented here because prometheus_client appends ``_total`` to every counter, which Kafka's
    names do not all have. A text value becomes a label of a sample with value 1.
    """
    families: dict[str, list[MetricValue]] = {}
    for metric in metrics:
        families.setdefault(_name(metric.group, metric.name), []).append(metric)
    lines = []
    for full, members in families.items():
        first = members[0]
        kind, text = METRICS.get((first.group, first.name), ("untyped", first.description))
        escaped = text.replace("\\", r"\\").replace("\n", r"\n")
        lines += [f"# HELP {full} {escaped}", f"# TYPE {full} {kind}", *map(_sample, members)]
    return "".join(f"{line}\n" for line in lines)


def _sample(metric: MetricValue) -> str:
    tags, value = metric.tags, metric.value
    if isinstance(value, str):
        tags, value = {**tags, metric.name: value}, 1.0
    return f"{_name(metric.group, metric.name)}{_labels(tags)} {float(value)!r}"


def _labels(tags: Mapping[str, str]) -> str:
    if not tags:
        return ""
    texts = (f'{_NOT_IN_NAMES.sub("_", key)}="{_escaped(value)}"' for key, value in tags.items())
    return f"{{{','.join(texts)}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _name(group: str, name: str) -> str:
    return _NOT_IN_NAMES.sub("_", f"kafka_connect_{group}_{name}")
