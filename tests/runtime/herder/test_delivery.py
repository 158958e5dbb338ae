"""Settings about delivery: errors, dead letters, topics, exactly once; what tasks receive."""

from __future__ import annotations

import pytest
from tests.runtime.herder.conftest import WORKER

from plugwright import ConnectorTransactionBoundaries, ExactlyOnceSupport
from plugwright.errors import ConfigError
from plugwright.herder import EmbeddedHerder, WorkerConfig
from plugwright.herder import spark_worker as implementation
from plugwright.kafka import ClientOverrides
from plugwright.spark import TaskSpec
from plugwright.worker import ErrorSettings, TopicGroup

SINK = {"connector.class": "ShopSink", "topics": "in"}


def _spec(world, **settings):
    world.start(**settings)
    return world.launcher.launched[-1][1][0]


def _problem(world, key, **settings):
    """The problem of one key."""
    with pytest.raises(ConfigError) as caught:
        world.start(**settings)
    found = dict(caught.value.facts["problems"])
    assert list(found) == [key], found
    return found[key]


def test_the_first_failure_ends_a_task_by_default(world):
    """Kafka's defaults."""
    assert _spec(world).errors == ErrorSettings()
    assert ErrorSettings() == ErrorSettings(
        tolerate_all=False,
        retry_timeout_s=0.0,
        retry_delay_max_s=60.0,
        log=False,
        log_messages=False,
        dead_letter_topic="",
        dead_letter_replication=3,
        dead_letter_headers=False,
    )


def test_a_sinks_settings_about_errors_reach_its_tasks(world):
    """Times in seconds."""
    spec = _spec(
        world,
        **SINK,
        **{
            "errors.tolerance": "all",
            "errors.retry.timeout": "-1",
            "errors.retry.delay.max.ms": "1500",
            "errors.log.enable": "true",
            "errors.log.include.messages": "true",
            "errors.deadletterqueue.topic.name": "dlq",
            "errors.deadletterqueue.topic.replication.factor": "1",
            "errors.deadletterqueue.context.headers.enable": "true",
            "errors.tolerance.limit": "7",
            "errors.tolerance.limit.period.ms": "500",
        },
    )
    assert spec.errors == ErrorSettings(True, -0.001, 1.5, True, True, "dlq", 1, True, 7, 0.5)


def test_a_source_has_no_dead_letter_queue(world):
    """Its settings are a sink's."""
    assert _spec(world, **{"errors.deadletterqueue.topic.name": "dlq"}).errors == ErrorSettings()


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("errors.tolerance", "some", "String must be one of"),
        ("errors.retry.timeout", "soon", "Not a number of type LONG"),
        ("errors.log.enable", "maybe", "Expected value to be either true or false"),
        ("errors.tolerance.limit", "-2", "Value must be at least -1"),
        ("errors.tolerance.limit.period.ms", "0", "Value must be at least 1"),
    ],
)
def test_wrong_settings_about_errors_are_named(world, key, value, part):
    """In Kafka's words."""
    assert part in _problem(world, key, **{key: value})


@pytest.mark.parametrize(
    ("key", "settings", "sentence"),
    [
        (
            "topics",
            {"topics": "in, dlq"},
            (
                "The DLQ topic 'dlq' may not be included in the list of topics "
                "('topics=[in, dlq]') consumed by the connector"
            ),
        ),
        (
            "topics.regex",
            {"topics": None, "topics.regex": "d.*"},
            (
                "The DLQ topic 'dlq' may not be matched by the regex for the topics "
                "('topics.regex=d.*') consumed by the connector"
            ),
        ),
    ],
    ids=["list", "pattern"],
)
def test_a_sink_may_not_read_its_own_dead_letters(world, key, settings, sentence):
    """Kafka's sentences, on Kafka's keys."""
    queue = {"errors.deadletterqueue.topic.name": "dlq"}
    assert _problem(world, key, **{**SINK, **settings, **queue}) == sentence


def test_topics_are_not_made_unless_a_setting_asks(world):
    """KIP-158."""
    assert _spec(world).topic_groups == ()


def test_groups_of_topics_reach_the_tasks_in_their_order(world):
    """What a group leaves out is the default group's; other keys are the topics' own."""
    spec = _spec(
        world,
        **{
            "topic.creation.groups": "logs, default",
            "topic.creation.default.partitions": "5",
            "topic.creation.default.replication.factor": "-1",
            "topic.creation.logs.include": "log-.*, audit",
            "topic.creation.logs.exclude": "log-x",
            "topic.creation.logs.partitions": "1",
            "topic.creation.logs.cleanup.policy": "compact",
        },
    )
    assert spec.topic_groups == (
        TopicGroup("logs", ("log-.*", "audit"), ("log-x",), 1, -1, {"cleanup.policy": "compact"}),
        TopicGroup("default", (".*",), (), 5, -1, {}),
    )


