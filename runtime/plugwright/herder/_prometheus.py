"""Metrics in Prometheus' text format, version 0.0.4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.herder._metric_names import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugwright.rest import MetricValue

__all__ = ["prometheus_text"]


def prometheus_text(metrics: Iterable[MetricValue]) -> str:
    """The figures, named as Prometheus' JMX exporter names Kafka's.

    Written here because prometheus_client ends the name of every counter with ``_total``, which
    Kafka's do not all. A text is a label whose value is 1.
    """
    families: dict[tuple[str, str], list[str]] = {}
    for metric in metrics:
        families.setdefault((metric.group, metric.name), []).append(_sample(metric))
    lines = []
    for (group, name), samples in families.items():
        kind, text = METRICS[group, name]
        full = _name(group, name)
        lines += [f"# HELP {full} {text}", f"# TYPE {full} {kind}", *samples]
    return "".join(f"{line}\n" for line in lines)


def _sample(metric: MetricValue) -> str:
    tags, value = metric.tags, metric.value
    if isinstance(value, str):
        tags, value = {**tags, metric.name: value}, 1.0
    return f"{_name(metric.group, metric.name)}{_labels(tags)} {float(value)!r}"


def _labels(tags: Mapping[str, str]) -> str:
    if not tags:
        return ""
    texts = (f'{key.replace("-", "_")}="{_escaped(value)}"' for key, value in tags.items())
    return f"{{{','.join(texts)}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _name(group: str, name: str) -> str:
    return f"kafka_connect_{group}_{name}".replace("-", "_")
