"""Exactly-once sources: what a committed reader sees, and where transactions end (KIP-618)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.worker.fakes import FakeTransactions
from tests.runtime.worker.rigs import ScriptedSource, SourceRig, line
from tests.runtime.worker.stepping import SteppingBackground

from plugwright.errors import ConnectError, RetriableError
from plugwright.record import SourceRecord
from plugwright.task import TransactionBoundary
from plugwright.worker import ErrorSettings

A, B = {"file": "a"}, {"file": "b"}


class Listening(ScriptedSource):
    """Hears of each record."""

    def commit_record(self, record, metadata):
        """Note value, and where Kafka has it."""
        self.calls.append((record.value, metadata and metadata.offset))


def _rig(boundary=TransactionBoundary.POLL, task_class=ScriptedSource, interval_s=None):
    rig = SourceRig(task_class)
    rig.transactions = FakeTransactions()
    rig.settings = replace(rig.settings, boundary=boundary, transaction_interval_s=interval_s)
    return rig


def _lines(*numbers, file="a"):
    return [line(file, number) for number in numbers]


def test_each_batch_is_a_transaction_with_its_offsets():
    """The boundary poll, the default."""
    rig = _rig()
    rig.run(_lines(1, 2), _lines(3))
    assert rig.transactions.calls == ["begin", "commit", "begin", "commit"]
    assert rig.transactions.offsets == [(A, {"line": 2}), (A, {"line": 3})]
    assert rig.transactions.topic == ["a1", "a2", "a3"]


def test_an_empty_poll_begins_no_transaction():
    """Transactions begin lazily, at the first record."""
    rig = _rig()
    rig.run(None, [], None)
    assert rig.transactions.calls == []


def test_a_transaction_holds_the_last_offset_of_each_partition():
    """However they are mixed."""
    rig = _rig()
    rig.run([*_lines(1), *_lines(7, file="b"), *_lines(2), *_lines(8, file="b")])
    assert rig.transactions.offsets == [(A, {"line": 2}), (B, {"line": 8})]


def test_a_large_poll_is_one_transaction():
    """Also where the loop divides it."""
    rig = _rig()
    rig.run(_lines(*range(1201)))
    assert (rig.transactions.calls, len(rig.transactions.topic)) == (["begin", "commit"], 1201)


def test_offsets_go_nowhere_else():
    """The offset store is only read."""
    rig = _rig()
    rig.run(_lines(1))
    assert rig.offsets.writes == []


def test_a_record_without_partition_has_no_offset():
    """But it is in the transaction."""
    rig = _rig()
    rig.run([SourceRecord(None, None, "t", "v")])
    assert (rig.transactions.topic, rig.transactions.offsets) == (["v"], [])


def test_a_dropped_record_moves_no_offset():
    """Offsets are recorded when the producer has accepted the record."""
    rig = _rig()
    rig.transform = lambda record: None if record.value == "a2" else record
    rig.run(_lines(1, 2))
    assert rig.transactions.offsets == [(A, {"line": 1})]


def test_the_task_hears_of_its_records_after_the_commit():
    """Then of the commit itself; a dropped record comes without metadata."""
    rig = _rig(task_class=Listening)
    rig.transform = lambda record: None if record.value == "a2" else record
    rig.run(_lines(1, 2, 3))
    reported = [call for call in rig.calls if isinstance(call, tuple) or call == "commit"]
    assert sorted(reported[:3]) == [("a1", 0), ("a2", None), ("a3", 1)]
    assert reported[3] == "commit"


def test_no_record_is_acknowledged_before_its_commit():
    """Although the broker has acknowledged them."""
    rig = _rig(TransactionBoundary.INTERVAL, Listening)
    rig.run(_lines(1), None, None, rig.fail(ValueError("bad")))
    assert [call for call in rig.calls if isinstance(call, tuple)] == []


def test_the_interval_ends_transactions_by_time():
    """Several batches in one, and one that is due without a new batch."""
    rig = _rig(TransactionBoundary.INTERVAL, interval_s=4.0)
    seen = []
    note = lambda: seen.append(list(rig.transactions.calls))  # noqa: E731  # a step
    rig.run(_lines(1), _lines(2), note, lambda: rig.clock.advance(4.0), note)
    assert seen == [["begin"], ["begin", "commit"]]
    assert rig.transactions.offsets == [(A, {"line": 2})]


def test_the_interval_is_the_flush_interval_by_default():
    """Ten seconds here."""
    rig = _rig(TransactionBoundary.INTERVAL)
    seen = []
    rig.run(_lines(1), rig.interval, lambda: seen.extend(rig.transactions.calls))
    assert seen == ["begin", "commit"]


def test_a_clean_stop_commits_what_is_open():
    """For the boundaries poll and interval."""
    rig = _rig(TransactionBoundary.INTERVAL)
    rig.run(_lines(1))
    assert (rig.transactions.calls, rig.transactions.topic) == (["begin", "commit"], ["a1"])


def test_a_pause_commits_what_is_open():
    """Lest the transaction runs into its timeout."""
    rig = _rig(TransactionBoundary.INTERVAL)
    seen = []
    rig.control.waits.extend([lambda: seen.extend(rig.transactions.calls), rig.control.resume])
    rig.run(_lines(1), rig.control.pause)
    assert seen == ["begin", "commit"]


def test_a_failing_task_commits_nothing_more():
    """What is open is aborted, so that readers do not wait for its timeout."""
    rig = _rig(TransactionBoundary.INTERVAL)
    rig.run(_lines(1), rig.fail(ValueError("bad")))
    assert (rig.transactions.calls, rig.transactions.topic) == (["begin", "abort"], [])
    assert rig.status.states[-1] == "FAILED"


def test_a_record_that_cannot_be_transformed_takes_its_transaction_with_it():
    """All or nothing."""
    rig = _rig()

    def refusing(record):
        if record.value == "a2":
            raise ValueError("bad")
        return record

    rig.transform = refusing
    rig.run(_lines(1, 2))
    assert (rig.transactions.topic, rig.transactions.offsets) == ([], [])


def test_a_tolerated_record_is_left_out_of_its_transaction():
    """errors.tolerance works here, too."""
    rig = _rig()
    rig.settings = replace(rig.settings, errors=ErrorSettings(tolerate_all=True))
    rig.transform = lambda record: record if record.value != "a2" else 1 / 0
    rig.run(_lines(1, 2, 3))
    assert rig.transactions.topic == ["a1", "a3"]


def test_a_refused_commit_fails_the_task():
    """A fenced zombie writes nothing more."""
    rig = _rig()
    rig.transactions.failures.append(ConnectError("fenced", code="transaction.fenced"))
    rig.run(_lines(1))
    assert rig.status.error.code == "transaction.fenced"
    assert (rig.transactions.topic, rig.transactions.offsets) == ([], [])


def test_a_refused_record_fails_the_task_and_nothing_of_it_is_visible():
    """There is no tolerance for the producer in a transaction (Kafka's rule)."""
    rig = _rig(TransactionBoundary.INTERVAL)
    rig.settings = replace(rig.settings, errors=ErrorSettings(tolerate_all=True))
    rig.transactions.prompt = False
    rig.run(_lines(1), rig.transactions.refuse)
    assert rig.status.error.code == "kafka.record-refused"
    assert str(rig.status.error) == "Kafka refused a record for topic t: MSG_SIZE_TOO_LARGE"
    assert (rig.transactions.calls, rig.transactions.topic) == (["begin", "abort"], [])


def _failing_commit(rig, code, refusal):
    """A commit that fails, and tells of a refused record before."""
    rig.transactions.prompt = False
    rig.transactions.failures.append(ConnectError("not delivered", code=code))
    commit = rig.transactions.commit
    rig.transactions.commit = lambda offsets: (
        rig.transactions.refuse(error=refusal),
        commit(offsets),
    )


@pytest.mark.parametrize(
    ("code", "refusal", "reported"),
    [
        ("transaction.failed", "TOPIC_AUTHORIZATION_FAILED", "kafka.record-refused"),
        ("transaction.failed", "_PURGE_QUEUE", "transaction.failed"),
        ("transaction.fenced", "_FENCED", "transaction.fenced"),
    ],
    ids=["refused", "given up", "fenced"],
)
def test_a_commit_that_fails_over_a_record_names_its_topic(code, refusal, reported):
    """But a record that was given up for something else says nothing."""
    rig = _rig()
    _failing_commit(rig, code, refusal)
    rig.run(_lines(1))
    assert rig.status.error.code == reported
    assert ("topic t: " in str(rig.status.error)) == (reported == "kafka.record-refused")


def test_a_record_that_the_client_gave_up_has_the_reason_of_its_transaction():
    """Its producer knows it."""
    rig = _rig(TransactionBoundary.INTERVAL)
    rig.transactions.prompt = False
    reason = ConnectError("may not write", code="transaction.failed")
    rig.transactions.failures.append(reason)
    rig.run(_lines(1), lambda: rig.transactions.refuse(error="_PURGE_QUEUE"))
    assert rig.status.error is reason
    assert (rig.transactions.topic, rig.transactions.offsets) == ([], [])


@pytest.mark.parametrize("boundary", [TransactionBoundary.POLL, TransactionBoundary.INTERVAL])
def test_a_stop_in_the_middle_of_a_batch_commits_nothing_of_it(boundary):
    """Half of a batch waits for room: its offsets are not known."""
    rig = _rig(boundary)
    rig.transactions.room, rig.transactions.prompt = 1, False
    full = rig.transactions.when_full
    rig.transactions.when_full = lambda call: full(lambda: rig.control.stop() or call())
    rig.run(_lines(1, 2))
    assert (rig.transactions.calls, rig.transactions.topic) == (["begin", "abort"], [])
    assert rig.status.states[-1] == "STOPPED"


def test_a_task_may_not_write_to_its_own_offsets_topic():
    """Kafka's sentence."""
    rig = _rig()
    rig.transactions.offsets_topic = "t"
    rig.run(_lines(1))
    assert str(rig.status.error) == (
        "Source tasks may not produce to their own offsets topics when exactly-once support is "
        "enabled"
    )


def test_a_task_that_failed_in_a_deaf_poll_and_is_stopped_commits_nothing():
    """The refusal came first."""
    rig = _rig(TransactionBoundary.INTERVAL)
    rig.transactions.prompt, rig.background = False, SteppingBackground()

    def during():
        rig.transactions.refuse()
        rig.background.step()
        rig.control.stop()
        rig.background.step()
        rig.clock.advance(0.6)
        rig.background.step()

    rig.run(_lines(1), during)
    assert rig.transactions.calls == ["begin", "abort"]
    assert rig.status.error.code == "kafka.record-refused"


@pytest.mark.parametrize("boundary", [TransactionBoundary.POLL, TransactionBoundary.INTERVAL])
def test_offsets_of_an_aborted_transaction_are_forgotten(boundary):
    """No later call can store them."""
    rig = _rig(boundary)
    rig.transactions.failures.append(ConnectError("gone"))
    rig.run(_lines(1))
    assert rig.transactions.calls == ["begin", "abort"]
    rig.loop._delivery.finish(failed=False)
    assert (rig.transactions.offsets, str(rig.status.error)) == ([], "gone")


class Deciding(Listening):
    """Ends its own transactions."""

    def request(self, what, record=None):
        """Tell the transaction context."""
        getattr(self.context.transaction_context, f"{what}_transaction")(record)


def _deciding():
    return _rig(TransactionBoundary.CONNECTOR, Deciding)


def _batch(rig, *numbers, **requests):
    """A step: a batch, with requests about the batch, or by number about records."""

    def step():
        records = _lines(*numbers)
        for name, number in requests.items():
            what = name.split("_")[0]
            rig.task.request(what, None if number is None else records[number])
        return records

    return step


def test_the_context_is_there_for_the_boundary_connector_only():
    """None otherwise."""
    others = [_rig(b) for b in (TransactionBoundary.POLL, TransactionBoundary.INTERVAL)]
    others.append(_rig(TransactionBoundary.CONNECTOR))
    others[-1].transactions = None  # at least once, whatever the boundary is
    assert [rig.run().task.context.transaction_context for rig in others] == [None] * 3
    assert _deciding().run().task.context.transaction_context is not None


def test_a_connector_may_end_a_transaction_after_a_batch():
    """Nothing is committed before."""
    rig, seen = _deciding(), []
    rig.run(
        _batch(rig, 1),
        lambda: seen.append(list(rig.transactions.calls)),
        _batch(rig, 2, commit=None),
    )
    assert seen == [["begin"]]
    assert (rig.transactions.calls, rig.transactions.offsets) == (
        ["begin", "commit"],
        [(A, {"line": 2})],
    )


def test_a_connector_may_end_a_transaction_after_a_record():
    """What follows belongs to the next one."""
    rig = _deciding()
    rig.run(_batch(rig, 1, 2, 3, commit=1), _batch(rig, 4, commit=None))
    assert rig.transactions.offsets == [(A, {"line": 2}), (A, {"line": 4})]


def test_a_connector_may_end_a_transaction_at_a_record_that_is_dropped():
    """Its place in the batch is what counts."""
    rig = _deciding()
    rig.transform = lambda record: None if record.value == "a2" else record
    rig.run(_batch(rig, 1, 2, 3, commit=1))
    assert (rig.transactions.topic, rig.transactions.offsets) == (["a1"], [(A, {"line": 1})])


def test_an_aborted_batch_leaves_no_data_but_its_offsets():
    """The connector has declared the records void: they are not read again."""
    rig = _deciding()
    rig.run(_batch(rig, 1, 2, abort=None), _batch(rig, 3, commit=None))
    assert rig.transactions.topic == ["a3"]
    assert rig.transactions.calls == ["begin", "abort", "begin", "commit", "begin", "commit"]
    assert rig.transactions.offsets == [(A, {"line": 2}), (A, {"line": 3})]


def test_an_abort_after_a_record_leaves_what_follows():
    """a1 and a2 are void, a3 is not."""
    rig = _deciding()
    rig.run(_batch(rig, 1, 2, 3, abort=1, commit=None))
    assert rig.transactions.topic == ["a3"]


def test_a_stop_does_not_commit_for_the_connector():
    """What it has not ended is aborted and read again."""
    rig = _deciding()
    rig.run(_batch(rig, 1))
    assert (rig.transactions.calls, rig.transactions.offsets) == (["begin", "abort"], [])


def test_a_last_request_is_fulfilled_at_the_stop():
    """A commit asked for while nothing was polled."""
    rig = _deciding()
    rig.run(_batch(rig, 1), lambda: rig.task.request("commit"))
    assert rig.transactions.offsets == [(A, {"line": 1})]


def test_a_stop_under_a_deaf_poll_takes_no_request_from_it():
    """The request is about the batch which that poll would have returned."""
    rig = _deciding()
    rig.background = SteppingBackground()

    def during():
        rig.task.request("commit")
        rig.control.stop()
        rig.background.step()
        rig.clock.advance(0.6)
        rig.background.step()

    rig.run(_batch(rig, 1), during)
    assert (rig.transactions.calls, rig.transactions.offsets) == (["begin", "abort"], [])


def test_a_pause_under_a_deaf_poll_takes_no_request_from_it():
    """It is fulfilled when the batch has come."""
    rig, seen = _deciding(), []
    rig.background = SteppingBackground()

    def during():
        rig.task.request("commit")
        rig.control.pause()
        rig.background.step()
        seen.append(list(rig.transactions.calls))
        return _lines(2)

    rig.control.waits.append(rig.control.resume)
    rig.run(_batch(rig, 1), during)
    assert seen == [["begin"]]
    assert rig.transactions.offsets == [(A, {"line": 2})]


@pytest.mark.parametrize(
    ("number", "what"), [(None, "transaction"), (0, "record")], ids=["batch", "record"]
)
def test_a_connector_that_wants_both_fails(number, what):
    """Kafka's sentence."""
    rig = _deciding()
    rig.run(_batch(rig, 1, commit=number, abort=number))
    assert str(rig.status.error) == f"Connector requested both commit and abort of same {what}"
    assert rig.transactions.topic == []


def test_a_poll_that_is_repeated_keeps_the_transaction_open():
    """A RetriableError ends nothing."""
    rig = _deciding()
    rig.run(_batch(rig, 1), rig.fail(RetriableError("later")), _batch(rig, 2, commit=None))
    assert rig.transactions.calls == ["begin", "commit"]


EVENTS = st.lists(
    st.one_of(
        st.lists(st.sampled_from("ab"), max_size=4),
        st.sampled_from(["interval", "fail", "refuse", "later", "stop"]),
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(EVENTS, st.sampled_from([TransactionBoundary.POLL, TransactionBoundary.INTERVAL]))
def test_every_record_is_visible_exactly_once_through_any_number_of_lives(events, boundary):
    """Tasks fail and stop; each successor goes on from the committed offsets."""
    visible, stored, wanted = [], {}, {"a": 0, "b": 0}
    while events:
        rig = _rig(boundary)
        done, positions = [], dict(stored)

        def step(event, rig=rig, done=done, positions=positions):
            done.append(event)
            if event == "fail":
                raise ValueError("bad")
            if event == "later":
                raise RetriableError("later")
            if event in {"interval", "refuse", "stop"}:
                actions = {
                    "interval": rig.interval,
                    "refuse": lambda: rig.transactions.failures.append(ConnectError("gone")),
                    "stop": rig.control.stop,
                }
                actions[event]()
                return None
            records = []
            for file in event:
                positions[file] = positions.get(file, 0) + 1
                wanted[file] = max(wanted[file], positions[file])
                records.append(line(file, positions[file]))
            return records

        rig.run(*[lambda event=event: step(event) for event in events])
        events = events[len(done) :] if done else []
        visible += rig.transactions.topic if not rig.transactions._uncommitted else []
        stored |= {p["file"]: o["line"] for p, o in rig.transactions.offsets}
    expected = [f"{f}{n}" for f, last in stored.items() for n in range(1, last + 1)]
    assert sorted(visible) == sorted(expected)


def _asking(rig, name):
    """A step: a poll without records that asks for the end of the transaction."""

    def step():
        rig.task.request(name)

    return step


@pytest.mark.parametrize(
    ("requested", "calls", "kept"),
    [
        ("commit", ["begin", "commit", "begin", "abort"], ["a1", "a2"]),
        ("abort", ["begin", "abort", "begin", "commit", "begin", "abort"], []),
    ],
)
def test_a_poll_without_records_can_end_the_transaction(requested, calls, kept):
    """The records of the next poll belong to the next transaction."""
    rig = _deciding()
    rig.run(_batch(rig, 1, 2), _asking(rig, requested), _batch(rig, 3))
    assert rig.transactions.calls == calls
    assert rig.transactions.topic == kept


def test_records_of_an_aborted_transaction_are_not_confirmed():
    """Kafka has them, but no committed reader sees them."""
    rig = _deciding()
    rig.run(_batch(rig, 1, 2), _asking(rig, "abort"), _batch(rig, 3, commit_after=0))
    assert [call for call in rig.calls if isinstance(call, tuple)] == [("a3", 0)]


def test_commit_is_called_after_each_poll():
    """Also after one without records, so that a commit that failed is tried again soon."""
    rig = _rig()
    rig.run(_lines(1), None, [])
    assert rig.calls[2:8] == ["poll", "commit"] * 3
    assert rig.transactions.calls == ["begin", "commit"]