def test_the_worker_may_forbid_making_topics(world):
    """topic.creation.enable=false."""
    world.herder = world.make(**{"topic.creation.enable": "false"})
    settings = {
        "topic.creation.default.partitions": "1",
        "topic.creation.default.replication.factor": "1",
    }
    assert _spec(world, **settings).topic_groups == ()


DEFAULT = {
    "topic.creation.default.partitions": "1",
    "topic.creation.default.replication.factor": "1",
}


@pytest.mark.parametrize(
    ("key", "settings", "part"),
    [
        (
            "topic.creation.default.replication.factor",
            {"topic.creation.default.partitions": "1"},
            "Missing required configuration",
        ),
        (
            "topic.creation.default.partitions",
            {**DEFAULT, "topic.creation.default.partitions": "0"},
            "Number of partitions must be positive, or -1 to use the broker's default",
        ),
        (
            "topic.creation.logs.include",
            {**DEFAULT, "topic.creation.groups": "logs"},
            "Missing required configuration",
        ),
        (
            "topic.creation.logs.include",
            {**DEFAULT, "topic.creation.groups": "logs", "topic.creation.logs.include": "("},
            "Syntax error in regular expression",
        ),
        (
            "topic.creation.groups",
            {**DEFAULT, "topic.creation.groups": "a,a", "topic.creation.a.include": "x"},
            "Duplicate alias provided.",
        ),
    ],
)
def test_wrong_settings_about_topics_are_named(world, key, settings, part):
    """With what is wrong."""
    assert part in _problem(world, key, **settings)


@pytest.fixture
def fenced(world, monkeypatch):
    """A worker that delivers exactly once, and whom it fences."""
    world.herder = world.make(**{"exactly.once.source.support": "enabled", "group.id": "g"})
    calls = []
    monkeypatch.setattr(implementation, "fence_producers", lambda _, ids, __: calls.append(ids))
    return calls


def test_sources_deliver_at_least_once_by_default(world):
    """exactly.once.source.support=disabled."""
    assert _spec(world).transactional_id == ""


@pytest.mark.parametrize("support", ["disabled", "preparing"])
def test_a_worker_that_prepares_does_not_deliver_exactly_once_yet(world, support):
    """The first of two rounds of restarts."""
    world.herder = world.make(**{"exactly.once.source.support": support})
    assert _spec(world).transactional_id == ""


def test_each_task_has_its_own_transactional_id(world, fenced):
    """<group>-<connector>-<task>; sinks have none."""
    world.start(tasks_max="2")
    world.start(name="sink", **SINK)
    ids = [[spec.transactional_id for spec in specs] for _, specs, _ in world.launcher.launched]
    assert ids == [["g-orders-0", "g-orders-1"], [""]]
    assert fenced == [["g-orders-0", "g-orders-1"]]


def test_a_smaller_generation_fences_the_larger_one_before(world, fenced):
    """Its surplus tasks may be at work somewhere."""
    world.start(tasks_max="3")
    world.herder.stop_connector("orders")
    world.start(tasks_max="1")
    assert fenced[1] == ["g-orders-0", "g-orders-1", "g-orders-2"]


def test_nothing_is_launched_if_fencing_fails(world, fenced, monkeypatch):
    """Two generations at work would be worse than none."""

    def fail(*_):
        raise ConfigError("no coordinator")

    monkeypatch.setattr(implementation, "fence_producers", fail)
    with pytest.raises(ConfigError, match="no coordinator"):
        world.start()
    assert world.launcher.launched == []


def test_settings_of_transactions_reach_the_tasks(world, fenced):
    """Boundary, interval, and an offsets topic of the connector's own."""
    spec = _spec(
        world,
        **{
            "transaction.boundary": "INTERVAL",
            "transaction.boundary.interval.ms": "1500",
            "offsets.storage.topic": "own",
        },
    )
    assert (spec.boundary, spec.transaction_interval_s) == ("interval", 1.5)
    assert (spec.offsets_topic, spec.shared_offsets_topic) == ("own", "connect-offsets")


def test_the_workers_offsets_topic_is_the_default(world):
    """And there is no second one."""
    spec = _spec(world)
    assert (spec.offsets_topic, spec.shared_offsets_topic) == ("connect-offsets", "")


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("exactly.once.support", "perhaps", "String must be one of"),
        ("transaction.boundary", "sometimes", "String must be one of"),
        ("transaction.boundary.interval.ms", "-1", "Value must be at least 0"),
        ("offsets.storage.topic", " ", "String must be non-empty"),
    ],
)
def test_wrong_settings_about_transactions_are_named(world, key, value, part):
    """In Kafka's words."""
    assert part in _problem(world, key, **{key: value})


