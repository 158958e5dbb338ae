"""Row sources that plan their tasks in another way each time, or unevenly."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from plugwright_conformance.mutants._mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceConnector, tables_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DividesSet", "NumbersPlans"]

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
