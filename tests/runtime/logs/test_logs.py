"""Log lines: who they are about, how they are written, how they travel and are bounded."""

from __future__ import annotations

import json
import logging
import sys
import threading

import pytest

from plugwright.logs import (
    LineLimit,
    LineStream,
    LogContext,
    LogLine,
    RelayHandler,
    explicit_levels,
    in_context,
    in_scope,
    log_formatter,
    mark_line,
    printable,
    read_mark,
    redirected_output,
    replay,
    restore_levels,
    set_level,
)

CREATED = 1732222222.5  # 2024-11-21 20:50:22.500 UTC


class GoneError(Exception):
    """The other end has left."""


def _record(message="5 of 7", *, level=logging.WARNING, error=None):
    info = (type(error), error, None) if error else None
    record = logging.LogRecord("shop.orders", level, "f.py", 1, message, (), info)
    record.created = CREATED
    return record


@pytest.fixture
def relay():
    """A handler; what it sends is in ``sent``."""
    sent = []
    handler = RelayHandler(sent.append, GoneError)
    handler.sent = sent
    return handler


@pytest.mark.parametrize(
    ("context", "prefix"),
    [
        (LogContext("my-connector"), "[my-connector|worker] "),
        (LogContext("my-connector", 0), "[my-connector|task-0] "),
        (LogContext("my-connector", 0, "offsets"), "[my-connector|task-0|offsets] "),
        (LogContext("my-connector", scope="validate"), "[my-connector|validate] "),
        (None, ""),
    ],
    ids=["worker", "task", "offsets", "validate", "none"],
)
def test_text_has_kafkas_context_before_the_message(context, prefix):
    """KIP-449, in the pattern of Kafka Connect's log4j configuration."""
    with in_context(context):
        line = log_formatter("text").format(_record())
    assert line.partition("] ")[2] == f"WARNING {prefix}5 of 7 (shop.orders)"


def test_json_has_one_object_a_line():
    """Newlines of messages and stacks included; what is unknown is left out."""
    formatter = log_formatter("json")
    with in_context(LogContext('odd "name"\n', 3)):
        line = formatter.format(_record("a\nb", error=ValueError("bad")))
    assert "\n" not in line
    assert json.loads(line) == {
        "timestamp": "2024-11-21T20:50:22.500Z",
        "level": "WARNING",
        "logger": "shop.orders",
        "connector": 'odd "name"\n',
        "task": 3,
        "message": "a\nb",
        "exception": "ValueError: bad",
    }
    assert "connector" not in json.loads(formatter.format(_record()))


def test_a_context_ends_with_its_block_and_is_the_threads_own():
    """What it was before comes back."""
    seen = []
    with in_context(LogContext("outer")):
        with in_context(LogContext("inner", 1)):
            thread = threading.Thread(
                target=lambda: seen.append(log_formatter("text").format(_record()))
            )
            thread.start()
            thread.join()
        line = log_formatter("text").format(_record())
    assert "[outer|worker] " in line
    assert "|" not in seen[0]


def test_a_relayed_line_keeps_time_stack_and_connector(relay, caplog):
    """And is written in the owner's log as if it had been logged there."""
    with in_context(LogContext("orders")):
        relay.handle(_record("row 7", level=logging.ERROR, error=ValueError("bad")))
    (line,) = relay.sent
    again = LogLine.from_plain(json.loads(json.dumps(line.to_plain())))
    replay(again, LogContext("orders", 2))
    (record,) = caplog.records
    assert (record.name, record.levelno, record.message) == ("shop.orders", logging.ERROR, "row 7")
    assert (again.connector, record.created) == ("orders", CREATED)
    text = log_formatter("text").format(record)
    assert text.endswith("[orders|task-2] row 7 (shop.orders)\nValueError: bad")


def test_a_relayed_line_keeps_what_its_task_was_doing(relay, caplog):
    """Kafka Connect's committer of offsets logs under a context of its own (KIP-449)."""
    with in_scope("offsets"):
        relay.handle(_record("not stored"))
    relay.handle(_record("running"))
    for line in relay.sent:
        replay(LogLine.from_plain(json.loads(json.dumps(line.to_plain()))), LogContext("orders", 2))
    text, json_ = log_formatter("text"), log_formatter("json")
    assert "[orders|task-2|offsets] not stored" in text.format(caplog.records[0])
    assert "[orders|task-2] running" in text.format(caplog.records[1])
    assert json.loads(json_.format(caplog.records[0]))["scope"] == "offsets"


def test_a_line_names_its_connector_if_no_context_does(caplog):
    """As those of location hosts do."""
    replay(LogLine(logging.INFO, "shop", "50 % full", CREATED, connector="orders"))
    assert "[orders|worker] 50 % full (shop)" in log_formatter("text").format(caplog.records[0])


