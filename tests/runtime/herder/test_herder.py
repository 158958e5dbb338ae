"""The control plane as the REST API uses it, over a worker that only remembers."""

from __future__ import annotations

import threading
import time

import pytest
from tests.runtime.herder.fakes import failure
from tests.runtime.herder.remembered import World

from plugwright.control_plane import (
    ActiveTopics,
    BadRequestError,
    ConnectorOffset,
    OperationDisabledError,
    RequestTargetError,
    RestartRequest,
    TaskId,
)
from plugwright.errors import AlreadyExistsError, ConfigError, ConnectError, NotFoundError


@pytest.fixture
def world():
    """A fresh one, closed at the end."""
    world = World()
    yield world
    world.herder.close()


def test_a_created_connector_is_shown_with_its_tasks(world):
    """Once it has started."""
    created, info = world.herder.put_connector_config("a", {"name": "a", "tasks.max": "2"})
    assert created
    assert info.tasks == [TaskId("a", 0), TaskId("a", 1)]
    assert (info.config, info.type) == ({"name": "a", "tasks.max": "2"}, "source")


def test_a_connector_is_not_created_twice(world):
    """Where only creating was asked for."""
    world.create()
    with pytest.raises(AlreadyExistsError, match=r"^Connector a already exists$"):
        world.create()


def test_a_wrong_configuration_is_refused_in_kafkas_words(world):
    """And nothing of it is kept."""
    with pytest.raises(ConfigError) as raised:
        world.create(wrong="x")
    assert str(raised.value) == (
        "Connector configuration is invalid and contains the following 1 error(s):\n"
        "it is wrong\n"
        "You can also find the above list of errors at the endpoint "
        "`/connector-plugins/{connectorType}/config/validate`"
    )
    assert world.herder.connectors() == []


def test_a_misspelt_setting_is_reported_and_kept(world, caplog, monkeypatch):
    """Kafka Connect takes unknown settings, so that it is no error."""
    known = [{"definition": {"name": "batch.size"}, "value": None}]
    monkeypatch.setattr(world.worker, "validate", lambda _: {"configs": known})

    world.create(**{"bath.size": "1"})

    assert 'a: unknown setting "bath.size"; did you mean "batch.size"?' in caplog.messages
    assert world.herder.connector_info("a").config["bath.size"] == "1"


def test_a_patch_changes_and_removes_settings(world):
    """KIP-477."""
    world.create(x="1", y="2")
    _, info = world.herder.patch_connector_config("a", {"x": "3", "y": None})
    assert info.config == {"name": "a", "x": "3"}


def test_a_deleted_connector_is_gone(world):
    """With its status."""
    world.create()
    world.herder.delete_connector_config("a")
    assert world.herder.connectors() == []
    with pytest.raises(NotFoundError, match=r"^No status found for connector a$"):
        world.herder.connector_status("a")


