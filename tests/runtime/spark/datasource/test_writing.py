"""Sink tasks within a query: what they are given, when a write is done, and when it has failed."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from tests.runtime.spark.datasource.fakes import Ledger, Shelf, plan_of

from plugwright.errors import ConnectError
from plugwright.record import SinkRecord
from plugwright.spark.datasource.sink_run import TaskBatch, run_sink
from plugwright.spark.datasource.writer import write_rows
from plugwright.task import BatchIdentity
from plugwright.worker import TaskControl

IDENTITY = BatchIdentity("q", 4, 2)


def batch(count):
    """An Arrow batch of numbers."""
    return pa.record_batch({"value": pa.array(range(count), pa.int64())})


def write(plan, *counts):
    """Write batches of so many rows."""
    batches = [batch(count) for count in counts]
    return write_rows(plan, batch(0).schema, iter(batches), IDENTITY, 100).records


def plan(task=Shelf, trouble=None, **options):
    """The plan of a sink."""
    config = {"trouble": json.dumps(trouble or {})}
    return plan_of(task, config, **{"topics": "t", "rows_put_timeout_ms": 20, **options})


def test_rows_are_put_500_at_a_time_and_made_durable_at_the_end():
    """As by a worker, which commits once more before it closes; the partition is Spark's."""
    assert write(plan(), 501, 0, 3) == 504
    assert Shelf.log == [
        "start",
        "open [('t', 2)]",
        "put 500",
        "put 4",
        "put 0",
        "commit [('t', 2, 604)]",
        "put 0",
        "commit [('t', 2, 604)]",
        "close",
        "stop",
    ]


def test_no_rows_start_no_task():
    """Spark has empty partitions."""
    assert write(plan(), 0) == 0
    assert Shelf.log == []


def test_an_idempotent_task_receives_the_identity_of_the_batch():
    """It is made durable once, at the end."""
    assert write(plan(Ledger), 2) == 2
    calls = [entry for entry in Ledger.log[2:] if entry != "put 0"]
    assert calls == ["begin q-4-2", "put 2", "commit [('t', 2, 102)]", "close", "stop"]


@pytest.mark.parametrize(("task", "times"), [(Shelf, 3), (Ledger, 1)])
def test_a_task_may_hint_that_now_is_a_good_time_to_commit(task, times):
    """But an idempotent one is made durable as a whole."""
    write(plan(task, {"hint": True}), 501)

    assert sum(entry.startswith("commit") for entry in task.log) == times


def test_each_partition_has_the_settings_of_a_task_in_turn():
    """The third partition has those of the third task."""
    configs = [{}, {}, {"trouble": '{"break": true}'}]

    with pytest.raises(ConnectError, match="broken"):
        write(plan_of(Shelf, *configs, topics="t"), 1)


def test_a_batch_that_an_idempotent_task_has_is_not_put_again():
    """The write succeeds all the same."""
    Ledger.had.add(IDENTITY)

    try:
        assert write(plan(Ledger), 2) == 0
    finally:
        Ledger.had.clear()
    assert Ledger.log == ["start", "open [('t', 2)]", "begin q-4-2", "close", "stop"]


class Waits(TaskControl):
    """Waits without sleeping: the clock goes on, and what was waited for is noted."""

    def __init__(self):
        super().__init__()
        self.seconds = 0.0

    def wait(self, timeout_s):
        """Let the time pass."""
        self.seconds += timeout_s

    def clock(self):
        """Seconds since the beginning."""
        return self.seconds


def deliver(made):
    """Put one record; how long that has taken, in seconds."""
    control = Waits()
    batch = TaskBatch(IDENTITY, iter([[RECORD]]))
    run_sink(made, batch, control=control, clock=control.clock)
    return control.seconds


RECORD = SinkRecord("t", 2, None, None, None, "v", 100)


def test_a_retry_comes_when_the_task_asks_for_it():
    """Five seconds, twice."""
    assert deliver(plan(trouble={"put": 2}, rows_put_timeout_ms=20_000)) == pytest.approx(10)
    assert Shelf.log[:3] == ["start", "open [('t', 2)]", "put 1"]


def test_a_write_waits_until_all_is_durable():
    """The task is called meanwhile, for it has no other clock."""
    assert deliver(plan(trouble={"slow": 2}, rows_put_timeout_ms=1000)) > 0
    assert Shelf.log[2:6] == ["put 1", "put 0", "put 0", "put 0"]
    assert Shelf.log[-2:] == ["close", "stop"]
    assert "commit [('t', 2, 101)]" in Shelf.log


LIMITS = {
    "rows.sink-unavailable": (
        {"put": 99},
        (
            "tests.runtime.spark.datasource.fakes.Shelf 1.0 did not take the records of one batch "
            "within 0.02 s: closed"
        ),
        "wait for the morning",
    ),
    "rows.not-durable": (
        {"slow": 99},
        (
            "0.02 s after the end of a batch, pre_commit reports t-2 durable up to no offset "
            "instead of 101; a batch can only be completed as a whole"
        ),
        "fix the system that it writes to, or raise rows.put.timeout.ms",
    ),
}


@pytest.mark.parametrize(("code", "case"), LIMITS.items(), ids=LIMITS)
def test_patience_has_a_limit(code, case):
    """The write fails, and the task is stopped."""
    trouble, text, hint = case

    with pytest.raises(ConnectError) as caught:
        deliver(plan(trouble=trouble))

    assert (caught.value.code, str(caught.value), caught.value.hint) == (code, text, hint)
    assert Shelf.log[-1] == "stop"


def test_a_task_that_fails_is_stopped():
    """Its error names the plugin and the call."""
    with pytest.raises(ConnectError, match=r"fakes\.Shelf 1\.0 failed in put: broken"):
        write(plan(trouble={"break": True}), 1)

    assert Shelf.log == ["start", "open [('t', 2)]", "close", "stop"]


def test_a_task_cannot_go_back_behind_its_rows():
    """They are all that it can be given."""
    with pytest.raises(ConnectError, match="requested offset 0 of t-2, but the batch begins"):
        write(plan(trouble={"rewind": True}), 1)


def test_records_that_a_task_reports_are_left_out_if_that_is_tolerated():
    """Without a log no component receives reports (KIP-610)."""
    logged = {"errors_tolerance": "all", "errors_log_enable": "true"}

    assert write(plan(trouble={"report": True}, **logged), 2) == 2
    with pytest.raises(ConnectError, match="'NoneType' object has no attribute 'report'"):
        write(plan(trouble={"report": True}), 2)
