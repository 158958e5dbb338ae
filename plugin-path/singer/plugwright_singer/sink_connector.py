"""The sink connector: as many targets as tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import SinkConnector
from plugwright_singer.settings import VERSION, validated
from plugwright_singer.sink_settings import CONFIG
from plugwright_singer.sink_task import SingerSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, ConfigValue, Task, TopicPartition

__all__ = ["SingerSinkConnector"]


class SingerSinkConnector(SinkConnector):
    """Feeds a Singer target; each task has one of its own."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """The settings of the connector; those of the target begin with ``singer.config.``."""
        return CONFIG

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Every setting with its problems, the target's own among them."""
        return validated(CONFIG, props)

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the tasks."""
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that feeds the target."""
        return SingerSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [self._props] * max_tasks

    def stop(self) -> None:
        """Nothing is held."""

    def alter_offsets(
        self,
        props: Mapping[str, str],  # noqa: ARG002  # the target keeps no offsets
        offsets: Mapping[TopicPartition, int | None],  # noqa: ARG002
    ) -> bool:
        """Accept: offsets are Kafka's alone, so there is nothing else to change."""
        return True