def test_a_message_that_cannot_be_written_out_is_reported(relay):
    """A plugin's own objects must not break its log."""
    record = _record("%d rows")
    record.args = ("many",)
    relay.handle(record)
    (line,) = relay.sent
    assert line.message.startswith("'%d rows' cannot be written out: TypeError: ")


def test_a_long_line_is_cut(relay):
    """With how much is missing."""
    relay.handle(_record("x" * 40_000))
    assert relay.sent[0].message == "x" * 32_768 + "… (7232 characters more)"


def test_sending_may_log_and_is_not_sent_for_that():
    """Or it would go on for ever."""
    sent = []
    handler = RelayHandler(lambda line: sent.append(line) or handler.emit(_record()), GoneError)
    handler.emit(_record())
    handler.emit(_record())
    assert len(sent) == 2


def test_a_missing_receiver_is_no_error():
    """The driver has gone; the task stops by other means."""

    def send(_):
        raise GoneError

    RelayHandler(send, GoneError).handle(_record())


def test_a_flood_is_cut_and_counted():
    """Once a second, not for each line; and when room has come back, lines pass again."""
    reported, now = [], [0.0]
    limit = LineLimit(reported.append, per_second=10, at_once=100, clock=lambda: now[0])
    passed = sum(limit.admits() for _ in range(1000))
    now[0] += 1.0
    passed += sum(limit.admits() for _ in range(10))
    limit.settle()
    limit.settle()
    assert (passed, reported) == (110, ["900 log lines were dropped: the limit is 10 a second"])


def test_what_was_left_out_is_reported_at_the_end():
    """Nothing follows that could bring it along."""
    sent = []
    handler = RelayHandler(
        sent.append, GoneError, limit=lambda tell: LineLimit(tell, at_once=1, clock=lambda: 0.0)
    )
    handler.handle(_record())
    handler.handle(_record())
    handler.close()
    assert [line.message for line in sent] == [
        "5 of 7",
        "1 log line was dropped: the limit is 500 a second",
    ]


def test_printed_lines_are_whole_whoever_prints_them():
    """Pieces of one thread make a line, also around another thread's."""
    lines = []
    stream = LineStream(lines.append, sys.__stdout__)
    stream.write("be")
    other = threading.Thread(target=lambda: print("other\nlines", file=stream))
    other.start()
    other.join()
    print("gun", "and", 1, file=stream)
    stream.write("rest")
    stream.finish()
    assert lines == ["other", "lines", "begun and 1", "rest"]


def test_a_line_without_end_is_divided():
    """It does not fill the memory."""
    lines = []
    LineStream(lines.append, sys.__stdout__).write("x" * 10_000)
    assert [len(line) for line in lines] == [4096, 4096]


def test_printing_is_logged_with_the_threads_context(caplog):
    """Standard output and standard error alike."""
    with caplog.at_level("INFO"), redirected_output(), in_context(LogContext("orders")):
        sys.stdout.write("out\n")
        sys.stderr.write("err\n")
    assert [(r.name, r.message) for r in caplog.records] == [
        ("plugwright.output", "out"),
        ("plugwright.output", "err"),
    ]


def test_what_takes_a_line_may_print():
    """As logging does about its own errors: it goes to the original, and not round in a circle."""
    lines = []
    original = LineStream(lines.append, sys.__stdout__)
    stream = LineStream(lambda line: stream.write(f"failed: {line}\n"), original)
    stream.write("hello\n")
    assert lines == ["failed: hello"]


@pytest.mark.parametrize("connector", ["orders", "", "odd|name"])
def test_a_mark_names_the_connector_of_a_line(connector):
    """For lines that come through a pipe."""
    assert read_mark(mark_line(connector, "said")) == (connector, "said")


def test_control_characters_do_nothing():
    """Neither colours nor marks nor further lines."""
    assert printable("a\x1b[31m\rb\x1ec\td") == "a?[31m?b?c\td"


def test_levels_go_to_the_loggers_below_and_to_other_processes():
    """In one's tree they are set, in the other's restored."""
    names = ["lv", "lv.a", "lv.a.b"]
    for name in names:
        logging.getLogger(name).setLevel(logging.NOTSET)
    assert set_level("lv.a", logging.DEBUG) == ["lv.a", "lv.a.b"]
    found = explicit_levels()
    assert (found[0][0], [f for f in found if f[0] in names]) == (
        "root",
        [("lv.a", logging.DEBUG), ("lv.a.b", logging.DEBUG)],
    )
    set_level("lv.a", logging.NOTSET)
    restore_levels(found)
    assert logging.getLogger("lv.a.b").level == logging.DEBUG
    set_level("lv", logging.NOTSET)


def test_a_logger_that_has_the_level_already_is_not_named():
    """As in Kafka Connect: only what changed."""
    set_level("same.a", logging.DEBUG)

    assert set_level("same.a", logging.DEBUG) == []
    assert set_level("same", logging.DEBUG) == ["same"]
    set_level("same", logging.NOTSET)