REQUIRED = {"exactly.once.support": "required"}


def test_a_worker_without_support_cannot_be_required_to_have_it(world):
    """Kafka's sentence."""
    assert _problem(world, "exactly.once.support", **REQUIRED) == (
        "This worker does not have exactly-once source support enabled."
    )


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (None, "does not implement the API required for preflight validation"),
        (
            ExactlyOnceSupport.UNSUPPORTED,
            (
                "The connector does not support exactly-once semantics with the provided "
                "configuration."
            ),
        ),
        (
            ZeroDivisionError("bad"),
            (
                "Failed while validating connector support for exactly-once semantics: "
                "shop.ShopSourceConnector 1.4 failed in exactly_once_support: bad"
            ),
        ),
    ],
    ids=["unknown", "unsupported", "raises"],
)
def test_a_connector_without_support_cannot_be_required_to_have_it(world, fenced, answer, part):
    """Kafka's sentences."""
    _answering(world, "exactly_once_support", answer)
    assert part in _problem(world, "exactly.once.support", **REQUIRED)


def test_a_connector_that_says_so_delivers_exactly_once(world, fenced):
    """The preflight check passes."""
    _answering(world, "exactly_once_support", ExactlyOnceSupport.SUPPORTED)
    assert _spec(world, **REQUIRED).transactional_id == "g-orders-0"


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (
            ConnectorTransactionBoundaries.UNSUPPORTED,
            (
                "The connector does not support connector-defined transaction boundaries with the "
                "given configuration."
            ),
        ),
        (ZeroDivisionError("bad"), "connector support for defining its own transaction boundaries"),
    ],
    ids=["unsupported", "raises"],
)
def test_a_connector_that_ends_no_transactions_cannot_be_asked_to(world, fenced, answer, part):
    """Kafka's sentences."""
    _answering(world, "can_define_transaction_boundaries", answer)
    found = _problem(world, "transaction.boundary", **{"transaction.boundary": "connector"})
    assert part in found


def test_a_connector_that_ends_transactions_may_be_asked_to(world, fenced):
    """Then the transaction context is there."""
    supported = ConnectorTransactionBoundaries.SUPPORTED
    _answering(world, "can_define_transaction_boundaries", supported)
    assert _spec(world, **{"transaction.boundary": "connector"}).boundary == "connector"


def _answering(world, question, answer):
    def ask(self, props):
        if isinstance(answer, Exception):
            raise answer
        return answer

    setattr(world.classes["shop.ShopSourceConnector"], question, ask)


def test_an_assignor_that_there_is_not_is_refused_before_the_start(world):
    """With what there is."""
    strategy = {"consumer.override.partition.assignment.strategy": "shop.OwnAssignor"}
    with pytest.raises(ConfigError, match="supported are range, roundrobin, cooperative-sticky"):
        world.start(**SINK, **strategy)
    assert world.launcher.launched == []


def test_client_settings_come_from_the_worker_and_are_overridden_by_the_connector(world):
    """Producer. and consumer. of the worker, .override. of the connector."""
    world.herder = world.make(
        **{"producer.linger.ms": "1", "producer.acks": "1", "consumer.fetch.min.bytes": "2"}
    )
    source = _spec(world, **{"producer.override.linger.ms": "7"})
    sink = _spec(world, name="sink", **SINK)
    assert source.client == {"linger.ms": "7", "acks": "1"}
    assert sink.client == {"fetch.min.bytes": "2"}
    assert sink.dead_letter_client == {"linger.ms": "1", "acks": "1"}


def test_the_workers_own_settings_reach_admin_clients_and_its_own_topics_only(world):
    """`Worker.adminConfigs` begins with the top level; producers and consumers do not."""
    own = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "ssl.key.password": "k"}
    world.herder = world.make(**own, **{"admin.ssl.key.password": "a"})
    source = _spec(world, **{"admin.override.sasl.mechanism": "SCRAM-SHA-512"})
    sink = _spec(world, name="sink", **SINK)
    assert (source.client, sink.client, sink.dead_letter_client) == ({}, {}, {})
    assert source.admin_client == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "ssl.key.password": "a",
    }
    assert source.offset_clients == source.shared_offset_clients == ClientOverrides(own, own, own)


def test_own_offsets_are_kept_beside_the_workers_by_different_clients(world):
    """KIP-618: a topic of its own is reached as its records are, the worker's as the worker is."""
    top = {"security.protocol": "SSL"}
    world.herder = world.make(**top, **{"producer.acks": "1"})
    spec = _spec(world, **{"offsets.storage.topic": "own"})
    assert spec.offset_clients == ClientOverrides({"acks": "1"}, {}, top)
    assert spec.shared_offset_clients == ClientOverrides(top, top, top)


