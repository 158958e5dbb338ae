"""A connector that counts, as a DataFrame, and the session that runs it."""

from __future__ import annotations

import json
from collections import Counter

__all__ = ["ENTRIES", "TALLY", "Shop", "each"]


TALLY = '''
import json, os
from pathlib import Path

from plugwright import (
    INT64_SCHEMA, STRING_SCHEMA, ConfigDef, ConfigType, IdempotentSinkTask, Importance,
    SchemaBuilder, SinkConnector, SourceConnector, SourceRecord, SourceTask, Struct,
)

ROW = SchemaBuilder.struct().field("of", STRING_SCHEMA).field("n", INT64_SCHEMA).build()


class Tally:
    def version(self):
        return "1.0"

    def start(self, props):
        self.props = dict(props)

    def stop(self):
        pass


class TallySource(Tally, SourceConnector):
    """Counts to the setting last, in two tasks."""

    def config(self):
        return ConfigDef().define(
            "last", ConfigType.INT, importance=Importance.HIGH, documentation="Where it ends."
        )

    def task_class(self):
        return TallySourceTask

    def task_configs(self, max_tasks):
        return [{**self.props, "of": name} for name in "ab"]


class TallySourceTask(Tally, SourceTask):
    def poll(self):
        name = self.props["of"]
        partition = {"of": name}
        if not hasattr(self, "next"):
            stored = self.context.offset_storage_reader.offset(partition)
            self.next = stored["next"] if stored else 0
        numbers = range(self.next, min(self.next + 4, int(self.props["last"])))
        self.next = max(numbers.stop, self.next)
        return [
            SourceRecord(
                partition, {"next": n + 1}, "t", Struct(ROW).put("of", name).put("n", n), ROW
            )
            for n in numbers
        ]


class TallySink(Tally, SinkConnector):
    """Writes one file for each batch that it is given."""

    def config(self):
        return ConfigDef().define(
            "dir", ConfigType.STRING, importance=Importance.HIGH, documentation="Where to."
        )

    def task_class(self):
        return TallySinkTask

    def task_configs(self, max_tasks):
        return [self.props]


class TallySinkTask(Tally, IdempotentSinkTask):
    def begin_batch(self, identity):
        name = f"{identity.query}-{identity.batch}-{identity.partition}"
        self.file = Path(self.props["dir"], f"{name}.json")
        self.rows = []
        if self.file.exists():
            Path(self.props["dir"], f"{name}.again").touch()
        return not self.file.exists()

    def put(self, records):
        self.rows += [[record.value["of"], record.value["n"]] for record in records]

    def flush(self, offsets):
        draft = self.file.with_suffix(".draft")
        draft.write_text(json.dumps(self.rows))
        os.replace(draft, self.file)
'''


ENTRIES = """[plugwright.SourceConnector]
tally.TallySource = tally:TallySource
[plugwright.SinkConnector]
tally.TallySink = tally:TallySink
"""


class Shop:
    """A session, and a plugin path with the tally."""

    def __init__(self, session, root):
        self.session = session
        self.root = root
        self.path = str(root / "plugins")
        (root / "out").mkdir()
        self.publish("1.0")

    def publish(self, version):
        """Put this version of the tally into its location."""
        metadata = self.root / "plugins/tally/tally.dist-info"
        metadata.mkdir(parents=True, exist_ok=True)
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: tally\nVersion: {version}\n"
        )
        (metadata / "entry_points.txt").write_text(ENTRIES)
        (metadata.parent / "tally.py").write_text(TALLY)

    def options(self, reader, **options):
        """A reader or writer of the data source with these options."""
        named = {name.replace("_", "."): value for name, value in options.items()}
        return reader.format("plugwright").options(**{"plugin.path": self.path, **named})

    def stream(self, **source):
        """Run the stream from a source to the tally until the source is idle."""
        source = {"connector_class": "TallySource", "tasks_max": 2, "rows_limit": 8} | source
        rows = self.options(self.session.readStream, **source).schema("of string, n long").load()
        sink = {"connector_class": "TallySink", "dir": str(self.root / "out"), "topics": "t"}
        query = (
            self.options(rows.writeStream, **sink)
            .option("checkpointLocation", str(self.root / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(240)

    def written(self):
        """How often the sink has each row."""
        found = [json.loads(file.read_text()) for file in (self.root / "out").glob("*.json")]
        return Counter(tuple(row) for rows in found for row in rows)

    def forget_last_commit(self):
        """As a crash does after the sink has written and before Spark has noted it."""
        commits = [
            file for file in (self.root / "checkpoint/commits").iterdir() if file.name.isdigit()
        ]
        last = max(commits, key=lambda file: int(file.name))
        last.unlink()
        last.with_name(f".{last.name}.crc").unlink(missing_ok=True)


def each(last):
    """Every row once."""
    return Counter((name, number) for name in "ab" for number in range(last))
