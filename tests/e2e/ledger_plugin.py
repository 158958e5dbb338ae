"""A sink connector that knows its batches, and the ledger of what it has written."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Entry", "Ledger"]

_METADATA = "Metadata-Version: 2.1\nName: ledger\nVersion: 1.0\n"
_ENTRIES = "[plugwright.SinkConnector]\nledger.LedgerSink = ledger:LedgerSink\n"
_PLUGIN = '''
import json, os, time
from pathlib import Path

from plugwright import ConfigDef, ConfigType, IdempotentSinkTask, Importance, SinkConnector


class LedgerSink(SinkConnector):
    """Writes one file for each batch."""

    def version(self):
        return "1.0"

    def start(self, props):
        self.props = dict(props)

    def stop(self):
        pass

    def config(self):
        return ConfigDef().define(
            "directory", ConfigType.STRING, importance=Importance.HIGH, documentation="Where to."
        )

    def task_class(self):
        return LedgerSinkTask

    def task_configs(self, max_tasks):
        return [self.props] * max_tasks


class LedgerSinkTask(IdempotentSinkTask):
    """A batch is there whole, or not at all."""

    def version(self):
        return "1.0"

    def start(self, props):
        self.directory = Path(props["directory"])

    def begin_batch(self, identity):
        name = f"{identity.query}-{identity.batch}-{identity.partition}"
        self.file, self.rows = self.directory / f"{name}.json", []
        self.at_work = self.directory / f"{os.getpid()}.pid"
        if self.file.exists():
            self.file.with_suffix(".again").touch()
            return False
        self.at_work.touch()
        return True

    def put(self, records):
        self.rows += [[r.topic, r.kafka_partition, r.kafka_offset, r.value] for r in records]

    def flush(self, offsets):
        draft = self.file.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(self.rows))
        os.replace(draft, self.file)
        while (self.directory / "hold").exists():
            self.file.with_suffix(".held").touch()
            time.sleep(0.02)

    def stop(self):
        if hasattr(self, "at_work"):
            self.at_work.unlink(missing_ok=True)
'''


class Entry(NamedTuple):
    """One record that was written."""

    topic: str
    partition: int
    offset: int
    value: str


class Ledger:
    """Publishes the connector, and reads what it has written without its help.

    Args:
        root: an empty directory.

    Attributes:
        path: for ``plugin.path``.
        directory: where the connector writes.
        hold: a task whose batch is written does not go on while this file is there.
    """

    def __init__(self, root: Path) -> None:
        self.path, self.directory = root / "plugins", root / "ledger"
        self.directory.mkdir(parents=True)
        self.hold = self.directory / "hold"
        metadata = self.path / "ledger/ledger.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(_METADATA)
        (metadata / "entry_points.txt").write_text(_ENTRIES)
        (metadata.parent / "ledger.py").write_text(_PLUGIN)

    @property
    def batches(self) -> int:
        """How many parts of batches are written."""
        return len(self.of("json"))

    def of(self, kind: str) -> list[Path]:
        """The files of a kind: json, held, again, or pid of who is at work on a batch."""
        return list(self.directory.glob(f"*.{kind}"))

    def at_work(self) -> list[int]:
        """The processes that have begun a batch and have not ended with it."""
        return [int(file.stem) for file in self.of("pid")]

    def entries(self) -> Counter[Entry]:
        """How often each record is there."""
        found = [json.loads(file.read_text("utf-8")) for file in self.of("json")]
        return Counter(Entry(*row) for rows in found for row in rows)
