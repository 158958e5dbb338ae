"""Offsets that the driver keeps for its tasks, without Spark."""

from __future__ import annotations

import json
import threading

import pytest
from tests.runtime.spark.hosts import Host, task_spec

from plugwright.errors import ConnectError, DataError
from plugwright.spark import ResidentJob
from plugwright.spark.channel import ChannelClosedError
from plugwright.spark.driver_offsets import DriverOffsetStore
from plugwright.spark.messages import OffsetsStored, to_frame

PARTITION = {"file": "a"}


class Keeper:
    """Keeps what it is given, or refuses."""

    def __init__(self):
        self.kept = []
        self.refuses = False

    def read(self, connector):
        """The same at every start."""
        return [(PARTITION, {"connector": connector})]

    def write(self, connector, offsets):
        """Remember or refuse."""
        if self.refuses:
            raise ConnectError("the disk is full", code="offsets.not-stored")
        self.kept.append((connector, offsets))


@pytest.fixture
def keeper():
    """With nothing yet."""
    return Keeper()


@pytest.fixture
def job(keeper):
    """A job of one task."""
    return ResidentJob("orders-1", [task_spec()], lambda: None, offsets=keeper, patience_s=0.1)


def _state(host, number=1):
    frame = {"type": "offsets", "number": number, "offsets": [[PARTITION, {"at": number}]]}
    host.channel.frames.put(frame)


def test_a_host_receives_the_offsets_with_its_spec(job):
    """Fresh ones at every start."""
    host = Host(job)
    assert host.received()["offsets"] == [(PARTITION, {"connector": "orders"})]
    host.die()


def test_offsets_are_stored_before_the_answer(job, keeper):
    """Under the name of the connector."""
    host = Host(job)
    host.received()
    _state(host)

    assert host.received() == {"type": "offsets-stored", "number": 1, "problem": ""}
    assert keeper.kept == [("orders", [(PARTITION, {"at": 1})])]
    host.die()


def test_a_refusal_is_answered(job, keeper):
    """The task keeps them pending."""
    keeper.refuses = True
    host = Host(job)
    host.received()
    _state(host)

    assert host.received()["problem"] == "offsets.not-stored: the disk is full"
    host.die()


def test_a_replaced_host_stores_nothing(job, keeper):
    """A zombie would turn its successor's offsets back."""
    old = Host(job)
    old.received()
    new = Host(job, attempt=1)
    new.received()
    _state(old)

    assert old.received()["problem"] == "the task now runs in another process"
    assert keeper.kept == []
    old.die()
    new.die()


class Line:
    """The task's end of a conversation; `answer` plays the driver."""

    def __init__(self, answer):
        self._answer = answer
        self.sent = []
        self.store = DriverOffsetStore("orders", self._send, [(PARTITION, {"at": 1})], timeout_s=60)

    def _send(self, request):
        self.sent.append(json.loads(json.dumps(to_frame(request))))
        threading.Thread(target=self._answer, args=(self.store, request.number)).start()


def _agree(store, number):
    store.answered(OffsetsStored(number - 1, "too late for an older one"))
    store.answered(OffsetsStored(number, ""))


def test_a_stored_offset_is_known():
    """An answer to an older request says nothing."""
    line = Line(_agree)

    line.store.store([(PARTITION, {"at": 2}), ({"file": "b"}, None)])

    assert line.store.offset(PARTITION) == {"at": 2}
    assert line.store.offset({"file": "b"}) is None
    pairs = [[PARTITION, {"at": 2}], [{"file": "b"}, None]]
    assert line.sent == [{"type": "offsets", "number": 1, "offsets": pairs}]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda store, n: store.answered(OffsetsStored(n, "full")), "full"),
        (lambda store, _: store.answered(None), "the driver has disconnected"),
    ],
    ids=["refused", "gone"],
)
def test_an_offset_that_was_not_stored_is_not_known(answer, reason):
    """The error says why."""
    line = Line(answer)

    with pytest.raises(ConnectError) as caught:
        line.store.store([(PARTITION, {"at": 2})])

    assert str(caught.value) == f"offsets of orders were not stored: {reason}"
    assert line.store.offset(PARTITION) == {"at": 1}


def test_a_driver_that_says_nothing_is_not_waited_for_long():
    """The next commit tries again."""
    store = DriverOffsetStore("orders", lambda *_, **__: None, (), timeout_s=0.01)

    with pytest.raises(ConnectError, match=r"did not answer within 0\.01 s"):
        store.store([(PARTITION, {"at": 2})])


def test_a_line_that_is_cut_is_an_error_of_the_store():
    """Not one of the channel."""

    def cut(*_, **__):
        raise ChannelClosedError

    with pytest.raises(ConnectError, match="the driver has disconnected"):
        DriverOffsetStore("orders", cut, (), timeout_s=60).store([(PARTITION, {})])


def test_what_is_no_offset_is_refused_by_the_task_itself():
    """It is the plugin's mistake."""
    with pytest.raises(DataError):
        Line(_agree).store.store([(PARTITION, {"at": object()})])
