"""The Singer source: records, states and catalogs of taps that behave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugwright import ConfigError, ConnectError, DataError, ExactlyOnceSupport, Password
from plugwright_singer import SingerSourceConnector
from plugwright_singer.catalog import StreamRecommender

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_patient")]

_TWO = """
users(id=INTEGER)
user(1)
user(2)
say("STATE", value={"last": 2})
user(3)
"""
_CATALOG = """
STREAMS = [{"tap_stream_id": name, "schema": {"properties": {"id": INTEGER}},
            "metadata": [{"breadcrumb": [], "metadata": {"inclusion": "available"}}]}
           for name in ("users", "orders")]
if "--discover" in sys.argv:
    print(json.dumps({"streams": STREAMS}, indent=2))
    sys.exit()
for stream in (option("--catalog") or {"streams": STREAMS})["streams"]:
    chosen = [m["metadata"].get("selected") for m in stream["metadata"] if not m["breadcrumb"]]
    if chosen == [True]:
        say("RECORD", stream=stream["tap_stream_id"], record={"id": 1})
"""


def _values(records):
    return [(record.topic, dict(record.value)) for record in records]


def test_records_have_their_key_topic_and_schema(source, polled):
    """The key is a struct of the key properties."""
    (first, *_) = polled(source(_TWO), 3)
    assert (first.topic, dict(first.value), dict(first.key)) == ("users", {"id": 1}, {"id": 1})
    assert first.value_schema.field("id").schema.type.name == "INT64"
    assert first.source_partition == {"tap": "tap-test"}


def test_a_state_is_claimed_for_what_was_written_before_it(source, polled):
    """Record 2 is the last before the state; record 1 must not have it, or 2 could be lost."""
    records = polled(source(_TWO), 3)
    offsets = [(record.value["id"], record.source_offset["state"]) for record in records]
    assert offsets == [(1, None), (2, '{"last":2}'), (3, '{"last":2}')]


def test_a_run_is_given_the_stored_state(source, polled):
    """In the file that --state names."""
    task = source("users(id=INTEGER)\nuser(option('--state')['last'])", {"state": '{"last":41}'})
    assert polled(task, 1)[0].value["id"] == 41


def test_the_next_run_goes_on_after_the_last_state(source, polled):
    """A tap that ends well is started again."""
    body = """
last = (option("--state") or {"last": 0})["last"]
users(id=INTEGER)
user(last + 1)
say("STATE", value={"last": last + 1})
"""
    task = source(body, singer_interval_ms="0")
    records = polled(task, 3)
    assert [record.value["id"] for record in records[:3]] == [1, 2, 3]
    assert records[2].source_offset == {"state": '{"last":3}'}


def test_a_state_that_is_ignored_is_neither_stored_nor_given(source, polled):
    """Every run reads everything."""
    body = 'users(id=INTEGER)\nuser(0 if "--state" in sys.argv else 1)\nsay("STATE", value={})'
    task = source(body, {"state": "{}"}, singer_state="ignore", singer_interval_ms="0")
    records = polled(task, 2)
    assert [(r.value["id"], r.source_offset) for r in records[:2]] == [(1, {"state": None})] * 2


def test_the_first_run_can_be_given_a_state(source, polled):
    """Where no offset is stored."""
    task = source(
        "users(id=INTEGER)\nuser(option('--state')['last'])",
        **{"singer.state.initial": '{"last": 7}'},
    )
    assert polled(task, 1)[0].value["id"] == 7


def test_the_configuration_is_json_in_a_private_file(source, polled):
    """Numbers and truth values are what they look like; only the user can read the file."""
    body = """
path = sys.argv[sys.argv.index("--config") + 1]
say("RECORD", stream="s", record={"config": option("--config"), "mode": os.stat(path).st_mode,
                                  "parent": os.stat(os.path.dirname(path)).st_mode})
