"""Our worker calls connectors and tasks as Kafka Connect does, or a table says why not."""

from __future__ import annotations

import pytest
from tests.oracle.calls.deviations import DEVIATIONS, SOMETIMES, sequences_that_differ
from tests.oracle.calls.lives import SITTINGS
from tests.oracle.calls.recording import recorded
from tests.oracle.calls.replay import replayed
from tests.oracle.calls.sinks import SINKS
from tests.oracle.calls.sources import SOURCES

LIVES = {life.name: life for life in (*SINKS, *SOURCES)}


def test_recording_has_the_lives_as_they_are_written():
    """Each once, with its steps; nothing was waited for in vain."""
    rows = recorded()

    assert len(LIVES) == len(SINKS) + len(SOURCES)
    assert {name: list(life.steps) for name, life in LIVES.items()} == {
        name: row["steps"] for name, row in rows.items()
    }
    assert [name for name, row in rows.items() if "unreached" in row["calls"]] == []


def test_few_differences_are_argued():
    """At most one life in ten, and only of lives that there are."""
    argued = {name for name, _ in DEVIATIONS}

    assert argued <= LIVES.keys()
    assert len(argued) <= len(LIVES) / 10


def test_partitions_of_a_batch_have_no_order_and_their_records_have():
    """A poll brings partitions in any order; offsets and failures are still compared."""
    java = {"task-0": ["put T-0@0=a T-0@1=b T-1@0=x", "put T-0@2=c T-1@1=y -> retry"]}

    assert not sequences_that_differ(
        java, {"task-0": ["put T-1@0=x T-0@0=a T-0@1=b", "put T-1@1=y T-0@2=c -> retry"]}
    )
    for batch in ("T-0@1=b T-0@0=a T-1@0=x", "T-0@0=a T-0@1=b", "T-0@0=a T-0@1=c T-1@0=x"):
        assert sequences_that_differ(java, {"task-0": [f"put {batch}", java["task-0"][1]]})
    assert sequences_that_differ(java, {"task-0": [java["task-0"][0], "put T-0@2=c T-1@1=y"]})


@pytest.mark.spark
@pytest.mark.kafka
@pytest.mark.timeout(900)
@pytest.mark.parametrize("sitting", SITTINGS)
def test_calls_are_those_of_java(sitting):
    """Names, order and arguments, of connectors and of tasks."""
    different = {
        (name, sequence): (java.get(sequence), ours.get(sequence))
        for name, (java, ours) in replayed(sitting).items()
        for sequence in sequences_that_differ(java, ours)
    }
    argued = {key for key in DEVIATIONS if LIVES[key[0]].sitting == sitting}

    assert {key: pair for key, pair in different.items() if key not in argued} == {}
    assert argued - SOMETIMES <= different.keys()