def test_a_spec_shows_no_settings_of_clients(world):
    """They hold passwords."""
    password = {"security.protocol": "SSL", "ssl.key.password": "s3cret"}
    world.herder = world.make(**password, **{f"producer.{k}": v for k, v in password.items()})
    spec = _spec(world, **{"offsets.storage.topic": "own"})
    assert spec.client == password
    assert "s3cret" not in repr(spec)


def test_a_spec_survives_its_way_to_the_task(world, fenced):
    """As JSON."""
    spec = _spec(world, **DEFAULT, **{"errors.tolerance": "all"})
    assert TaskSpec.from_plain(spec.to_plain()) == spec


@pytest.mark.parametrize(
    ("settings", "client"),
    [
        ({}, ClientOverrides()),
        (
            {"offsets.storage.topic": "own"},
            ClientOverrides({"linger.ms": "7", "acks": "1"}, {"a": "2"}, {"b": "3"}),
        ),
    ],
    ids=["the worker's", "its own"],
)
def test_the_clients_of_own_offsets_are_those_of_the_connector(world, settings, client):
    """KIP-618: as the connector's records go, so do its offsets."""
    world.herder = world.make(**{"producer.acks": "1", "producer.linger.ms": "1"})
    overrides = {"producer.linger.ms": "7", "consumer.a": "2", "admin.b": "3"}
    given = {key.replace(".", ".override.", 1): value for key, value in overrides.items()}

    assert _spec(world, **settings, **given).offset_clients == client


def test_the_client_that_fences_has_the_settings_of_producer_and_admin(world, monkeypatch):
    """References to config providers are resolved first (KIP-618, KIP-297)."""
    monkeypatch.setenv("FENCING_PASSWORD", "s3cret")
    world.herder = world.make(
        **{
            "exactly.once.source.support": "enabled",
            "config.providers": "env",
            "config.providers.env.class": "EnvVarConfigProvider",
            "producer.security.protocol": "PLAINTEXT",
        }
    )
    calls = []
    monkeypatch.setattr(implementation, "fence_producers", lambda *call: calls.append(call))

    world.start(
        **{
            "producer.override.transaction.timeout.ms": "5000",
            "admin.override.security.protocol": "SSL",
            "admin.override.ssl.key.password": "${env:FENCING_PASSWORD}",
        }
    )

    assert [client for _, _, client in calls] == [
        {
            "security.protocol": "SSL",
            "transaction.timeout.ms": "5000",
            "ssl.key.password": "s3cret",
        }
    ]


@pytest.mark.parametrize(
    ("settings", "key", "problem"),
    [
        (
            {"name": "shop"},
            "name",
            (
                "Consumer group for sink connector named shop conflicts with Connect worker group "
                "connect-shop"
            ),
        ),
        (
            {"consumer.override.group.id": "connect-shop"},
            "consumer.override.group.id",
            "Consumer group connect-shop conflicts with Connect worker group connect-shop",
        ),
    ],
    ids=["by its name", "by its setting"],
)
def test_a_sink_in_the_workers_own_group_is_refused(world, settings, key, problem):
    """In Kafka's words; sources and standalone workers have no such conflict."""
    config = WorkerConfig.parse({**WORKER, "group.id": "connect-shop"}, distributed=True)
    world.herder = EmbeddedHerder(config, world.plugins, world.launcher)

    assert _problem(world, key, **SINK, **settings) == problem
    world.start(name="shop")
    world.herder = world.make(**{"group.id": "connect-shop"})
    world.start(**SINK, **settings)


def test_a_proof_that_took_long_is_made_again(monkeypatch):
    """The process may have slept past its session while it waited for the answer."""
    now = iter([0.0, 9.0, 10.0, 10.1])
    monkeypatch.setattr(implementation.time, "monotonic", lambda: next(now))
    proofs = []

    implementation._prove_afresh(lambda: proofs.append(True))

    assert len(proofs) == 2


@pytest.mark.parametrize(("tasks", "fenced_ids"), [(0, []), (2, [["g-orders-0", "g-orders-1"]])])
def test_ownership_is_proved_before_anybody_is_fenced(world, fenced, tasks, fenced_ids):
    """Also where there is no task yet: the next owner has to know of the coming tasks."""
    worker = world.herder._worker
    config = {"name": "orders", "connector.class": "ShopSource", "shop.url": "u"}
    seen = []

    worker.fence_zombies("orders", config, tasks, lambda: seen.append(list(fenced)))

    assert (seen, fenced) == ([[]], fenced_ids)