@pytest.mark.parametrize(
    ("ask", "arguments"),
    [
        ("connector_info", ("x",)),
        ("connector_config", ("x",)),
        ("task_configs", ("x",)),
        ("patch_connector_config", ("x", {})),
        ("delete_connector_config", ("x",)),
        ("restart_connector", ("x",)),
        ("restart_connector_and_tasks", (RestartRequest("x", False, True),)),
        ("restart_task", (TaskId("x", 0),)),
        ("pause_connector", ("x",)),
        ("resume_connector", ("x",)),
        ("stop_connector", ("x",)),
        ("connector_offsets", ("x",)),
        ("alter_connector_offsets", ("x", None)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_unknown_connector_is_not_found(world, ask, arguments):
    """Whatever is asked of it."""
    with pytest.raises(NotFoundError, match=r"^Connector x not found$"):
        getattr(world.herder, ask)(*arguments)


def test_an_unknown_connector_has_used_no_topics(world):
    """Kafka Connect does not look whether it is there, neither to show nor to forget them."""
    assert world.herder.connector_active_topics("x") == ActiveTopics("x", [])

    world.herder.reset_connector_active_topics("x")


def test_the_status_tells_state_and_worker(world):
    """Of the connector and of each task."""
    world.create()
    world.worker.groups[0].tell("FAILED", "boom")
    world.herder.settle(5)
    status = world.herder.connector_status("a")
    assert (status.connector.state, status.connector.worker_id) == ("RUNNING", "here:8083")
    assert [(t.id, t.state, t.trace) for t in status.tasks] == [(0, "FAILED", "boom")]
    assert world.herder.task_status(TaskId("a", 0)).state == "FAILED"


def test_an_unknown_task_is_not_found(world):
    """For a restart, and for its status."""
    world.create()
    with pytest.raises(NotFoundError, match=r"^Task a-7 not found$"):
        world.herder.restart_task(TaskId("a", 7))
    with pytest.raises(NotFoundError, match=r"^No status found for task a-7$"):
        world.herder.task_status(TaskId("a", 7))


def test_a_restart_is_announced_in_its_answer(world):
    """KIP-745: what will restart is shown as RESTARTING."""
    world.create(**{"tasks.max": "2"})
    world.worker.groups[0].tell("FAILED", "boom", tasks=[1])
    world.herder.settle(5)
    status = world.herder.restart_connector_and_tasks(RestartRequest("a", True, True))
    assert status.connector.state == "RUNNING"
    assert [task.state for task in status.tasks] == ["RUNNING", "RESTARTING"]
    world.herder.settle(5)
    world.herder.settle(5)
    assert world.herder.task_status(TaskId("a", 1)).state == "RUNNING"


def test_a_restart_has_been_done_before_the_answer(world, monkeypatch):
    """As `StandaloneHerder` does it, so that the next request does not meet a state between."""
    world.create()
    start = world.worker.start_connector

    def start_slowly(request):
        time.sleep(0.2)
        return start(request)

    monkeypatch.setattr(world.worker, "start_connector", start_slowly)
    world.herder.restart_connector_and_tasks(RestartRequest("a", False, True))
    assert world.worker.calls.count(("start", "a")) == 2
    status = world.herder.connector_status("a")
    assert [status.connector.state, *(task.state for task in status.tasks)] == ["RUNNING"] * 2


def test_pausing_resuming_and_stopping_take_effect_before_the_answer(world):
    """In a worker of its own."""
    world.create()
    states = []
    for turn in ("pause_connector", "resume_connector", "stop_connector"):
        getattr(world.herder, turn)("a")
        states.append(world.herder.connector_status("a").connector.state)
    assert states == ["PAUSED", "RUNNING", "STOPPED"]


def test_offsets_of_a_running_connector_are_not_changed(world):
    """It has to be stopped first."""
    world.create()
    with pytest.raises(BadRequestError, match=r"STOPPED state.*'/connectors/a/stop' endpoint$"):
        world.herder.alter_connector_offsets("a", None)
    assert "alter-offsets" not in [call[0] for call in world.worker.calls]


@pytest.mark.parametrize(
    ("offsets", "plugin", "message"),
    [
        (None, True, "The offsets for this connector have been reset successfully"),
        (
            [ConnectorOffset({"f": "x"}, {"p": 1})],
            True,
            "The offsets for this connector have been altered successfully",
        ),
        (
            None,
            False,
            (
                "The Connect framework-managed offsets for this connector have been reset "
                "successfully. However, if this connector manages offsets externally, they will "
                "need to be manually reset in the system that the connector uses."
            ),
        ),
    ],
    ids=["reset", "altered", "framework only"],
)
def test_offsets_of_a_stopped_connector_are_changed(world, offsets, plugin, message):
    """The answer tells whether the plugin took part."""
    world.create(target="STOPPED")
    world.worker.plugin_alters = plugin
    assert world.herder.alter_connector_offsets("a", offsets).message == message
    asked = None if offsets is None else [({"f": "x"}, {"p": 1})]
    assert ("alter-offsets", "a", asked) in world.worker.calls


@pytest.mark.parametrize(
    ("partition", "offset", "message"),
    [
        (None, None, "The partition for a sink connector offset cannot be null or missing"),
        ({"kafka_topic": "t"}, None, "must contain the keys 'kafka_topic' and 'kafka_partition'"),
        (
            {"kafka_topic": None, "kafka_partition": 0},
            None,
            "Kafka topic names must be valid strings and may not be null",
        ),
        (
            {"kafka_topic": "t", "kafka_partition": "x"},
            None,
            "Failed to parse the following Kafka partition value in the provided offsets: 'x'.",
        ),
        (
            {"kafka_topic": "t", "kafka_partition": 0},
            {"offset": 1},
            "should either be null or contain the key 'kafka_offset'",
        ),
        (
            {"kafka_topic": "t", "kafka_partition": 0},
            {"kafka_offset": 1.5},
            "Failed to parse the following Kafka offset value in the provided offsets: '1.5'.",
        ),
        (
            {"kafka_topic": "t", "kafka_partition": None},
            {"kafka_offset": 1},
            "Failed to parse the following Kafka partition value in the provided offsets: 'null'.",
        ),
        (
            {"kafka_topic": "t", "kafka_partition": 0},
            {"kafka_offset": True},
            "Failed to parse the following Kafka offset value in the provided offsets: 'true'.",
        ),
        (
            {"kafka_topic": "t", "kafka_partition": 1 << 31},
            {"kafka_offset": 1},
            "Failed to parse the following Kafka partition value in the provided offsets: '21474",
        ),
    ],
)
def test_offsets_that_no_sink_can_have_are_refused(world, partition, offset, message):
    """Each with what is wrong."""
    world.create(target="STOPPED", type="sink")
    with pytest.raises(BadRequestError) as raised:
        world.herder.alter_connector_offsets("a", [ConnectorOffset(partition, offset)])
    assert message in str(raised.value)


@pytest.mark.parametrize(("partition", "offset"), [(0, -1), ("-2", "-1")])
def test_negative_offsets_of_a_sink_are_no_bad_request(world, partition, offset):
    """Kafka Connect takes them, and fails then; the worker is not asked."""
    world.create(target="STOPPED", type="sink")
    place = {"kafka_topic": 7, "kafka_partition": partition}
    asked = ConnectorOffset(place, {"kafka_offset": offset})
    with pytest.raises(ConnectError) as raised:
        world.herder.alter_connector_offsets("a", [asked])
    assert raised.value.code == "offsets.negative"
    assert "alter-offsets" not in [call[0] for call in world.worker.calls]


def test_all_offsets_of_a_sink_are_read_before_one_is_refused(world):
    """As in Kafka Connect: what cannot be read is a bad request, whatever stands before it."""
    world.create(target="STOPPED", type="sink")
    place = {"kafka_topic": "t", "kafka_partition": 0}
    asked = [ConnectorOffset(place, {"kafka_offset": each}) for each in (-1, 1 << 63)]
    with pytest.raises(BadRequestError, match="9223372036854775808"):
        world.herder.alter_connector_offsets("a", asked)


def test_a_negative_partition_of_a_sink_is_for_kafka_to_refuse(world):
    """The other partitions of the request are changed, as in Kafka Connect."""
    world.create(target="STOPPED", type="sink")
    asked = [
        ConnectorOffset({"kafka_topic": "t", "kafka_partition": each}, {"kafka_offset": 1})
        for each in (-1, 0)
    ]
    world.herder.alter_connector_offsets("a", asked)
    taken = [({"kafka_topic": "t", "kafka_partition": n}, {"kafka_offset": 1}) for n in (-1, 0)]
    assert ("alter-offsets", "a", taken) in world.worker.calls


def test_an_offset_of_no_partition_need_not_be_forgotten(world):
    """There is none; what the empty partition has stays."""
    world.create(target="STOPPED")
    reported = [ConnectorOffset(None, None), ConnectorOffset({"f": "x"}, None)]
    world.herder.alter_connector_offsets("a", reported)
    assert ("alter-offsets", "a", [({"f": "x"}, None)]) in world.worker.calls


def test_a_sinks_numbers_may_be_text(world):
    """As Connect accepts them."""
    world.create(target="STOPPED", type="sink")
    asked = ConnectorOffset({"kafka_topic": "t", "kafka_partition": "3"}, {"kafka_offset": "10"})
    world.herder.alter_connector_offsets("a", [asked])
    taken = [({"kafka_topic": "t", "kafka_partition": 3}, {"kafka_offset": 10})]
    assert ("alter-offsets", "a", taken) in world.worker.calls


def test_a_plugin_that_refuses_new_offsets_is_heard(world):
    """Its error reaches the caller, and the connector is as before."""
    world.create(target="STOPPED")
    world.worker.failures["alter"] = failure("alter_offsets")
    with pytest.raises(type(failure()), match="failed in alter_offsets"):
        world.herder.alter_connector_offsets("a", None)
    assert world.herder.connector_status("a").connector.state == "STOPPED"


def test_a_connector_of_another_worker_is_referred_there(world):
    """With its address, so that the request can be forwarded."""
    world.shards.foreign.add("a")
    with pytest.raises(RequestTargetError) as raised:
        world.herder.put_connector_config("a", {"name": "a"})
    assert raised.value.forward_url == "http://other:8083/"


def test_tasks_that_wait_for_a_slot_are_listed_until_they_have_one(world):
    """By name; a task that is unassigned for another reason is none of them."""
    world.create(**{"tasks.max": "3"})
    group = world.worker.groups[-1]
    group.tell("UNASSIGNED", "spark.no-slot: Spark has no slot for this task", [1, 2])
    group.tell("UNASSIGNED", tasks=[0])
    world.herder.settle(5)
    assert world.herder.tasks_without_slot() == ["a-1", "a-2"]

    group.tell("RUNNING", tasks=[1, 2])
    world.herder.settle(5)
    assert world.herder.tasks_without_slot() == []


def test_connectors_follow_their_shards(world):
    """One that goes to another worker is stopped here, and started again when it comes back."""
    world.create()
    world.worker.calls.clear()
    world.shards.foreign.add("a")
    world.shards.changed()
    assert [call[0] for call in world.worker.calls] == ["stop-tasks", "stop"]
    assert world.herder.connector_status("a").connector.state == "UNASSIGNED"
    world.shards.foreign.clear()
    world.shards.changed()
    world.herder.settle(5)
    assert world.herder.connector_status("a").connector.state == "RUNNING"


def test_topics_are_not_shown_where_they_are_not_tracked():
    """The REST API answers 403, in Kafka's words."""
    world = World(topic_tracking=False)
    with pytest.raises(OperationDisabledError, match=r"^Topic tracking is disabled\.$"):
        world.herder.connector_active_topics("a")
    world.herder.close()


def test_forgotten_topics_are_reported_anew_by_the_tasks(world):
    """Once records use them again (KIP-558), whichever worker was asked."""
    world.create()
    world.herder._parts.statuses.put_topic("a", 0, "t", 1)
    before_ms = int(time.time() * 1000)

    world.herder.reset_connector_active_topics("a")
    assert world.herder.settle(5)

    what, launch, at_ms = world.worker.calls[-1]
    assert (what, launch) == ("forget-topics", "a-1")
    assert before_ms <= at_ms <= time.time() * 1000
    assert world.herder.connector_active_topics("a").topics == []


def test_topics_are_not_forgotten_where_that_is_not_allowed():
    """The REST API answers 403, in Kafka's words."""
    world = World(topic_tracking_reset=False)
    with pytest.raises(OperationDisabledError, match=r"^Topic tracking reset is disabled\.$"):
        world.herder.reset_connector_active_topics("a")
    world.herder.close()


def test_the_settings_of_a_built_in_plugin_are_shown(world):
    """By alias, in the order of its definition."""
    found = world.herder.connector_plugin_config("JsonConverter")
    assert "schemas.enable" in [setting["name"] for setting in found]


def test_an_unknown_plugin_is_not_found(world):
    """In Kafka's words."""
    with pytest.raises(NotFoundError, match=r"^Unknown plugin Nope\.$"):
        world.herder.connector_plugin_config("Nope")


def test_a_plugin_that_no_connector_names_is_refused(world):
    """A config provider belongs to the worker."""
    with pytest.raises(BadRequestError, match=r"^Invalid plugin class FileConfigProvider\. Valid"):
        world.herder.connector_plugin_config("FileConfigProvider")


def test_metrics_have_kafkas_names(world):
    """With connector and task as labels."""
    world.create(**{"tasks.max": "2"})
    lines = world.herder.metrics().splitlines()
    assert "kafka_connect_connect_worker_metrics_connector_count 1.0" in lines
    assert "kafka_connect_connect_worker_metrics_task_count 2.0" in lines
    assert (
        'kafka_connect_connect_worker_metrics_connector_running_task_count{connector="a"} 2.0'
        in lines
    )
    task = '{connector="a",task="1"}'
    expected = {
        f"kafka_connect_task_error_metrics_total_retries{task} 3.0",
        f"kafka_connect_source_task_metrics_source_record_write_total{task} 7.0",
        f"kafka_connect_connector_task_metrics_offset_commit_success_percentage{task} 0.75",
        f"kafka_connect_connector_task_metrics_offset_commit_failure_percentage{task} 0.25",
        f"kafka_connect_plugwright_task_metrics_batch_total{task} 2.0",
    }
    assert expected <= set(lines)


def test_plugins_are_listed_by_kind(world):
    """Without those that no connector names."""
    kinds = [plugin.type for plugin in world.herder.connector_plugins()]
    assert kinds == sorted(kinds, key=["transformation", "predicate", "converter",
                                       "header_converter"].index)  # fmt: skip
    assert len(kinds) > 20


def test_a_request_that_comes_too_early_waits_until_the_worker_knows_what_is_its_own():
    """As in Kafka Connect; the REST API answers before the herder has started."""
    world, asked = World(started=False), []
    world.shards.require = asked.append
    creating = threading.Thread(target=world.create)
    creating.start()
    creating.join(0.02)
    early = list(asked)

    world.herder.start("http://host:8083/")
    creating.join(60)
    world.herder.close()

    assert (early, asked) == ([], ["a"])


def test_nothing_is_taken_over_before_tasks_can_run(monkeypatch):
    """Another worker runs it until then; what only reads is answered meanwhile."""
    world, seen = World(started=False), []
    herder = world.herder

    def prepare(configs):
        seen.append((world.shards.changed, herder.is_ready(), herder.stage().description))
        seen.append((herder.connectors(), list(configs)))

    monkeypatch.setattr(world.worker, "prepare", prepare)
    herder.start("http://host:8083/")

    assert seen == [(None, False, "waiting for Spark to start"), ([], [])]
    assert world.shards.changed is not None
    assert (herder.is_ready(), herder.stage()) == (True, None)


def test_a_worker_whose_tasks_cannot_run_joins_nothing():
    """What Spark fails with ends the start."""
    world = World(started=False)
    world.worker.failures["prepare"] = ConnectError("no Java")

    with pytest.raises(ConnectError, match="no Java"):
        world.herder.start("http://host:8083/")

    assert world.shards.changed is None
    assert not world.herder.is_ready()


def test_a_caller_that_waits_for_a_start_is_answered_when_the_herder_leaves():
    """A worker that cannot start ends before that patience does."""
    herder, answered = World(started=False).herder, threading.Event()
    asking = threading.Thread(target=lambda: (herder.health_check(), answered.set()), daemon=True)
    asking.start()

    herder.close()

    assert answered.wait(30)


def test_a_herder_that_is_starting_is_not_healthy_yet():
    """The question waits; the REST API answers that the worker is starting (KIP-1017)."""
    herder, answered = World(started=False).herder, threading.Event()
    asking = threading.Thread(target=lambda: (herder.health_check(), answered.set()))
    asking.start()
    asking.join(0.02)
    early = answered.is_set()

    herder.start("http://host:8083/")
    asking.join(60)

    assert (early, answered.is_set()) == (False, True)