"""
    props = {
        "singer.config.a": "5",
        "singer.config.b": "true",
        "singer.config.c": "text",
        "singer.config.d": '"5"',
        "singer.config.e": '["x"]',
        "singer.secret.password": "s3cret",
    }
    (record,) = polled(source(body, **props), 1)
    assert record.value["config"] == {
        "a": 5,
        "b": True,
        "c": "text",
        "d": "5",
        "e": ["x"],
        "password": "s3cret",
    }
    assert (record.value["mode"] & 0o777, record.value["parent"] & 0o777) == (0o600, 0o700)


def test_settings_override_the_configuration_file(source, polled, tmp_path):
    """What only the file has stays."""
    file = tmp_path / "config.json"
    file.write_text('{"a": 1, "b": 2}', "utf-8")
    body = "say('RECORD', stream='s', record=option('--config'))"
    task = source(body, **{"singer.config.file": str(file), "singer.config.b": "3"})
    assert polled(task, 1)[0].value == {"a": 1, "b": 3}


@pytest.mark.parametrize(
    ("select", "streams"),
    [("users", ["users"]), ("users,orders", ["users", "orders"]), ("*", ["users", "orders"])],
    ids=["one", "both", "all"],
)
def test_streams_are_selected_in_what_the_tap_discovers(source, polled, select, streams):
    """A tap reads what its catalog has selected."""
    records = polled(source(_CATALOG, singer_select=select), len(streams))
    assert [record.topic for record in records] == streams


def test_metadata_is_added_to_what_is_selected(source, polled):
    """Such as the replication key; other streams keep theirs."""
    body = """
if "--discover" in sys.argv:
    print(json.dumps({"streams": [{"tap_stream_id": "a"}, {"tap_stream_id": "b"}]}))
    sys.exit()
