"""Row sources that plan their tasks in another way each time, or unevenly."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceConnector, tables_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DividesSet", "FirstTaskHasAll", "LastTaskHasRest", "NumbersPlans"]

_PLANS = count()


@mutant(
    "M307",
    "tables are divided in the order of a set, which is another one in every process",
    base="rows-source",
    killed_by="CON-PAR-10",
    failure="another value of tables",
)
class DividesSet(RowsSourceConnector):
    """Collects the tables in a set.

    After https://github.com/hazelcast/hazelcast/pull/25968: every node asks a connector of its own
    for the list, and takes it for granted that all lists are equal.
    """

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """Each table for one task, but who knows for which."""
        tables = list(set(tables_of(self._props["rows.url"])))
        number = max(1, min(max_tasks, len(tables)))
        return [{**self._props, "tables": ",".join(tables[n::number])} for n in range(number)]


@mutant(
    "M307a",
    "every plan gives the tasks another number for their client",
    base="rows-source",
    killed_by="CON-PAR-10",
    failure="a second call",
)
class NumbersPlans(RowsSourceConnector):
    """Counts its plans.

    After https://github.com/apache/kafka/pull/16001: configurations that differ from those before
    are written anew and restart the tasks, in a loop if every restart asks for them again.
    """

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The good configurations, and the number of the plan."""
        client = f"rows-{next(_PLANS)}"
        return [{**config, "client.id": client} for config in super().task_configs(max_tasks)]


@mutant(
    "M310",
    "the last task has the whole remainder of the division",
    base="rows-source",
    killed_by="CON-PAR-06",
    failure="tasks with 1, 1, 1, 4 source partitions",
)
class LastTaskHasRest(RowsSourceConnector):
    """Divides without a look at the remainder.

    After https://github.com/apache/kafka/pull/7880: some mirroring tasks had far more to do than
    others.
    """

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """As many tables for each task, and the rest for the last one."""
        tables = tables_of(self._props["rows.url"])
        number = max(1, min(max_tasks, len(tables)))
        size = len(tables) // number
        borders = [*range(0, number * size, size), len(tables)]
        shares = [tables[borders[n] : borders[n + 1]] for n in range(number)]
        return [{**self._props, "tables": ",".join(share)} for share in shares]


@mutant(
    "M310a",
    "the first task has all tables, the others have none",
    base="rows-source",
    killed_by="CON-PAR-06",
    failure="tasks with 7, 0 source partitions",
)
class FirstTaskHasAll(RowsSourceConnector):
    """Makes as many tasks as it may, and work for one."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """All tables for the first task."""
        tables = tables_of(self._props["rows.url"])
        idle = [{**self._props, "tables": ""} for _ in range(1, min(max_tasks, len(tables)))]
        return [{**self._props, "tables": ",".join(tables)}, *idle]
