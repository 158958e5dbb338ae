"""The sink connector: as many tasks as allowed, each for its partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import SinkConnector
from plugwright_sql.names import Identifiers
from plugwright_sql.offsets_table import OffsetsTable
from plugwright_sql.shared_settings import VERSION, checked, opened, with_problems
from plugwright_sql.sink_settings import SINK_CONFIG, SinkChoices, sink_problems
from plugwright_sql.sink_task import SqlSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, ConfigValue, Task, TopicPartition

__all__ = ["SqlSinkConnector"]


class SqlSinkConnector(SinkConnector):
    """Writes the records of topics as rows of tables."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """The supported settings of the JDBC sink connector."""
        return SINK_CONFIG

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Every setting with its problems, also those that concern several settings."""
        return with_problems(SINK_CONFIG.validate(props), sink_problems(props))

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the tasks.

        Raises:
            ConfigError: if a setting is missing or wrong.
        """
        checked(SINK_CONFIG, props, sink_problems)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return SqlSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [self._props] * max_tasks

    def stop(self) -> None:
        """Nothing is held."""

    def alter_offsets(
        self, props: Mapping[str, str], offsets: Mapping[TopicPartition, int | None]
    ) -> bool:
        """Change the offsets that the database keeps, which count more than Kafka's.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the database cannot be reached.
        """
        settings = checked(SINK_CONFIG, props, sink_problems)
        choices = SinkChoices.of(settings, props.get("name", ""))
        if not choices.offsets_table:
            return True
        database = opened(settings, create=True)
        try:
            identifiers = Identifiers(database.dialect, always=choices.quotes)
            table = OffsetsTable(database, identifiers, choices.offsets_table, choices.connector)
            table.create()
            with database.connection("alter the offsets") as connection:
                table.forget(connection, [home for home, end in offsets.items() if end is None])
                table.move(
                    connection, {home: end for home, end in offsets.items() if end is not None}
                )
                connection.commit()
        finally:
            database.close()
        return True
