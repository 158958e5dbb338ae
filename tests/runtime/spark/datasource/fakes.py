"""Connectors of one's own for queries that need no Spark, and plans of them."""

from __future__ import annotations

import json
from typing import ClassVar

from plugwright.errors import ConnectError, DataError, RetriableError
from plugwright.plugins import ClassReference
from plugwright.record import SourceRecord
from plugwright.schema import INT64_SCHEMA
from plugwright.spark.datasource.options import RowsOptions
from plugwright.spark.datasource.plan import ConnectorPlan
from plugwright.task import IdempotentSinkTask, SinkTask, SourceTask


class Numbers(SourceTask):
    """The numbers from the stored one to the last, three a poll."""

    log: ClassVar[list] = []

    def version(self):
        """Of the plugin."""
        return "1.0"

    def start(self, props):
        """Go on where the offsets say."""
        self.props = props
        self.name = props.get("name", "n")
        stored = self.context.offset_storage_reader.offset({"of": self.name})
        self.next = stored["next"] if stored else 0
        self.log.append(f"start {self.name}@{self.next}")
        if props.get("fail") == "start":
            raise DataError("no numbers today", code="numbers.closed")

    def poll(self):
        """The next three, but only where the last number is."""
        if self.props.get("fail") == str(self.next):
            raise DataError("a bad number", code="numbers.bad", hint="count again")
        last = int(self.props.get("last", 7))
        step = int(self.props.get("step", 3))
        numbers = range(self.next, min(self.next + step, last))
        self.next = max(numbers.stop, self.next)
        return [self._record(number) for number in numbers] or None

    def _record(self, number):
        offset = {"next": number + 1}
        if self.props.get("pairs"):
            offset = {"next": number - number % 2 + 2}
        if self.props.get("lost"):
            offset = None
        return SourceRecord({"of": self.name}, offset, "t", number, INT64_SCHEMA)

    def commit(self):
        """Remember it."""
        self.log.append("commit")

    def commit_record(self, record, metadata):
        """Remember it."""
        self.log.append(f"acked {record.value}")

    def stop(self):
        """Remember it."""
        self.log.append("stop")


class Shelf(SinkTask):
    """Remembers every call; its settings make it fail in many ways."""

    log: ClassVar[list] = []

    def version(self):
        """Of the plugin."""
        return "1.0"

    def start(self, props):
        """Nothing to do."""
        self.trouble = dict(json.loads(props.get("trouble", "{}")))
        self.log.append("start")

    def open(self, partitions):
        """Remember it."""
        self.log.append(f"open {[tuple(p) for p in partitions]}")

    def put(self, records):
        """Remember it, or fail so many times."""
        if self.trouble.get("put", 0) > 0:
            self.trouble["put"] -= 1
            self.context.timeout(5000)
            raise RetriableError("closed", code="shelf.closed", hint="wait for the morning")
        if self.trouble.get("break"):
            raise ConnectError("broken", code="shelf.broken", hint="buy a new one")
        if self.trouble.get("rewind"):
            self.context.offset(dict.fromkeys(self.context.assignment(), 0))
        if self.trouble.get("report") and records:
            self.context.errant_record_reporter().report(records[0], ValueError("odd"))
        if self.trouble.get("hint"):
            self.context.request_commit()
        self.log.append(f"put {len(records)}")

    def pre_commit(self, offsets):
        """Say what is durable: all of it, but not at once."""
        if self.trouble.get("slow", 0) > 0:
            self.trouble["slow"] -= 1
            return {}
        self.log.append(f"commit {[(*p, o) for p, o in offsets.items()]}")
        return offsets

    def close(self, partitions):
        """Remember it."""
        self.log.append("close")

    def stop(self):
        """Remember it."""
        self.log.append("stop")


class Ledger(Shelf, IdempotentSinkTask):
    """Knows the batches that it has had."""

    had: ClassVar[set] = set()

    def begin_batch(self, identity):
        """Whether it is a new one."""
        self.log.append(f"begin {identity.query}-{identity.batch}-{identity.partition}")
        return identity not in self.had


def plan_of(task, *configs, **options):
    """A plan with tasks of a class, and these options of the data source."""
    named = {name.replace("_", "."): str(value) for name, value in options.items()}
    getattr(task, "log", []).clear()
    return ConnectorPlan(
        f"shop.{task.__name__}Connector",
        "1.0",
        ClassReference.to(task, version="1.0"),
        (),
        RowsOptions.parse({"connector.class": "x", **named}),
        configs or ({},),
    )
