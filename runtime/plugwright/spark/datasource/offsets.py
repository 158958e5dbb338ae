"""Source positions: given by the user, or stored in the checkpoint of a stream."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.spark.rows import map_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugwright.record import SourceRecord

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class GivenOffsets:
    """Offsets by source partition as a task reads them; read-only.

    Attributes:
        by_partition: the offset by the JSON of its partition.
    """

    by_partition: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> GivenOffsets:
        """Parse the JSON of ``GET /connectors/{name}/offsets``, or only its list (KIP-875).

        Raises:
            ValueError: if it is anything else.
        """
        if not text:
            return cls()
        found = json.loads(text)
        pairs = found.get("offsets") if isinstance(found, dict) else found
        if not isinstance(pairs, list):
            raise ValueError(  # noqa: TRY004  # what is wrong is the value of an option
                'expected {"offsets": [{"partition": {…}, "offset": {…}}, …]}'
            )
        return cls(dict(_pair(each) for each in pairs))

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The offset of a source partition, or ``None``."""
        return self.by_partition.get(str(map_text(partition)))

    def store(self, offsets: Any) -> None:
        """Do nothing: the query stores the offsets."""

    def close(self) -> None:
        """Do nothing: no resource is open."""


def _pair(each: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(each, dict) and each.keys() == {"partition", "offset"}:
        partition, offset = each["partition"], each["offset"]
        if isinstance(partition, dict) and isinstance(offset, dict):
            return str(map_text(partition)), offset
    raise ValueError(f'expected {{"partition": {{…}}, "offset": {{…}}}}, found {json.dumps(each)}')


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """The position of a stream, as Spark stores it in the checkpoint.

    Attributes:
        plugin: class name of the connector.
        version: of the plugin.
        records: number of records polled so far; distinguishes batches of a source without
            offsets.
        offsets: the offset by the JSON of its source partition.
    """

    plugin: str
    version: str
    records: int = 0
    offsets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def to_plain(self) -> dict[str, Any]:
        """Convert to JSON data; equal positions give equal text."""
        return {
            "format": _FORMAT,
            "plugin": self.plugin,
            "version": self.version,
            "records": self.records,
            "offsets": {name: self.offsets[name] for name in sorted(self.offsets)},
        }

    @classmethod
    def from_plain(
        cls, plain: Mapping[str, Any], *, plugin: str, version: str, any_version: bool = False
    ) -> StreamPosition:
        """Parse the data of a checkpoint, and check that it belongs to this plugin.

        Args:
            plain: from `to_plain`.
            plugin: class name of the connector that continues from there.
            version: its version.
            any_version: whether another version may continue.

        Raises:
            ConnectError: ``rows.checkpoint-unknown``, ``rows.checkpoint-of-another-plugin`` or
                ``rows.checkpoint-of-another-version``.
        """
        if plain.get("format") != _FORMAT:
            raise _refused(
                "unknown",
                f"it has the format {plain.get('format')}, expected {_FORMAT}",
                "use the release of plugwright that wrote it, or a new checkpointLocation",
            )
        if plain["plugin"] != plugin:
            raise _refused(
                "of-another-plugin",
                f"it belongs to {plain['plugin']}, but connector.class selects {plugin}",
                "name that plugin, or start with another checkpointLocation",
            )
        if plain["version"] != version and not any_version:
            raise _refused(
                "of-another-version",
                f"it belongs to {plugin} {plain['version']}, but this is {version}",
                "set connector.plugin.version to that version, or rows.checkpoint.version=any if "
                "this one understands its offsets",
            )
        return cls(plugin, version, plain["records"], plain["offsets"])

    def after(self, records: Iterable[SourceRecord]) -> StreamPosition:
        """The position after these records."""
        offsets, count = dict(self.offsets), self.records
        for record in records:
            count += 1
            if record.source_partition is not None and record.source_offset is not None:
                offsets[str(map_text(record.source_partition))] = record.source_offset
        return StreamPosition(self.plugin, self.version, count, offsets)

    def given(self) -> GivenOffsets:
        """The offsets for tasks that continue from here."""
        return GivenOffsets(self.offsets)


def _refused(what: str, message: str, hint: str) -> ConnectError:
    return ConnectError(
        f"the checkpoint of this stream cannot be used: {message}",
        code=f"rows.checkpoint-{what}",
        hint=hint,
    )