say("RECORD", stream="s", record=option("--catalog"))
"""
    task = source(body, **{"singer.select": "a", "singer.metadata.replication-key": "id"})
    (record,) = polled(task, 1)
    assert [stream["metadata"][0]["metadata"] for stream in record.value["streams"]] == [
        {"selected": True, "replication-key": "id"},
        {"selected": False},
    ]


def test_a_catalog_is_handed_on_as_it_is(source, polled, tmp_path):
    """Discovery is not asked."""
    file = tmp_path / "catalog.json"
    stream = {
        "tap_stream_id": "mine",
        "metadata": [{"breadcrumb": [], "metadata": {"selected": True}}],
    }
    file.write_text(json.dumps({"streams": [stream]}), "utf-8")
    assert polled(source(_CATALOG, singer_catalog=str(file)), 1)[0].topic == "mine"


def test_a_stream_that_there_is_not_is_reported(source, failure):
    """With those that there are."""
    error, _ = failure(source(_CATALOG, singer_select="user"))
    assert isinstance(error, ConfigError)
    assert str(error) == "there is no stream user; there are users, orders"


def test_streams_are_recommended(tap):
    """By the tap's own discovery; an operator's form shows them."""
    props = {"singer.tap": "t", "singer.executable": str(tap(_CATALOG))}
    values = {value.name: value for value in SingerSourceConnector().validate(props)}
    assert values["singer.select"].recommended_values == ("users", "orders")


@pytest.mark.parametrize(
    ("seconds", "more", "starts"),
    [
        pytest.param(29, {}, 1, id="soon"),
        pytest.param(30, {}, 2, id="later"),
        pytest.param(0, {"singer.secret.token": "abc2"}, 2, id="with other settings"),
    ],
)
def test_recommended_streams_are_remembered(tap, tmp_path, seconds, more, starts):
    """For a while, because a tap takes seconds to begin, and a form validates at each change."""
    counted = f"open({str(tmp_path / 'starts')!r}, 'a').write('x')\n{_CATALOG}"
    given = {"singer.tap": "t", "singer.executable": str(tap(counted))}
    now = [100.0]
    recommender = StreamRecommender(lambda: now[0])

    first = recommender.valid_values("singer.select", given)
    now[0] += seconds
    second = recommender.valid_values("singer.select", given | more)

    assert first == second == ["users", "orders"]
    assert (tmp_path / "starts").read_text("ascii") == "x" * starts


def test_failed_discovery_is_remembered_as_long(tap):
    """It may have taken all its time."""
    given = {"singer.tap": "t", "singer.executable": str(tap("sys.exit(1)"))}
    now = [100.0]
    recommender = StreamRecommender(lambda: now[0])

    failed = recommender.valid_values("singer.select", given)
    tap(_CATALOG)
    now[0] += 29
    soon = recommender.valid_values("singer.select", given)
    now[0] += 1
    later = recommender.valid_values("singer.select", given)

    assert failed == soon == []
    assert later == ["users", "orders"]


def test_secrets_are_passwords(tap):
    """A key that looks like one, and every singer.secret."""
    props = {
        "singer.tap": "t",
        "singer.executable": str(tap("sys.exit(1)")),
        "singer.config.api_key": "abc1",
        "singer.secret.other": "abc2",
        "singer.config.user": "abc3",
    }
    values = {value.name: value.value for value in SingerSourceConnector().validate(props)}
    assert values["singer.config.api_key"] == Password("abc1")
    assert values["singer.secret.other"] == Password("abc2")
    assert values["singer.config.user"] == "abc3"


@pytest.mark.parametrize(
    ("props", "topic"),
    [
        ({}, "a_b-c"),
        ({"topic.prefix": "singer."}, "singer.a_b-c"),
        ({"topic": "one"}, "one"),
        ({"topic": "one", "topic.for.a/b-c": "own"}, "own"),
    ],
    ids=["stream", "prefix", "one", "own"],
)
def test_topics(source, polled, props, topic):
    """What no name of a topic can have becomes an underscore."""
    task = source("say('RECORD', stream='a/b-c', record={})", **props)
    assert polled(task, 1)[0].topic == topic


def test_a_record_without_a_schema_is_a_map(source, polled):
    """As the specification has it."""
    body = "say('RECORD', stream='s', record={'a': 1.5, 'b': [1, None], 'c': {'d': 0.1}})"
    (record,) = polled(source(body), 1)
    assert record.value == {"a": 1.5, "b": [1, None], "c": {"d": 0.1}}
    assert (record.value_schema, record.key) == (None, None)


def test_a_schema_counts_for_the_records_after_it(source, polled):
    """Those before it keep theirs."""
    body = "users(id=INTEGER)\nuser(1)\nusers(id=INTEGER, name={'type': 'string'})\nuser(2)"
    first, second = polled(source(body), 2)
    assert (list(first.value), list(second.value)) == (["id"], ["id", "name"])


def test_the_time_of_extraction_is_the_records(source, polled):
    """In milliseconds since 1970."""
    body = "say('RECORD', stream='s', record={}, time_extracted='1970-01-01T00:00:01.5Z')"
    assert polled(source(body), 1)[0].timestamp == 1500


def test_other_messages_are_left_out_with_a_warning(source, polled, caplog):
    """Once for each stream."""
    body = "say('ACTIVATE_VERSION', stream='s', version=1)\n" * 2 + "say('LOG')\n"
    polled(source(body + "say('RECORD', stream='s', record={})"), 1)
    warnings = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert [text.split(":")[0] for text in warnings] == ["stream s", "stream "]


def test_a_field_that_the_schema_has_not_is_left_out_with_a_warning(source, polled, caplog):
    """Its value has no type."""
    body = "users(id=INTEGER)\nsay('RECORD', stream='users', record={'id': 1, 'x': 2})"
    (record,) = polled(source(body), 1)
    assert dict(record.value) == {"id": 1}
    assert "stream users: x is not in its schema and is left out" in caplog.text


def test_a_batch_is_as_large_as_configured(source):
    """The rest comes with the next poll."""
    task = source("users(id=INTEGER)\nfor n in range(5): user(n)", batch_size="2")
    sizes = []
    while sum(sizes) < 5:
        sizes.append(len(task.poll() or ()))
    assert max(sizes) == 2


@pytest.mark.parametrize(
    "offset",
    [{}, {"state": 5}, {"state": "{"}, {"state": "{}", "x": 1}, {"line": 1}],
    ids=repr,
)
def test_an_offset_without_a_state_is_refused(source, offset):
    """At the start, and where an operator alters it."""
    with pytest.raises(ConnectError) as caught:
        source("", offset)
    assert caught.value.code == "singer.bad-offset"
    with pytest.raises(ConnectError):
        SingerSourceConnector().alter_offsets({}, [({"tap": "t"}, offset)])


def test_offsets_may_be_altered():
    """A state, or nothing; of a tap."""
    connector = SingerSourceConnector()
    assert connector.alter_offsets({}, [({"tap": "t"}, {"state": "{}"}), ({"tap": "u"}, None)])
    with pytest.raises(ConnectError, match="must have a tap"):
        connector.alter_offsets({}, [({"file": "t"}, None)])


def test_exactly_once_is_not_promised():
    """A tap repeats what came after its last state."""
    support = SingerSourceConnector().exactly_once_support({})
    assert support is ExactlyOnceSupport.UNSUPPORTED


def test_there_is_one_task(tap):
    """The tap's work cannot be divided."""
    connector = SingerSourceConnector()
    props = {"singer.tap": "t", "singer.executable": str(tap(""))}
    connector.start(props)
    assert connector.task_configs(4) == [props]


