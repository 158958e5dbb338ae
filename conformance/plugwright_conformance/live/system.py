"""Starts and shares the Kafka broker and the Spark session of a run."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import LiveEvent
from plugwright_conformance.live.connector import LiveConnector
from plugwright_conformance.live.log_file import logging_to
from plugwright_conformance.live.spark_cluster import SparkChoice
from plugwright_conformance.processes.quiet_time import QuietTime
from plugwright_conformance.subject.engines import RESIDENT, STREAM
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from plugwright.kafka.brokers import Broker
    from plugwright.spark import SparkLauncher, TaskStatus
    from plugwright_conformance.live.breakable_kafka import BreakableKafka
    from plugwright_conformance.live.killable_driver import KillableDriver
    from plugwright_conformance.subject.subject import Subject

__all__ = ["LiveSystem"]

_FLUSH_INTERVAL_MS = 250
_ORDERLY_MS = 30_000
_STANDSTILL_S: Mapping[str, float] = MappingProxyType({RESIDENT: 15.0, STREAM: 30.0})
_LOOK_S = 0.05
_CALM = 4
"""Looking, which may mean to read a large file, takes a fifth of the time at most."""


class LiveSystem:
    """A broker and a Spark session, shared by the checks of a run.

    Args:
        launcher: puts tasks onto Spark.
        broker: the live Kafka.
        run: name of this run, which no other on the broker has; topics and connectors are named
            after its digest, which means nothing to a plugin.
        facts: versions and settings worth reporting, by name.
        setup_s: seconds that it took to start.
        outage_s: seconds that Kafka is out of reach in an outage: several of a consumer's sessions.
        spark: where Spark runs.
        is_here: whether the process of a task is one of this machine, and so may be killed.
    """

    def __init__(  # noqa: PLR0913  # what it is made of
        self,
        broker: Broker,
        launcher: SparkLauncher,
        run: str,
        facts: Mapping[str, str],
        setup_s: float = 0.0,
        *,
        outage_s: float = 60.0,
        spark: SparkChoice | None = None,
        is_here: Callable[[TaskStatus], bool] = lambda _: True,
    ) -> None:
        from plugwright.kafka import TopicWriter  # noqa: PLC0415  # an extra

        self.broker = broker
        self._writer = TopicWriter(broker.bootstrap_servers)
        self.facts = facts
        self.setup_s, self.outage_s = setup_s, outage_s
        self._events: list[LiveEvent] = []
        self._launcher = launcher
        self._spark, self._is_here = spark or SparkChoice(), is_here
        self._prefix = f"{TOPIC}-{hashlib.sha256(run.encode()).hexdigest()[:8]}"
        self._run = run
        self._names = 0
        self._breakable: tuple[LiveSystem, BreakableKafka] | None = None
        self._stack = ExitStack()
        self._spare: KillableDriver | None = None

    @classmethod
    @contextmanager
    def open(
        cls,
        bootstrap_servers: str | None,
        run: str,
        log: Path,
        progress: Callable[[str], None],
        spark: SparkChoice | None = None,
    ) -> Iterator[LiveSystem]:
        """Start or reach a broker, start Spark, and stop both at the end.

        Args:
            bootstrap_servers: of a running Kafka, instead of one that is started.
            run: its name.
            log: the file of Spark's log; the runtime's, ``worker.log``, is beside it.
            progress: receives what is being started.
            spark: where it runs; by default on this machine.

        Raises:
            SetupError: if there is no broker to be had, no Java, an extra is not installed, or
                the cluster cannot run tasks.
        """
        from plugwright.kafka.brokers import open_broker  # noqa: PLC0415  # an extra
        from plugwright.spark import java_version, master_of  # noqa: PLC0415  # an extra

        begun, spark = time.monotonic(), spark or SparkChoice()
        with ExitStack() as stack:
            stack.enter_context(logging_to(log.with_name("worker.log")))
            host = spark.address() if bootstrap_servers is None else ""
            opening = open_broker(bootstrap_servers, progress=progress, host=host)
            broker = stack.enter_context(opening)
            progress("starting Spark")
            opened = stack.enter_context(spark.opened("connect", log))
            facts = _facts(broker, java_version(opened.session), master_of(opened.session))
            setup_s = round(time.monotonic() - begun, 3)
            system = cls(
                broker,
                opened.launcher,
                run,
                facts,
                setup_s,
                spark=spark,
                is_here=opened.is_here,
            )
            stack.callback(system.close)
            yield system

    def note(self, kind: str, text: str, at_s: float | None = None) -> None:
        """Write down what happens, for the timeline of the report.

        Args:
            kind: as events have it.
            text: whom it happens to.
            at_s: when, by the monotonic clock; now if it is left out.
        """
        self._events.append(LiveEvent(time.monotonic() if at_s is None else at_s, kind, text))

    @property
    def events_so_far(self) -> int:
        """How many events there were."""
        return len(self._events)

    def events_since(self, first: int, begun: float) -> Sequence[LiveEvent]:
        """The events from a number on, timed from a reading of the monotonic clock."""
        return tuple(
            replace(event, at_s=round(event.at_s - begun, 3)) for event in self._events[first:]
        )

    def fresh_name(self, purpose: str) -> str:
        """A name that nothing on the broker has yet."""
        self._names += 1
        return f"{self._prefix}-{purpose}-{self._names}"

    def create_topic(
        self, partitions: int = 1, name: str = "", config: Mapping[str, str] | None = None
    ) -> str:
        """An empty topic, with a fresh name unless one is given, and settings of the topic."""
        from plugwright.kafka import create_topic  # noqa: PLC0415  # an extra

        name = name or self.fresh_name("topic")
        servers = self.broker.bootstrap_servers
        create_topic(servers, name, partitions=partitions, config=config)
        return name

    def write(self, topic: str, values: Sequence[bytes], *, keyed: bool = False) -> None:
        """Put values into a topic, without any connector; each with a key if need be."""
        self._writer.write(topic, values, keyed=keyed)

    def renew_writer(self) -> None:
        """Write with a fresh client: after an outage, the last one may wait before it connects."""
        from plugwright.kafka import TopicWriter  # noqa: PLC0415  # an extra

        self._writer = TopicWriter(self.broker.bootstrap_servers)

    def read(self, topic: str) -> list[str]:
        """Every string value of a topic, as a read-committed reader sees it."""
        from plugwright.kafka import read_topic  # noqa: PLC0415  # an extra

        messages = read_topic(self.broker.bootstrap_servers, topic)
        return [(message.value() or b"").decode() for message in messages]

    def size(self, topic: str) -> int:
        """The sum of the end offsets of a topic's partitions."""
        from plugwright.kafka import end_offsets  # noqa: PLC0415  # an extra

        return sum(end_offsets(self.broker.bootstrap_servers, topic).values())

    def has_committed(self, connector: str, kind: str) -> bool:
        """Whether any progress of a connector is written down where its next start looks."""
        from plugwright.kafka import GroupOffsets, read_topic  # noqa: PLC0415  # an extra

        servers = self.broker.bootstrap_servers
        if kind == "sink":
            group = GroupOffsets(servers, f"connect-{connector}")
            return any(group.read().values())
        notes = read_topic(servers, self.worker_settings()["offset.storage.topic"])
        return any(json.loads(note.key() or b"[null]")[0] == connector for note in notes)

    def worker_settings(self, *, exactly_once: bool = False) -> Mapping[str, str]:
        """The settings of a worker of this run.

        Args:
            exactly_once: whether it commits records and offsets of sources in transactions.
        """
        return {
            "exactly.once.source.support": "enabled" if exactly_once else "disabled",
            "bootstrap.servers": self.broker.bootstrap_servers,
            "key.converter": "StringConverter",
            "value.converter": "StringConverter",
            "offset.storage.topic": f"{self._prefix}-offsets",
            "offset.storage.partitions": "1",
            "offset.flush.interval.ms": str(_FLUSH_INTERVAL_MS),
            # An orderly stop: half of it for the batch that a stream is at, on a busy machine, too.
            "task.shutdown.graceful.timeout.ms": str(_ORDERLY_MS),
        }

    def start_driver(self) -> KillableDriver:
        """Start the worker process for `killable_driver` ahead of time, which saves seconds."""
        from plugwright_conformance.live.killable_driver import (  # noqa: PLC0415  # seldom
            KillableDriver,
        )

        self._spare = self._spare or KillableDriver(self._spark.beside())
        return self._spare

    def breakable(self) -> tuple[LiveSystem, BreakableKafka]:
        """The same Spark with a separate, breakable Kafka, started on first use.

        Raises:
            NotRunError: if this machine cannot start one.
        """
        from plugwright.kafka.brokers import open_broker  # noqa: PLC0415  # an extra
        from plugwright_conformance.live.breakable_kafka import (  # noqa: PLC0415  # seldom
            BreakableKafka,
        )

        if self._breakable is None:
            host = self._spark.address()
            kafka = self._stack.enter_context(
                BreakableKafka.open(lambda text: self.note("back", text), host)
            )
            system = type(self)(
                open_broker(kafka.bootstrap_servers),
                self._launcher,
                f"{self._run}-breakable",
                self.facts,
                outage_s=self.outage_s,
                spark=self._spark,
                is_here=self._is_here,
            )
            system._events = self._events  # noqa: SLF001  # one timeline
            self._breakable = system, kafka
        return self._breakable

    def close(self) -> None:
        """End the breakable Kafka and an unused worker process."""
        self._stack.close()
        self._breakable = None
        if self._spare is not None:
            self._spare.kill()
            self._spare = None

    @contextmanager
    def killable_driver(
        self,
        subject: Subject,
        configs: Mapping[str, Mapping[str, str]],
        *,
        exactly_once: bool = False,
    ) -> Iterator[KillableDriver]:
        """Connectors, by their names, in a worker process of their own, to be killed."""
        named = [{**config, "name": name} for name, config in configs.items()]
        words = f"{' and '.join(configs)} in another driver"
        self.note("starting", words)
        with self.idle_driver() as driver:
            driver.run(subject, self.worker_settings(exactly_once=exactly_once), named)
            self.note("running", words)
            yield driver
        self.note("stopped", words)

    @contextmanager
    def idle_driver(self) -> Iterator[KillableDriver]:
        """A worker process that runs nothing yet; killed at the end."""
        driver, self._spare = self.start_driver(), None
        try:
            yield driver
        finally:
            driver.kill()

    @contextmanager
    def running(
        self, subject: Subject, config: Mapping[str, str], name: str, *, exactly_once: bool = False
    ) -> Iterator[LiveConnector]:
        """A connector with running tasks; whatever is left of it is stopped at the end."""
        engine = config.get("spark.engine", RESIDENT)
        from plugwright.herder import EmbeddedHerder, WorkerConfig  # noqa: PLC0415  # an extra

        worker = WorkerConfig.parse(self.worker_settings(exactly_once=exactly_once))
        herder = EmbeddedHerder(worker, subject.plugins, self._launcher)
        self.note("starting", name)
        try:
            job = herder.start_connector({**config, "name": name})
            connector = LiveConnector(name, job, herder, self.note, engine, self._is_here)
            try:
                connector.await_running()
                self.note("running", name)
                yield connector
            finally:
                connector.note_crashes()
        finally:
            herder.close()
            self.note("stopped", name)

    @staticmethod
    def wait_until(
        condition: Callable[[], bool], progress: Callable[[], int], engine: str = RESIDENT
    ) -> bool:
        """Wait for a condition as long as something moves; whether it became true.

        On the streaming engine nothing moves between two batches.

        Raises:
            NotRunError: if the machine is too busy to tell.
        """
        last, still = -1, QuietTime(_STANDSTILL_S[engine])
        while True:
            looked = time.monotonic()
            if condition():
                return True
            now = progress()
            if now != last:
                last = now
                still.restart()
            elif still.is_over():
                return False
            time.sleep(max(_LOOK_S, _CALM * (time.monotonic() - looked)))


def _facts(broker: Broker, java: str, master: str) -> Mapping[str, str]:
    """Versions and settings that the report shows."""
    kafka = f"{broker.version or 'unknown version'} ({broker.kind})"
    return {"java": java, "kafka": kafka, "spark.master": master}
