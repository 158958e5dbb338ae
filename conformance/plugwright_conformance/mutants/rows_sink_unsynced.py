"""Sinks of rows that leave it to the system when their rows reach the disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = ["NeverSyncsTask", "RenamesUnsyncedTask"]


@mutant(
    "M305",
    "offsets are committed without a sync of what was written",
    base="lines-sink",
    killed_by="SNK-OFF-12",
    failure="no sync at all",
)
class NeverSyncsTask(RowsSinkTask):
    """Trusts the cache of the system."""

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Do nothing."""


@mutant(
    "M305b",
    "a file is renamed before it is on the disk",
    base="lines-sink",
    killed_by="SNK-OFF-12",
    failure="of a file with unsynced data",
)
class RenamesUnsyncedTask(RowsSinkTask):
    """Writes a file for each batch under another name first.

    Reported at https://github.com/tinyhumansai/opencompany/issues/1049.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Remember where."""
        super().start(props)
        self._directory = Path(directory_of(props["rows.url"]))

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the file of a batch.

        Raises:
            RetriableError: if it cannot be written.
        """
        if not records:
            return
        first = records[0]
        name = f"{first.original_kafka_partition}-{first.original_kafka_offset}.jsonl"
        temporary = self._directory.parent / f"{name}.part"
        lines = [self.line(record) for record in records if record.value is not None]
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
            os.replace(temporary, self._directory / name)  # noqa: PTH105  # a call that is watched
        except OSError as error:
            raise RetriableError(f"cannot write: {error.strerror}", code="rows.write") from error
