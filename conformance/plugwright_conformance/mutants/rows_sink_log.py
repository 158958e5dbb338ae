"""Row sinks that log too much."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord

__all__ = ["LogsEachRecordTask"]

_LOG = logging.getLogger(__name__)


@mutant(
    "M312",
    "every record is logged at INFO",
    base="lines-sink",
    killed_by="CON-OBS-03",
    failure="200 of them from rows_sink_log.py",
)
class LogsEachRecordTask(RowsSinkTask):
    """Tells of each record that it is there.

    Reported at https://github.com/Aiven-Open/gcs-connector-for-apache-kafka/pull/24: lines about
    single records were moved to DEBUG.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Log the records, then write them."""
        for record in records:
            _LOG.info("writing the record at offset %d", record.kafka_offset)
        super().put(records)
