"""The source connector: one tap, one task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import ExactlyOnceSupport, SourceConnector
from plugwright_singer.offsets import check_partition, state_of
from plugwright_singer.settings import VERSION, validated
from plugwright_singer.source_settings import CONFIG
from plugwright_singer.source_task import SingerSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, ConfigValue, Task

__all__ = ["SingerSourceConnector"]


class SingerSourceConnector(SourceConnector):
    """Runs a Singer tap, whose work cannot be divided, so there is one task."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """The settings of the connector; those of the tap begin with ``singer.config.``."""
        return CONFIG

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Every setting with its problems, the tap's own among them."""
        return validated(CONFIG, props)

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the task."""
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that runs the tap."""
        return SingerSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:  # noqa: ARG002
        """One configuration, whatever the limit."""
        return [self._props]

    def stop(self) -> None:
        """Nothing is held."""

    def exactly_once_support(self, props: Mapping[str, str]) -> ExactlyOnceSupport:  # noqa: ARG002
        """Unsupported: a tap writes its state after several records, and may repeat some."""
        return ExactlyOnceSupport.UNSUPPORTED

    def alter_offsets(
        self,
        props: Mapping[str, str],  # noqa: ARG002  # the offsets are Kafka's alone
        offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]],
    ) -> bool:
        """Accept states of taps, and that one is forgotten; refuse anything else.

        Raises:
            ConnectError: if a partition names no tap or an offset holds no state.
        """
        for partition, offset in offsets:
            check_partition(partition)
            if offset is not None:
                state_of(offset)
        return True
