"""What crosses between processes, and what is refused by name."""

from __future__ import annotations

import datetime as dt
import pickle
import socket
import struct
import sys
import threading
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from types import ModuleType

import pytest

from plugwright import Header, Headers, SchemaBuilder, Struct
from plugwright.hosts.frames import Frames, HostClosedError, UnreadableError
from plugwright.hosts.shared_buffers import map_shared_buffers, new_shared_buffers
from plugwright.schema import INT32_SCHEMA, STRING_SCHEMA, Type


@dataclass
class Foreign:
    """A class that no other process has."""

    x: int = 1


@pytest.fixture(params=["socket", "buffers"])
def line(request):
    """Both ends of a line, with shared memory or without."""
    ends = socket.socketpair()
    buffers = ()
    if request.param == "buffers":
        buffers = map_shared_buffers(new_shared_buffers())
    frames = [Frames(ends[0], buffers), Frames(ends[1], buffers[::-1])]
    yield frames
    for each in frames:
        each.close()


def sent(line, *contents):
    """What arrives of contents that are sent one after the other."""
    for content in contents:
        line[0].send("kind", 7, "name", content)
    return [line[1].receive().content() for _ in contents]


USER = SchemaBuilder.struct().name("user").field("id", INT32_SCHEMA).field("name", STRING_SCHEMA)


def test_a_frame_says_what_it_is(line):
    """Kind, number and name can be read without its content."""
    line[0].send("kind", 7, "name", [1])
    message = line[1].receive()
    assert (message.kind, message.number, message.name) == ("kind", 7, "name")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        2**70,
        1.5,
        "text",
        b"bytes",
        bytearray(b"more"),
        Decimal("1.50"),
        dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
        dt.date(2026, 1, 2),
        {"a": [1, {"b": None}]},
    ],
    ids=repr,
)
def test_the_data_model_crosses(line, value):
    """With its types."""
    (arrived,) = sent(line, value)
    assert (type(arrived), arrived) == (type(value), value)


def test_a_struct_keeps_unset_fields_unset(line):
    """They are not filled with defaults on the way."""
    struct = Struct(USER.build()).put("id", 3)
    (arrived,) = sent(line, struct)
    assert arrived == struct
    assert arrived.get_without_default("name") is None


def test_headers_keep_order_and_schemas(line):
    """Also several of one name."""
    headers = Headers().add_string("a", "x").add_int("b", 7).add_string("a", None)
    (arrived,) = sent(line, headers)
    assert list(arrived)[:2] == [Header("a", "x", STRING_SCHEMA), Header("b", 7, INT32_SCHEMA)]
    assert [header.key for header in arrived] == ["a", "b", "a"]


def test_one_schema_stays_one_object_within_and_across_frames(line):
    """Caches of converters go by identity first."""
    schema = USER.build()
    first, second = sent(line, [schema, Struct(schema)], schema)
    assert first[0] == schema
    assert first[1].schema is first[0]
    assert second is first[0]


def test_the_constants_arrive_as_the_constants(line):
    """Also within other schemas."""
    (arrived,) = sent(line, [STRING_SCHEMA, USER.build()])
    assert arrived[0] is STRING_SCHEMA
    assert arrived[1].field("name").schema is STRING_SCHEMA


def test_members_of_enumerations_cross_from_every_python(line, monkeypatch):
    """Some releases of Python 3.11, such as Debian's, pickle them in this way."""
    monkeypatch.setattr(Type, "__reduce_ex__", lambda self, _: (getattr, (Type, self.name)))

    assert sent(line, USER.build(), Type.INT8) == [USER.build(), Type.INT8]


def test_endless_schemas_are_not_remembered(line, monkeypatch):
    """A plugin that makes one for every record fills no memory."""
    monkeypatch.setattr("plugwright.hosts.frames._SCHEMAS_LIMIT", 1)
    schemas = [SchemaBuilder.struct().name(f"s{number}").build() for number in range(4)]
    assert sent(line, *schemas) == schemas
    assert len(line[0]._sent_schemas._numbers) == 1


def test_a_path_arrives_as_python_3_13_names_it(line, monkeypatch):
    """There, and only there, its class says that it comes from another module."""
    module = ModuleType("pathlib._local")
    module.PosixPath = Path
    monkeypatch.setitem(sys.modules, module.__name__, module)
    line[0].send("kind", 1, "", None)
    message = replace(line[1].receive(), _body=b"cpathlib._local\nPosixPath\n(V/a\ntR.")
    assert message.content() == Path("/a")


