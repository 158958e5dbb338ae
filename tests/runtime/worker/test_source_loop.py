"""The source loop: order of calls, pause, errors, what plugins hear about their records."""

from __future__ import annotations

import pytest
from tests.runtime.worker.rigs import ScriptedSource, SourceRig, line

from plugwright.errors import ConnectError, DataError, PluginError, RetriableError
from plugwright.record import SourceRecord
from plugwright.worker import Boundary


@pytest.fixture
def rig():
    """A source loop with a scripted task."""
    return SourceRig()


def test_calls_come_in_the_order_of_the_contract(rig):
    """initialize, start, poll, commit, stop (Kafka Connect's worker)."""
    rig.run([line("a", 1)])
    assert rig.calls == ["initialize", "start", "poll", "poll", "commit", "stop"]
    assert rig.status.states == ["RUNNING", "STOPPED"]


def test_records_are_sent_in_order_and_serialized(rig):
    """What the task returns is what the producer gets."""
    rig.run([line("a", 1), line("b", 1)], [line("a", 2)])
    assert [record[:4] for record in rig.producer.in_flight] == [
        ("t", None, None, b"a1"),
        ("t", None, None, b"b1"),
        ("t", None, None, b"a2"),
    ]
    assert (rig.loop.counters.records, rig.loop.counters.batches) == (3, 2)


def test_a_large_poll_loses_nothing_at_the_batch_boundary(rig):
    """1,201 records leave as three batches of at most 500."""
    rig.producer.prompt = True
    rig.run([line("a", n) for n in range(1201)])
    assert rig.producer.topic == [f"a{n}" for n in range(1201)]
    assert rig.boundaries.count(Boundary.SEND) == 3


@pytest.mark.parametrize("nothing", [None, [], ()], ids=["None", "list", "tuple"])
def test_nothing_polled_is_nothing_sent(rig, nothing):
    """A poll may return nothing."""
    rig.run(nothing)
    assert (rig.status.states, rig.producer.in_flight.__len__()) == (["RUNNING", "STOPPED"], 0)


def test_poll_may_return_a_generator(rig):
    """Any iterable of records will do."""
    rig.run(lambda: (line("a", n) for n in range(3)))
    assert len(rig.producer.in_flight) == 3


def test_a_poll_that_returns_nonsense_is_the_plugins_failure(rig):
    """The error names the plugin and the phase."""
    rig.run(lambda: 5)
    assert isinstance(rig.status.error, PluginError)
    assert rig.status.error.facts["phase"] == "poll"


def test_a_poll_that_returns_something_else_is_the_plugins_failure(rig):
    """It says what was found among the records."""
    rig.run([line("a", 1), {"value": 2}])
    assert str(rig.status.error) == (
        "shop.OrdersTask 1.4.0 failed in poll: poll returned a dict where a SourceRecord was "
        "expected"
    )
    assert len(rig.producer.in_flight) == 0


@pytest.mark.parametrize(
    "error", [SystemExit(1), GeneratorExit(), type("Odd", (BaseException,), {})()]
)
def test_whatever_a_task_raises_is_its_failure(rig, error):
    """Not only exceptions."""
    rig.run(rig.fail(error))
    assert rig.status.error.facts["phase"] == "poll"
    assert rig.status.error.__cause__ is error


def test_a_retriable_poll_counts_as_nothing(rig):
    """Connect's rule: the poll is repeated."""
    rig.run(rig.fail(RetriableError("later")), [line("a", 1)])
    assert rig.status.states == ["RUNNING", "STOPPED"]
    assert (len(rig.producer.in_flight), rig.loop.counters.retries) == (1, 1)


def test_a_retriable_poll_waits_a_little(rig):
    """An endpoint that is down is not asked in a busy loop."""
    before = rig.clock.now
    rig.run(rig.fail(RetriableError("later")))
    assert rig.clock.now - before == pytest.approx(0.1)


