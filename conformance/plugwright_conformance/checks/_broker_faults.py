"""Checks of broker restarts, outages, missing topics and rejected records.

The broker is the suite's own. What a check breaks is whole again when it ends.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks.delivery import open_pipeline, require_no_loss, share_of
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotRunError,
)
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.checks.delivery import Pipeline
    from plugwright_conformance.live.connector import LiveConnector

_BUDGET_S = 300.0
_MISSING_S = 5.0
_FEW = 5
_ENGAGING_ROUNDS = 80
_ENGAGING_PAUSE_S = 0.25
_LARGE = 120_000
_LIMIT = 100_000
"""Bytes that a topic takes at once: less than the large record, more than a producer's batch."""
_SLICES = 20
_PATIENCE = 4
"""Clients, and the group, may be slow to find a broker that has been away."""
_STREAMS = "Spark repeats the batches of streamed tasks after any broker failure"


class _BrokerFault(Check):
    """Common code of these checks."""

    level = Level.C4
    wave = 2
    live = True
    engines = (RESIDENT,)
    why_not_everywhere = _STREAMS
    budget_s = _BUDGET_S


def _across(
    pipeline: Pipeline, connector: LiveConnector, share: int, outage: AbstractContextManager[None]
) -> None:
    """Feed before, during and after an outage of the broker, which begins while records flow.

    A sink's records are in Kafka, so nothing can be fed to it during the outage.
    """
    pipeline.feed(share)
    pipeline.await_all()
    if not pipeline.is_source:
        _engage_all(pipeline, connector)
    pipeline.feed(share)
    with outage:
        if pipeline.is_source:
            for _ in range(_SLICES):
                pipeline.feed(share // _SLICES)
                time.sleep(0.02)
    pipeline.live.renew_writer()
    pipeline.feed(share)


def _engage_all(pipeline: Pipeline, connector: LiveConnector) -> None:
    """Feed until every task has put a record, for a limited number of rounds.

    A task that joins the group after an outage does not notice it, and takes over the partitions
    that the others have lost.
    """
    for _ in range(_ENGAGING_ROUNDS):
        if all(task.counters.get("records") for task in connector.job.statuses):
            return
        pipeline.feed(_FEW)
        time.sleep(_ENGAGING_PAUSE_S)


def _failure(connector: LiveConnector) -> str:
    """The trace of the first failed task; empty if none has failed."""
    failed = (task for task in connector.job.statuses if task.state == "FAILED")
    return next((task.trace or "FAILED without a trace" for task in failed), "")


@registered
class RestartOfTheBroker(_BrokerFault):
    """The connector survives restarts of the broker."""

    id = "CON-BRK-01"
    title = "A broker restart while records flow loses nothing"
    why = "Brokers are upgraded one by one while connectors run."
    mend = "Leave Kafka to the runtime: an unacknowledged record is late, not failed."
    origin = "G-Sys"

    def run(self, bench: Bench) -> Evidence:
        """Restart the broker in order, then by SIGKILL, while records flow; compare."""
        live, kafka = bench.live.breakable()
        share = share_of(bench)
        with open_pipeline(bench, live=live) as pipeline:
            with pipeline.running() as connector:
                for kill in (False, True):
                    _across(pipeline, connector, share, kafka.restarted(kill=kill))
                    pipeline.await_all(unless=lambda: bool(_failure(connector)), patience=_PATIENCE)
                connector.stop()
            found = pipeline.reconcile()
        require_no_loss(found, "the broker was restarted, cleanly and by SIGKILL, under load")
        return Evidence(found.entered, found.digest, found.figures())


@registered
class BrokerOutOfReach(_BrokerFault):
    """The connector survives a minute without Kafka, or its task fails visibly."""

    id = "CON-BRK-03"
    title = "A broker outage of one minute: nothing lost, no task silent for ever"
    why = "Networks fail for minutes; a task that waits for ever looks healthy and does nothing."
    mend = "Keep no state that an outage invalidates, and accept partitions when they return."
    origin = "G-Sys"

    def run(self, bench: Bench) -> Evidence:
        """Cut every connection for a minute; go on, after a restart of the task if it failed."""
        live, kafka = bench.live.breakable()
        share = share_of(bench)
        with open_pipeline(bench, live=live) as pipeline:
            with pipeline.running() as connector:
                _across(pipeline, connector, share, kafka.cut_off(live.outage_s))
                pipeline.await_all()
                failure = _failure(connector)
                if not failure:
                    connector.stop()
            if failure:
                with pipeline.running() as connector:
                    pipeline.await_all()
                    connector.stop()
            found = pipeline.reconcile()
        require_no_loss(found, f"the broker was unreachable for {live.outage_s:g} s")
        figures = {**found.figures(), "recovered": "after a restart" if failure else "by itself"}
        return Evidence(found.entered, found.digest, figures)


@registered
class MissingTopic(_BrokerFault):
    """A missing topic is reported or awaited, and the connector can be stopped."""

    id = "CON-BRK-04"
    title = "A missing topic causes a clear failure or a wait, and does not block a stop"
    why = "Without automatic topic creation, a misspelt topic name must not hang a worker."
    mend = "Return from poll() and put(); do not wait for Kafka in them."
    origin = "DUCK"

    def run(self, bench: Bench) -> Evidence:
        """Run without the topic and stop; create the topic, run again, and compare."""
        live, _ = bench.live.breakable()
        share = share_of(bench)
        with open_pipeline(bench, live=live, topic=live.fresh_name("missing")) as pipeline:
            if pipeline.is_source:
                pipeline.feed(share)
            with pipeline.running() as connector:
                time.sleep(_MISSING_S)
                self._stop(connector, pipeline.topic)
            live.create_topic(1, pipeline.topic)
            pipeline.feed(share)
            with pipeline.running() as connector:
                pipeline.await_all()
                connector.stop()
            found = pipeline.reconcile()
        require_no_loss(found, "started without its topic, stopped, and started with it")
        return Evidence(found.entered, found.digest, found.figures())

    @staticmethod
    def _stop(connector: LiveConnector, topic: str) -> None:
        """Stop it; a task that fails over the topic is fine if it names it."""
        try:
            connector.stop()
        except CheckFailedError as failure:
            if topic not in failure.observed:
                raise


@registered
class RecordOverTheLimit(_BrokerFault):
    """A record that Kafka rejects fails the task, and no other record is lost."""

    id = "CON-BRK-06"
    kinds = SOURCE_ONLY
    title = "A record over the broker's size limit fails the task with its name, and is not dropped"
    why = "A silently dropped record is a loss that is found too late."
    mend = "Return every record; errors.tolerance decides about records that Kafka rejects."
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Feed one record that the topic does not take between others that it does."""
        live, _ = bench.live.breakable()
        topic = live.create_topic(config={"max.message.bytes": str(_LIMIT)})
        with open_pipeline(bench, live=live, topic=topic) as pipeline:
            large = f"large:{'x' * _LARGE}"
            with pipeline.running(**{"errors.tolerance": "none"}) as connector:
                pipeline.feed(_FEW)
                self._seed(pipeline, large)
                pipeline.feed(_FEW)
                # Other records may arrive before the refusal is known: they end no waiting.
                live.wait_until(lambda: bool(_failure(connector)), pipeline.arrived)
                failure = _failure(connector)
        if failure and topic in failure:
            return Evidence(1, figures={"ended": "FAILED, the topic named"})
        raise CheckFailedError(
            expected=f"a failed task that names topic {topic}",
            observed=failure or "a task that runs on, and no word about the record",
            scenario=f"one record of {_LARGE} bytes for a topic that takes {_LIMIT}",
            likely="the task drops records that it considers too large",
        )

    @staticmethod
    def _seed(pipeline: Pipeline, large: str) -> None:
        try:
            pipeline.endpoint.driver.seed([large])
        except Exception as error:  # whatever the driver's library raises
            raise NotRunError(f"the endpoint holds no value of {_LARGE} bytes: {error}") from error
