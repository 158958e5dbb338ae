"""The recordings hold exactly the steps of the scenario, and say whose answers they are."""

from __future__ import annotations

import pytest
from tests.oracle.worker.packing import Parts
from tests.oracle.worker.playing import contains
from tests.oracle.worker.recording import DIRECTORY, head, read
from tests.oracle.worker.scenario import chapters
from tests.oracle.worker.steps import BOTH

_MAX_BYTES = 5_500_000
_STEPS = 600


@pytest.mark.parametrize("mode", BOTH)
def test_recording_holds_the_steps_of_the_scenario(mode):
    """Nothing is missing, left over, changed or out of order."""
    expected = [numbered for chapter in chapters(mode) for numbered in chapter.numbered(mode)]

    assert [(line.id, line.step) for line in read(mode)] == expected


@pytest.mark.parametrize("mode", BOTH)
def test_recording_names_the_kafka_it_was_made_with(mode):
    """The version, and the digests of the jars."""
    facts = head(mode)

    assert (facts["kafka"], facts["mode"]) == ("4.3.1", mode)
    assert "connect-runtime-4.3.1.jar" in facts["jars"]


@pytest.mark.parametrize("mode", BOTH)
def test_java_reached_every_state_that_was_waited_for(mode):
    """No answer of the recording is one that a wait gave up with."""
    in_vain = [
        line.id
        for line in read(mode)
        if "until" in line.step and not contains(line.answer, line.step["until"])
    ]

    assert in_vain == []


@pytest.mark.parametrize("mode", BOTH)
def test_conversation_is_long(mode):
    """Many requests, not counting waits for a state."""
    assert sum("until" not in line.step and line.answer is not None for line in read(mode)) > _STEPS


def test_recordings_stay_reviewable():
    """Both together have a bound."""
    assert sum(path.stat().st_size for path in DIRECTORY.glob("*.jsonl")) < _MAX_BYTES


def test_packed_answers_are_the_same_when_unpacked():
    """Parts that answers share stand once, and nothing else changes."""
    key = {"name": "a", "importance": "HIGH"}
    answer = {"configs": [{"definition": key, "value": {"name": "a"}}] * 2, "list": [key, 1, None]}
    parts = Parts()

    packed = parts.pack(answer)

    assert len(parts.rows) == 2
    assert Parts(parts.rows).unpack(packed) == answer