@pytest.mark.parametrize("phase", ["initialize", "start", "poll", "stop"])
def test_a_failing_call_fails_the_task_and_names_plugin_and_phase(phase):
    """Plugin, version, location and phase are in the error."""

    class Failing(ScriptedSource):
        pass

    def fail(*_):
        raise ValueError("bad")

    setattr(Failing, phase, fail)
    error = SourceRig(Failing).run().status.error
    assert str(error) == f"shop.OrdersTask 1.4.0 failed in {phase}: bad"
    assert error.facts["location"] == "/plugins/shop"


@pytest.mark.parametrize("phase", ["initialize", "start", "poll"])
def test_stop_is_called_after_every_failure(phase):
    """Connect stops what it has begun to start (`started` is set before initialize)."""

    class Failing(ScriptedSource):
        pass

    def fail(*_):
        raise ValueError("bad")

    setattr(Failing, phase, fail)
    rig = SourceRig(Failing).run()
    assert rig.calls[-1] == "stop"
    assert rig.status.states[-1] == "FAILED"


def test_the_first_failure_is_the_one_reported():
    """A stop that fails as well hides nothing."""

    class Failing(ScriptedSource):
        def start(self, props):
            raise ValueError("first")

        def stop(self):
            raise ValueError("second")

    assert "first" in str(SourceRig(Failing).run().status.error)


def test_an_error_that_is_false_as_a_condition_is_an_error(rig):
    """Exceptions may define a length."""

    class OddError(ConnectError):
        def __len__(self):
            return 0

    rig.producer.send = lambda batch: (_ for _ in ()).throw(OddError("odd"))
    rig.run([line("a", 1)])
    assert rig.status.states[-1] == "FAILED"


def test_a_pause_polls_nothing_and_goes_on_afterwards(rig):
    """PAUSED, then RUNNING again."""
    rig.control.waits.extend([lambda: None, rig.control.resume])
    rig.run(rig.control.pause, [line("a", 1)])
    assert rig.status.states == ["RUNNING", "PAUSED", "RUNNING", "STOPPED"]
    assert rig.calls.count("poll") == 3


def test_offsets_are_stored_during_a_pause(rig):
    """A long pause keeps nothing uncommitted."""
    rig.control.waits.extend([rig.interval, lambda: None, rig.control.stop])
    rig.producer.prompt = True
    rig.run([line("a", 1)], rig.control.pause)
    assert rig.offsets.writes[0] == [({"file": "a"}, {"line": 1})]
    assert rig.status.states == ["RUNNING", "PAUSED", "STOPPED"]


def test_a_refusal_during_a_pause_fails_the_task(rig):
    """It does not wait for the resume."""
    rig.control.waits.extend([rig.producer.refuse, lambda: None, rig.control.resume])
    rig.run([line("a", 1)], rig.control.pause)
    assert rig.status.states == ["RUNNING", "PAUSED", "FAILED"]


def test_a_refused_record_fails_the_task(rig):
    """Connect's `Unrecoverable exception from producer send callback`."""
    rig.run([line("a", 1)], rig.refuse())
    assert rig.status.error.code == "kafka.record-refused"
    assert str(rig.status.error) == "Kafka refused a record for topic t: MSG_SIZE_TOO_LARGE"


def test_a_record_refused_at_the_very_end_fails_the_task(rig):
    """The flush of a clean stop finds refusals too."""
    rig.run([line("a", 1)], lambda: rig.control.stop() or rig.producer.refuse())
    assert rig.status.states[-1] == "FAILED"


def test_records_before_an_unconvertible_one_are_sent_and_committed(rig):
    """As in Connect, where each record is sent before the next one is converted."""
    rig.producer.prompt = True
    bad = SourceRecord({"file": "a"}, {"line": 2}, "t", "\ud800")
    rig.run([line("a", 1), bad, line("a", 3)])
    assert isinstance(rig.status.error, DataError)
    assert rig.producer.topic == ["a1"]
    assert rig.offsets.stored == {(("file", "a"),): {"line": 1}}


