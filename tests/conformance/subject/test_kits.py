"""Endpoint kits, used by others: SQLite, urllib, the client of Redis, fsspec and plain files."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import fsspec
import pytest
import redis

from plugwright import STRING_SCHEMA, SchemaBuilder, Struct
from plugwright.errors import DiscoveryError
from plugwright_conformance.execution import endpoint_trial
from plugwright_conformance.subject.kits import KITS, kit_driver, kit_problems

pytestmark = pytest.mark.slow

TOKEN = "sesame"  # noqa: S105  # of a service on loopback
LINES = ["one", "zwei 日本", "", "three"]
TEXTS = [*LINES, "two\nlines\r\n", '{"quoted": "\\"}', "\x00\x85\u2028", "x" * 70_000]


class Started:
    """A driver, and what its placeholders stand for."""

    def __init__(self, directory, options):
        names = KITS[options["kit"]].placeholders
        options = {**options, "settings": {name: f"{{{name}}}" for name in names}}
        assert kit_problems(options) == []
        self.driver = kit_driver(options)(directory)
        self.facts = self.driver.start()


@pytest.fixture
def start(tmp_path):
    """Starts endpoints, and stops them at the end."""
    directory, running = tmp_path / "own", []
    directory.mkdir()

    def begin(kit, **options):
        running.append(Started(directory, {"kit": kit, **options}))
        return running[-1]

    yield begin
    for each in running:
        each.driver.stop()
    assert [*directory.iterdir()] == []


def test_a_file_has_a_value_in_each_line(start):
    """A line without an end is still being written."""
    made = start("file", name="orders.csv")
    made.driver.seed(LINES)
    made.driver.seed(["four"])

    file = Path(made.facts["file"])
    assert file.read_bytes().decode() == "one\nzwei 日本\n\nthree\nfour\n"
    file.write_bytes(file.read_bytes() + b"half")
    assert made.driver.read_back() == [*LINES, "four"]


def test_a_directory_has_files_of_lines(start, tmp_path):
    """All of them exist from the beginning; what others add below it counts as well."""
    made = start("directory", suffix=".jsonl", format="json", files=3)
    made.driver.seed(TEXTS)

    files = sorted((tmp_path / "own/files").iterdir())
    assert made.facts == {"directory": str(tmp_path / "own/files")}
    assert [file.name for file in files] == ["part-0.jsonl", "part-1.jsonl", "part-2.jsonl"]
    lines = "".join(file.read_text("utf-8") for file in files).split("\n")[:-1]
    found = [json.loads(line) for line in lines]
    assert sorted(found) == sorted(TEXTS)
    below = tmp_path / "own/files/topic/0.jsonl"
    below.parent.mkdir()
    below.write_text('"below"\n', "utf-8")
    (below.parent / "0.tmp").write_text('"nothing"\n', "utf-8")
    assert sorted(made.driver.read_back()) == sorted([*TEXTS, "below"])


def test_a_directory_has_a_file_for_each_value(start, tmp_path):
    """Under numbers that are not used again when a connector removes a file."""
    made = start("directory", content="value", suffix=".msg")
    made.driver.seed(TEXTS)
    (tmp_path / "own/files/00000000.msg").unlink()
    made.driver.seed(["last"])

    names = sorted(file.name for file in (tmp_path / "own/files").iterdir())
    assert names == [f"{n:08d}.msg" for n in range(1, 9)]
    assert (tmp_path / "own/files/00000004.msg").read_bytes() == b"two\nlines\r\n"
    assert made.driver.read_back() == [*TEXTS[1:], "last"]


def test_a_table_is_in_sqlite_without_a_url(start):
    """With a number, the value, columns that are always the same, and a timestamp."""
    made = start(
        "table",
        table="events",
        number="seq",
        value="body",
        columns={"kind": "order", "priority": 3},
        timestamp="created_ms",
    )
    made.driver.seed(TEXTS)

    assert made.facts["url"] == f"sqlite:///{made.facts['file']}"
    with closing(sqlite3.connect(made.facts["file"])) as database, database:
        found = database.execute("SELECT seq, body, kind, priority, created_ms FROM events")
        assert found.fetchall() == [(n, t, "order", 3, None) for n, t in enumerate(TEXTS, 1)]
        database.execute("INSERT INTO events (body, created_ms) VALUES ('mine', 1700000000123)")
    assert made.driver.read_back() == [*TEXTS, "mine"]
    assert made.driver.read_timestamps() == [*[None] * len(TEXTS), 1_700_000_000_123]


def test_a_table_gets_a_column_while_it_is_read(start):
    """Rows from then on hold its text, in a place that SQL would take for syntax without quotes."""
    made = start("table", table="order", columns={"kind": "order"})
    made.driver.seed(["one"])
    assert made.driver.add_field("group", "new") == ()
    made.driver.seed(["two"])

    with closing(sqlite3.connect(made.facts["file"])) as database:
        found = database.execute('SELECT value, kind, "group" FROM "order" ORDER BY id').fetchall()
    assert found == [("one", "order", None), ("two", "order", "new")]


def _ask(url, data=None, bearer=TOKEN):
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, {"Authorization": f"Bearer {bearer}"})  # noqa: S310  # http
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  # http
        return answer.status, json.loads(answer.read())


def test_a_service_has_items(start):
    """In pages; as objects with a number and further keys, if values are one key of them."""
    made = start(
        "http",
        path="/v1/orders",
        items="rows",
        value="text",
        fields={"at": 5},
        page=3,
        token=TOKEN,
    )
    made.driver.seed(LINES)
    url = made.facts["url"]

    rows = [{"at": 5, "id": n, "text": text} for n, text in enumerate(LINES, 1)]
    assert _ask(url) == (200, {"rows": rows[:3]})
    assert _ask(f"{url}?after=2&limit=9") == (200, {"rows": rows[2:]})
    assert _ask(f"{url}?after=1&limit=2") == (200, {"rows": rows[1:3]})
    assert _ask(url, {"text": "five"}) == (201, {"added": 1})
    assert _ask(url, [{"text": "six"}, {"text": "seven"}]) == (201, {"added": 2})
    assert made.driver.read_back() == [*LINES, "five", "six", "seven"]
    assert url == f"{made.facts['root']}/v1/orders"


def test_a_service_has_bare_values(start, monkeypatch):
    """Where nothing else is declared; the driver needs no proxy."""
    made = start("http")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    made.driver.seed(TEXTS)
    assert made.driver.read_back() == TEXTS
    monkeypatch.delenv("http_proxy")

    assert _ask(made.facts["url"]) == (200, TEXTS)
    assert _ask(made.facts["url"], "eight") == (201, {"added": 1})
    assert made.driver.read_back() == [*TEXTS, "eight"]


@pytest.mark.parametrize(
    ("request_", "status", "words"),
    [
        (("/items", None, "simsim"), 401, "token"),
        (("/other",), 404, "/other"),
        (("/items?after=x",), 400, "after must be a whole number from 0 on, found 'x'"),
        (("/items?limit=-1",), 400, "limit must be a whole number from 0 on, found '-1'"),
        (("/items", {"txt": "a"}), 400, "an object with text"),
        (("/items", [{"text": "a"}, "b"]), 400, "an object with text"),
    ],
)
def test_a_wrong_request_is_refused(start, request_, status, words):
    """And adds nothing."""
    made = start("http", value="text", token=TOKEN)
    path, *rest = request_

    with pytest.raises(urllib.error.HTTPError) as raised:
        _ask(made.facts["root"] + path, *rest)

    assert (raised.value.code, words in raised.value.read().decode()) == (status, True)
    assert made.driver.read_back() == []


def test_a_queue_is_a_list_of_redis(start):
    """That any client can take from."""
    made = start("queue", key="orders")
    made.driver.seed(TEXTS)

    with redis.Redis.from_url(made.facts["url"]) as client:
        assert client.lpop("orders") == b"one"
        assert client.lmove("orders", "taken") == "zwei 日本".encode()
        client.rpush("orders", b"last")
    assert made.driver.read_back() == [*TEXTS[2:], "last"]


@pytest.mark.parametrize("content", ["lines", "value"])
def test_objects_lie_below_a_prefix(start, tmp_path, content):
    """Of the run's own; the store keeps what others have."""
    (tmp_path / "store").mkdir()
    (tmp_path / "store/other.txt").write_text("theirs\n", "utf-8")
    made = start("objects", url=f"file://{tmp_path}/store", content=content)
    made.driver.seed(LINES)
    made.driver.seed([])
    made.driver.seed(["five"])

    texts = []
    for file in fsspec.open_files(f"{made.facts['url']}/*.txt", "rb"):
        with file as opened:
            texts.append(opened.read().decode())
    lines = ["one\nzwei 日本\n\nthree\n", "five\n"]
    assert texts == (lines if content == "lines" else [*LINES, "five"])
    assert made.driver.read_back() == [*LINES, "five"]
    made.driver.stop()
    assert [path.name for path in (tmp_path / "store").iterdir()] == ["other.txt"]


