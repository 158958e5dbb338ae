"""The configs topic, entry by entry as Kafka Connect writes them."""

from __future__ import annotations

import pytest

from plugwright.control_plane import RestartRequest
from plugwright.herder.config_state import (
    ConfigChange,
    ConfigState,
    EntrySubject,
    Opening,
    TargetState,
    connector_entry,
    fencing_entry,
    logger_entry,
    opening_entry,
    removal_entries,
    restart_entry,
    target_entry,
    task_entries,
)

CONNECTOR = b'{"properties":{"connector.class":"FileStreamSource","name":"a-b"}}'


def _applied(*entries):
    state = ConfigState()
    for key, value in entries:
        state.apply(key, value)
    return state


def test_a_connector_is_started_unless_said_otherwise():
    """A configuration alone means STARTED, as in Connect."""
    state = _applied(("connector-a-b", CONNECTOR))
    assert state.configs == {"a-b": {"connector.class": "FileStreamSource", "name": "a-b"}}
    assert state.targets == {"a-b": TargetState.STARTED}


def test_a_target_state_before_the_connector_stays():
    """A connector may be created paused: its target state is written first (KIP-980)."""
    state = _applied(
        ("target-state-a", b'{"state":"PAUSED","state.v2":"PAUSED"}'), ("connector-a", CONNECTOR)
    )
    assert state.targets == {"a": TargetState.PAUSED}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b'{"state":"PAUSED"}', TargetState.PAUSED),
        (b'{"state":"PAUSED","state.v2":"STOPPED"}', TargetState.STOPPED),
        (b'{"state":"STARTED","state.v2":"STARTED"}', TargetState.STARTED),
    ],
    ids=["before 3.5", "stopped", "started"],
)
def test_target_states_of_old_and_new_workers_are_read(value, expected):
    """The second field tells STOPPED from PAUSED (KIP-875)."""
    assert _applied(("target-state-a", value)).targets == {"a": expected}


def test_task_configs_count_from_their_commit_on():
    """A half-written set does not replace the whole one before it."""
    whole = [
        ("task-a-1-0", b'{"properties":{"file":"x"}}'),
        ("task-a-1-1", b'{"properties":{"file":"y"}}'),
        ("commit-a-1", b'{"tasks":2}'),
    ]
    state = _applied(*whole, ("task-a-1-0", b'{"properties":{"file":"z"}}'))
    assert state.task_configs == {"a-1": {0: {"file": "x"}, 1: {"file": "y"}}}


def test_a_set_that_lacks_a_task_is_inconsistent():
    """Compaction may have removed a task of a set whose commit is still there."""
    state = _applied(("task-a-1", b'{"properties":{}}'), ("commit-a", b'{"tasks":2}'))
    assert state.inconsistent == {"a"}
    assert state.task_configs == {}


def test_a_removed_connector_leaves_only_the_count_of_its_removals():
    """Its tasks, its fencing count and its target state go with it."""
    state = _applied(
        ("connector-a", CONNECTOR),
        ("task-a-0", b'{"properties":{}}'),
        ("commit-a", b'{"tasks":1}'),
        ("tasks-fencing-a", b'{"task-count":1}'),
        ("connector-a", None),
        ("target-state-a", None),
        ("connector-a", None),
    )
    assert state == ConfigState(removals={"a": 1})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("connector-a", b"{"),
        ("connector-a", b"[]"),
        ("connector-a", b'{"properties":3}'),
        ("task-a-x", b'{"properties":{}}'),
        ("task-a-0", None),
        ("commit-a", b'{"tasks":"many"}'),
        ("target-state-a", b'{"state":"FLYING"}'),
        ("tasks-fencing-a", b"{}"),
        ("restart-connector-a", b"1"),
        ("session-key", b'{"key":"x"}'),
        ("", b"{}"),
    ],
)
def test_what_makes_no_sense_changes_nothing(key, value):
    """Another worker's nonsense is logged and left alone."""
    state = ConfigState()
    assert state.apply(key, value) is None
    assert state == ConfigState()


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (connector_entry("a", {"name": "ä"}), ("connector-a", '{"properties":{"name":"ä"}}')),
        (
            target_entry("a", TargetState.STOPPED),
            ("target-state-a", '{"state":"PAUSED","state.v2":"STOPPED"}'),
        ),
        (fencing_entry("a", 3), ("tasks-fencing-a", '{"task-count":3}')),
        (
            restart_entry(RestartRequest("a", False, True)),
            ("restart-connector-a", '{"include-tasks":true,"only-failed":false}'),
        ),
        (logger_entry("org.x", "DEBUG"), ("logger-cluster-org.x", '{"level":"DEBUG"}')),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_entries_are_written_as_connect_writes_them(entry, expected):
    """Key and value, byte for byte."""
    assert (entry[0], entry[1].decode()) == expected


def test_a_set_of_tasks_ends_with_its_commit():
    """In this order, so that a reader never takes half a set for a whole one."""
    assert task_entries("a", [{"x": "1"}, {}]) == [
        ("task-a-0", b'{"properties":{"x":"1"}}'),
        ("task-a-1", b'{"properties":{}}'),
        ("commit-a", b'{"tasks":2}'),
    ]


def test_a_removal_is_two_tombstones():
    """Of the connector first, as Connect does it."""
    assert removal_entries("a") == [("connector-a", None), ("target-state-a", None)]


def test_a_restart_request_is_read_back():
    """With what it asks for."""
    change = ConfigState().apply(*restart_entry(RestartRequest("a-0", True, False)))
    assert change == ConfigChange(
        EntrySubject.RESTART, "a-0", restart=RestartRequest("a-0", True, False)
    )


def test_a_level_for_all_workers_is_read_back():
    """With its namespace, dots and dashes included."""
    change = ConfigState().apply(*logger_entry("a.b-c", "TRACE"))
    assert change == ConfigChange(EntrySubject.LOGGER, "a.b-c", level="TRACE")


def test_tasks_may_run_once_their_generation_is_opened():
    """Not those of the next one, and not those of a worker that tells none."""
    state = _applied(
        ("connector-a", CONNECTOR),
        *task_entries("a", [{"n": "0"}, {"n": "1"}], 7),
    )
    seen = [state.is_open("a")]
    for entry in (
        fencing_entry("a", 2),
        opening_entry("a", Opening(7, (3, 16))),
        *task_entries("a", [{}], 8),
        opening_entry("a", Opening(8, (3,))),
        *task_entries("a", [{}]),
    ):
        state.apply(*entry)
        seen.append(state.is_open("a"))

    assert seen == [False, False, True, True, False, True, True, False]
    assert (state.openings["a"], state.fencing_counts["a"]) == (Opening(8, (3,)), 1)


def test_what_ran_last_is_known_after_a_connector_was_removed():
    """One of the same name has to wait for it."""
    state = _applied(
        ("connector-a", CONNECTOR),
        *task_entries("a", [{}], 7),
        opening_entry("a", Opening(7, (3,))),
        ("connector-a", None),
        ("target-state-a", None),
    )
    assert state.openings == {"a": Opening(7, (3,))}
    assert not state.is_open("a")


def test_the_configuration_that_tasks_were_made_from_is_known():
    """A newer one has not reached them yet."""
    state = _applied(("connector-a", CONNECTOR), *task_entries("a", [{}], 7))
    made_from = state.applied["a"]
    state.apply("connector-a", b'{"properties":{"x":"y"}}')
    assert made_from == state.applied["a"] != state.configs["a"]