def test_an_unconvertible_first_record_stores_nothing(rig):
    """In particular no null, which would erase the partition's offset."""
    rig.producer.prompt = True
    rig.run([SourceRecord({"file": "a"}, {"line": 2}, "t", "\ud800")])
    assert rig.offsets.writes == []


def test_a_producer_that_fails_fails_the_task(rig):
    """The host's errors arrive as they are."""
    rig.producer.send = lambda batch: (_ for _ in ()).throw(ConnectError("gone", code="x.y"))
    rig.run([line("a", 1)])
    assert rig.status.error.code == "x.y"
    assert rig.calls[-1] == "stop"


class Listening(ScriptedSource):
    """Overrides commit_record."""

    def commit_record(self, record, metadata):
        """Remember value, topic, partition and offset."""
        self.calls.append((record.value, *metadata))


def test_commit_record_brings_record_and_place():
    """Topic, partition and offset, once Kafka has the record."""
    rig = SourceRig(Listening)
    rig.run([line("a", 1), line("b", 7)], rig.acknowledge())
    assert [call for call in rig.calls if isinstance(call, tuple)] == [
        ("a1", "t", 0, 0),
        ("b7", "t", 0, 1),
    ]


def test_commit_record_is_not_called_for_a_refused_record():
    """Nothing was acknowledged."""
    rig = SourceRig(Listening)
    rig.run([line("a", 1)], rig.refuse())
    assert not [call for call in rig.calls if isinstance(call, tuple)]


@pytest.mark.parametrize("phase", ["commit", "commit_record"])
@pytest.mark.parametrize("error", [ValueError("bad"), RetriableError("later")], ids=repr)
def test_errors_of_the_commit_hooks_change_nothing(phase, error):
    """Connect logs them (`Exception thrown while calling task.commit`): the data is safe."""

    class Failing(Listening):
        pass

    def fail(*_):
        raise error

    setattr(Failing, phase, fail)
    rig = SourceRig(Failing)
    rig.run([line("a", 1)], rig.acknowledge())
    assert rig.status.states[-1] == "STOPPED"
    assert rig.offsets.stored == {(("file", "a"),): {"line": 1}}


def test_the_task_sees_its_configuration_and_stored_offsets(rig):
    """The context of Connect's SourceTaskContext."""
    rig.offsets.stored = {(("file", "a"),): {"line": 4}}
    rig.run()
    context = rig.task.context
    assert (context.configs, context.transaction_context) == ({"topic": "t"}, None)
    assert context.offset_storage_reader.offset({"file": "a"}) == {"line": 4}
    both = context.offset_storage_reader.offsets([{"file": "a"}, {"file": "b"}])
    assert both == [({"file": "a"}, {"line": 4}), ({"file": "b"}, None)]


def test_boundaries_are_announced_where_a_crash_matters(rig):
    """In this order, for one record that is acknowledged at once."""
    rig.producer.prompt = True
    rig.run([line("a", 1)], rig.control.stop)
    assert [boundary.value for boundary in rig.boundaries] == [
        "start",
        "poll.enter",
        "poll.return",
        "send",
        "poll.enter",
        "poll.return",
        "offset-store.enter",
        "offset-store.return",
        "commit",
        "stop",
    ]


def test_a_crash_at_a_boundary_is_no_failure_of_the_task(rig):
    """What is no Exception passes through, so that the sweep can stop the world."""

    class Crash(BaseException):
        pass

    def observe(boundary):
        if boundary is Boundary.SEND:
            raise Crash

    rig.boundaries = type("Observer", (), {"append": staticmethod(observe)})
    with pytest.raises(Crash):
        rig.run([line("a", 1)])
    assert rig.calls[-1] == "poll"