def test_a_value_of_a_plugins_own_class_is_refused_by_name(line):
    """Nothing is imported for it, and the line goes on."""
    line[0].send("kind", 1, "", Foreign())
    with pytest.raises(UnreadableError, match=r"a value of .*Foreign cannot be sent") as caught:
        line[1].receive().content()
    assert caught.value.code == "plugin.foreign-value"
    assert sent(line, "next") == ["next"]


@pytest.mark.parametrize(
    "attack",
    [
        b"cos\nsystem\n(S'true'\ntR.",
        b"cplugwright.config\nimport_class\n(S'os.path'\ntR.",
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"cbuiltins\ngetattr\n(cplugwright.schema._type\nType\nS'mro'\ntR.",
        b"cbuiltins\ngetattr\n(cplugwright.schema\nSchema\nS'__init__'\ntR.",
        b"cplugwright.herder.shards\nThreadPoolExecutor\n(I1\ntR.",
        b"cplugwright.kafka.shards\nConsumer\n((dS'group.id'\nS'g'\nstR.",
    ],
    ids=[
        "os",
        "own-function",
        "builtin",
        "no member",
        "no enumeration",
        "imported class",
        "client",
    ],
)
def test_functions_are_not_called(line, attack):
    """Only classes of the data model are made, and none that the runtime imports from elsewhere."""
    line[0].send("kind", 1, "", None)
    message = replace(line[1].receive(), _body=attack)
    with pytest.raises(UnreadableError, match="cannot be sent between processes"):
        message.content()


def test_what_cannot_be_pickled_is_not_sent(line):
    """Neither is a part of it."""
    with pytest.raises(UnreadableError):
        line[0].send("kind", 1, "", lambda: None)
    assert sent(line, "next") == ["next"]


def test_a_closed_line_is_noticed_on_both_ends(line):
    """By reading and by writing."""
    line[1].close()
    with pytest.raises(HostClosedError):
        line[0].receive()
    with pytest.raises(HostClosedError):
        line[0].send("kind", 1, "", b"x")


def test_a_silent_peer_can_be_given_a_limit(line):
    """Then the line counts as closed."""
    line[0].time_limit(0.01)
    with pytest.raises(HostClosedError):
        line[0].receive()


@pytest.mark.parametrize("kind", ["stage", "result", "log"])
@pytest.mark.parametrize("size", [0, 40_000, 17 << 20], ids=["small", "large", "huge"])
def test_content_of_any_size_arrives(line, kind, size):
    """In the shared buffer if it fits, and it is of a kind that waits its turn."""
    content = [bytes(size), "end"]
    reader = threading.Thread(target=lambda: got.append(line[1].receive().content()))
    got = []
    reader.start()
    line[0].send(kind, 1, "", content)
    reader.join(10)
    assert got == [content]


def test_two_large_frames_in_a_row_do_not_overwrite_each_other(line):
    """Only a question and its answer use the shared buffer."""
    for letter in (b"a", b"b"):
        line[0].send("log", 1, "", letter * 40_000)
    assert [line[1].receive().content()[:1] for _ in range(2)] == [b"a", b"b"]


@pytest.mark.parametrize(
    ("first", "last"), [([Foreign()], []), ([], [lambda: None])], ids=["unread", "unsent"]
)
def test_a_spoilt_frame_costs_no_schema_of_it(line, first, last):
    """Later frames mention it by its number."""
    schema = USER.build()
    with pytest.raises(UnreadableError):
        sent(line, [*first, schema, *last])
    assert sent(line, schema) == [schema]


@pytest.mark.parametrize(
    "junk",
    [
        b"\xff" * 100,
        struct.pack("!IQ", 5, 0) + b"junk.",
        struct.pack("!IQ", 65537, 0),
        struct.pack("!IQ", 2, 0) + b"{}",
        struct.pack("!IQ", 10, 0) + b'["a",1,"b"]',
    ],
    ids=["of any size", "no JSON", "a head that never ends", "another head", "half a head"],
)
def test_what_a_plugin_writes_onto_the_line_ends_it(line, junk):
    """No reader waits for the rest of it, or makes room for it."""
    line[0]._line.sendall(junk)
    with pytest.raises(HostClosedError):
        line[1].receive()


class _Bomb:
    """Writes a file where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_no_head_is_unpickled(line, tmp_path):
    """A plugin that has found the line writes what it likes, and is read by the worker."""
    trap = tmp_path / "trap"
    head = pickle.dumps(_Bomb(str(trap)))
    line[0]._line.sendall(struct.pack("!IQ", len(head), 0) + head)
    with pytest.raises(HostClosedError):
        line[1].receive()
    assert not trap.exists()