def test_a_program_that_there_is_not_is_reported(source, failure):
    """With where it was looked for."""
    error, _ = failure(source("", **{"singer.executable": "no-such-tap"}))
    assert isinstance(error, ConfigError)
    assert "there is no program no-such-tap that can be run in" in str(error)


def test_a_program_is_found_in_its_environment(tmp_path, source, polled):
    """Under the name that a requirement begins with."""
    task = source("say('RECORD', stream='s', record={})")
    task.stop()
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "tap-test").rename(tmp_path / "env" / "bin" / "tap-mine")
    task.start({"singer.tap": "tap-mine>=1,<2", "singer.environment": str(tmp_path / "env")})
    assert polled(task, 1)[0].source_partition == {"tap": "tap-mine"}


def test_the_program_has_none_of_the_workers_python(source, polled, monkeypatch):
    """Its own virtual environment would otherwise see other packages."""
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    body = "say('RECORD', stream='s', record={'p': os.environ.get('PYTHONPATH')})"
    assert polled(source(body), 1)[0].value == {"p": None}


def test_a_wrong_catalog_is_reported(source, failure, tmp_path):
    """With the file."""
    file = tmp_path / "catalog.json"
    file.write_text("[]", "utf-8")
    error, _ = failure(source("", singer_catalog=str(file)))
    assert isinstance(error, ConfigError)
    assert str(Path(file)) in str(error)


def test_a_key_that_is_no_property_is_reported(source, failure):
    """Stream and key."""
    error, _ = failure(source("users(name={'type': 'string'})"))
    assert isinstance(error, DataError)
    assert "the schema of stream users has no property id" in str(error)


def test_a_state_has_all_its_digits(source, polled):
    """Only the tap knows what its numbers mean; the next run gets them as they were."""
    digits = "12345678901234567890.10"
    body = f"""
users(id=INTEGER)
if "--state" in sys.argv:
    text = open(sys.argv[sys.argv.index("--state") + 1]).read()
    say("RECORD", stream="s", record={{"text": text}})
user(1)
print('{{"type": "STATE", "value": {{"z": {digits}, "a": 0.5}}}}')
"""
    records = polled(source(body, singer_interval_ms="0"), 2)
    assert records[0].source_offset == {"state": f'{{"a":0.5,"z":{digits}}}'}
    assert records[1].value == {"text": f'{{"a":0.5,"z":{digits}}}'}


def test_a_stored_state_has_all_its_digits(source, polled):
    """After a restart, too."""
    body = """
text = open(sys.argv[sys.argv.index("--state") + 1]).read()
say("RECORD", stream="s", record={"text": text})
"""
    task = source(body, {"state": '{"at":1.00000000000000000001}'})
    assert polled(task, 1)[0].value == {"text": '{"at":1.00000000000000000001}'}