@pytest.mark.slow
@pytest.mark.parametrize("kit", KITS)
def test_what_a_kit_has_seeded_is_read_back_in_another_process(tmp_path, kit):
    """By the suite's own trial of drivers."""
    options = {"kit": kit, "settings": {}, "url": f"file://{tmp_path}/store"}
    if kit == "table":
        del options["url"]
    declared = SimpleNamespace(kit=options, visible_after_s=0.0, excluded_characters=("\n",))
    own = tmp_path / "own"
    own.mkdir()

    assert endpoint_trial.read_back_problem(SimpleNamespace(declaration=declared), own) == ""


def _used(made):
    """Use an endpoint as a connector would; the error, or nothing."""
    try:
        if "key" in made.facts:
            with redis.Redis.from_url(made.facts["url"]) as client:
                client.lrange(made.facts["key"], 0, -1)
        elif "table" in made.facts:
            with closing(sqlite3.connect(made.facts["file"])) as database:
                database.execute("SELECT * FROM lines").fetchall()
        elif "root" in made.facts:
            _ask(made.facts["url"])
        else:
            name = made.facts.get("file") or f"{made.facts['directory']}/part-0.txt"
            Path(name).read_bytes()
    except urllib.error.HTTPError as error:
        return error.read().decode()
    except (OSError, sqlite3.Error, redis.ConnectionError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kit", ["file", "directory", "table", "http", "queue"])
def test_an_outage_ends_with_everything_there(start, kit):
    """The words that the kit announces are those that a connector meets."""
    made = start(kit)
    made.driver.seed(LINES)

    before = _used(made)
    words = made.driver.refuse()
    during = _used(made)
    made.driver.recover()

    assert (before, _used(made)) == ("", "")
    assert words
    assert [word for word in words if word not in during] == []
    assert made.driver.read_back() == LINES


def test_a_service_denies_access_for_good(start):
    """With the status that no wait heals; the driver itself sees what is there."""
    made = start("http")
    made.driver.seed(LINES)
    words = made.driver.deny()

    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(made.facts["url"])  # noqa: S310  # of the kit

    assert raised.value.code == 403
    assert [word for word in words if word not in raised.value.read().decode()] == []
    assert words
    assert made.driver.read_back() == LINES


@pytest.mark.parametrize("kit", ["file", "directory", "table", "http", "queue"])
def test_an_endpoint_is_removed_during_an_outage_too(start, kit):
    """As after a check that was ended in the middle."""
    start(kit).driver.refuse()


def test_a_foreign_value_is_seeded_with_its_words(start):
    """Without one, the check that needs it is not run."""
    made = start("directory", format="json", foreign={"value": 7, "words": ["int"]})

    assert made.driver.seed_foreign() == ["int"]
    assert made.driver.read_back() == [7]
    assert start("queue").driver.seed_foreign() is None


def test_the_seeded_value_is_one_field(start):
    """Of a struct or a map; another value stays as it is."""
    schema = SchemaBuilder.struct().field("body", STRING_SCHEMA).build()
    driver = start("table", value="body").driver

    assert driver.seeded(Struct(schema).put("body", "a")) == "a"
    assert driver.seeded({"body": "b", "kind": "x"}) == "b"
    assert driver.seeded("c") == "c"


def test_a_kit_says_what_to_install(monkeypatch):
    """Its libraries are not part of a plain installation."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    with pytest.raises(DiscoveryError, match="fakeredis, redis not found") as raised:
        kit_driver({"kit": "queue", "settings": {}})

    assert raised.value.code == "declaration.endpoint-not-loadable"
    assert raised.value.hint == "install plugwright[kits]"
