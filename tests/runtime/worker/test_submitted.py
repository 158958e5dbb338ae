"""Which source offsets may be stored is what Java's ``SubmittedRecords`` says."""

from __future__ import annotations

from itertools import groupby

import pytest
from tests.oracle.golden import golden
from tests.runtime.worker.fakes import Message

from plugwright.errors import ConnectError
from plugwright.record import SourceRecord
from plugwright.worker import RecordRefusedError
from plugwright.worker import submitted as submitted_module
from plugwright.worker.submitted import SubmittedRecords

LINES = [
    line for line in golden("submitted") if all(step[0] != "drop" for step in line.case["steps"])
]
"""A record is submitted here when it is sent, so that none has to be dropped again."""


class Player:
    """Does the steps of a case; records that are submitted in a row are sent together."""

    def __init__(self, steps, *, together, alike=False):
        self.records = SubmittedRecords()
        self.commits = []
        self._alike = alike
        self._sent = []
        for (kind, home), found in groupby(steps, key=lambda step: (step[0], step[1:2])):
            row = list(found)
            for part in [row] if together else [[step] for step in row]:
                self._do(kind, home, part)

    def _do(self, kind, home, part):
        if kind == "submit":
            self._submit(home[0], [offset for _, _, offset in part])
        elif kind == "ack":
            for _ in part:
                run, message = self._sent[home[0]]
                run.delivered(None, message)
        else:
            for _ in part:
                ready = self.records.take_committable().values()
                self.commits.append({place["p"]: offset["o"] for place, offset in ready})

    def _submit(self, home, offsets):
        sources = [SourceRecord({"p": home}, {"o": offset}, "t", "v") for offset in offsets]
        number = len(self._sent)
        values = [b"v" if self._alike else b"%d" % (number + n) for n in range(len(offsets))]
        run = self.records.prepare({"p": home})
        going = [("t", None, None, value, None, None, run.delivered) for value in values]
        self.records.begin(run, sources, going)
        self._sent += [(run, Message(("t", 0, n), value)) for n, value in enumerate(values)]


def expected(line):
    """What Java reported at each commit."""
    return [commit["offsets"] for commit in line.result["commits"]]


@pytest.mark.parametrize("together", [False, True], ids=["one-by-one", "in-batches"])
@pytest.mark.parametrize("line", LINES, ids=str)
def test_offsets_are_those_of_java(line, together):
    """At every commit the same offsets, however the records were sent."""
    assert Player(line.case["steps"], together=together).commits == expected(line)


def test_all_histories_are_there():
    """The comparison cannot pass by not running."""
    assert len(LINES) >= 65
    assert sum(len(expected(line)) for line in LINES) > 300


def test_batches_are_acknowledged_in_part():
    """The offset before the first record that is still under way, as if sent one by one."""
    steps = [["submit", "a", n] for n in range(4)] + [["ack", 0], ["ack", 1], ["ack", 3]]
    assert Player([*steps, ["commit"]], together=True).commits == [{"a": 1}]


def test_records_that_look_alike_wait_for_each_other():
    """Which of them was acknowledged is not known, so nothing is lost."""
    steps = [["submit", "a", n] for n in range(3)] + [["ack", 1], ["commit"]]
    steps += [["ack", 0], ["commit"], ["ack", 2], ["commit"]]
    played = Player(steps, together=True, alike=True)
    assert played.commits == [{}, {}, {"a": 2}]


def test_of_many_records_in_flight_the_oldest_are_kept(monkeypatch):
    """Memory is bounded; what is not kept counts as a whole."""
    monkeypatch.setattr(submitted_module, "_KEPT", 3)
    rows = [["submit", "a", n] for n in range(3)], [["submit", "b", n] for n in range(3)]
    steps = [*rows[0], *rows[1], ["ack", 0], ["ack", 3], ["commit"]]
    played = Player(steps, together=True)
    assert played.commits == [{"a": 0}]
    for number in (4, 5):
        run, message = played._sent[number]
        run.delivered(None, message)
    assert list(played.records.take_committable().values()) == [({"p": "b"}, {"o": 2})]


def test_nothing_is_kept_of_a_run_that_is_done():
    """A commit may be a minute away."""
    played = Player([["submit", "a", 1], ["submit", "a", 2], ["ack", 1], ["ack", 0]], together=True)
    run, _ = played._sent[0]
    assert (run.records, run.going, run.settled) == ((), (), [])
    assert played.records._room == submitted_module._KEPT


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("MSG_SIZE_TOO_LARGE", "max.request.size"),
        ("TOPIC_AUTHORIZATION_FAILED", "grant Write on Topic t to "),
        ("INVALID_RECORD", "broker's"),
    ],
)
def test_a_record_that_is_refused_says_what_to_do(reason, hint):
    """It is not the broker alone that has a limit; a missing right is named."""
    records = SubmittedRecords()
    run = records.prepare({"p": "a"})
    run.delivered(f"KafkaError{{code={reason}}}", Message(("t", 0, 0)))
    with pytest.raises(ConnectError) as raised:
        records.raise_refused()
    assert hint in raised.value.hint
    refused = RecordRefusedError("no", sent=0, topic="t", reason=f"KafkaError{{code={reason}}}")
    assert refused.hint == raised.value.hint
