"""Which checkpoint a stream goes on with, and what its group receives."""

from __future__ import annotations

import pytest

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright.spark.stream_handover import StreamHandover

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


class Group:
    """A group in memory."""

    def __init__(self, offsets=None, refusals=()):
        self.offsets = dict(offsets or {})
        self._refusals = iter(refusals)

    def with_metadata(self):
        """Offsets and notes."""
        return self.offsets

    def commit(self, offsets, note):
        """Set them."""
        if (code := next(self._refusals, None)) is not None:
            raise ConnectError("no", code=code)
        self.offsets.update({home: (offset, note) for home, offset in offsets.items()})


def _begin(group, *, abandoned=False):
    handover = StreamHandover(group, "/checkpoints/c/", lambda: {T0: 0, T1: 3})
    return handover, handover.begin(lambda: abandoned)


def test_a_new_connector_begins_where_its_topics_begin():
    """The group knows at once whose offsets it shows."""
    group = Group()

    _, beginning = _begin(group)

    identity = beginning.checkpoint.removeprefix("/checkpoints/c/")
    assert beginning.starting == {T0: 0, T1: 3}
    assert group.offsets == {
        T0: (0, f"plugwright-stream:{identity}"),
        T1: (3, f"plugwright-stream:{identity}"),
    }


def test_the_checkpoint_of_the_groups_note_goes_on():
    """After a restart, even on another machine, where it is made anew from the group's offsets."""
    group = Group({T0: (7, "plugwright-stream:abc"), T1: (9, "plugwright-stream:abc")})

    _, beginning = _begin(group)

    assert beginning.checkpoint == "/checkpoints/c/abc"
    assert beginning.starting == {T0: 7, T1: 9}


@pytest.mark.parametrize(
    "offsets",
    [
        {T0: (7, ""), T1: (9, "")},
        {T0: (7, ""), T1: (9, "plugwright-stream:abc")},
        {T0: (7, "plugwright-stream:def"), T1: (9, "plugwright-stream:abc")},
        {T0: (7, "abc"), T1: (9, "abc")},
    ],
    ids=["resident tasks", "an altered offset", "two checkpoints", "another tool"],
)
def test_a_group_that_another_client_moved_begins_a_new_checkpoint(offsets):
    """At the group's offsets."""
    _, beginning = _begin(Group(offsets))

    assert not beginning.checkpoint.endswith(("abc", "def", "/c/"))
    assert beginning.starting == {T0: 7, T1: 9}


def test_the_group_receives_progress_once():
    """A group that refuses it receives it later; the stream goes on."""
    group = Group(refusals=[None, "kafka.group-offsets"])
    handover, _ = _begin(group)

    handover.tell({T0: 5})
    missed = group.offsets[T0][0]
    handover.tell({T0: 5})

    assert (missed, group.offsets[T0][0], group.offsets[T1][0]) == (0, 5, 3)


@pytest.mark.slow
def test_a_stream_waits_until_the_group_is_empty():
    """Resident tasks of before may still be in it."""
    group = Group(refusals=["kafka.group-in-use"])

    _begin(group)

    assert group.offsets[T0][0] == 0


@pytest.mark.parametrize(
    ("code", "abandoned"), [("kafka.group-in-use", True), ("kafka.group-offsets", False)]
)
def test_a_stream_that_cannot_have_the_group_does_not_begin(code, abandoned):
    """No caller waits for it, or waiting does not help."""
    with pytest.raises(ConnectError):
        _begin(Group(refusals=[code]), abandoned=abandoned)
