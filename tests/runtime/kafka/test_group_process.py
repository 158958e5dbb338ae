"""A client that ends its process ends no worker."""

from __future__ import annotations

import ast
import gc
import json
import logging
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

import plugwright
from plugwright.errors import ConnectError
from plugwright.kafka import GroupOffsets, group_offsets
from plugwright.kafka.group_process import GroupProcess, GroupProcessDiedError
from plugwright.logs import LogLine

pytestmark = pytest.mark.slow

ABORTS = "read setup; read request; kill -ABRT $$"
EMPTY = '{"partitions": []}'


def answers(reply):
    """A script that gives this reply to every request."""
    return f"read setup; while read request; do echo '{reply}'; done"


def _callers(file):
    """The requests to a group's coordinator that a module makes."""
    named = {name for name in dir(AdminClient) if "group" in name}
    tree = ast.walk(ast.parse(file.read_text("utf-8")))
    return {each.attr for each in tree if isinstance(each, ast.Attribute)} & named


def test_no_other_module_of_the_runtime_asks_a_groups_coordinator():
    """The client aborts its process when a coordinator goes away during such a request."""
    modules = Path(plugwright.__file__).parent.rglob("*.py")
    found = {file.name: asked for file in modules if (asked := _callers(file))}

    assert found == {
        "_group_child.py": {
            "alter_consumer_group_offsets",
            "delete_consumer_groups",
            "describe_consumer_groups",
            "list_consumer_group_offsets",
        }
    }


@pytest.fixture
def asking():
    """Makes owners of a process that runs a script of the shell."""
    return lambda script: GroupProcess("nowhere:1", "g", command=("/bin/sh", "-c", script))


def test_places_come_back(asking):
    """One line a reply."""
    process = asking(
        """read setup; while read request; do echo '{"partitions": [["t",0,7,"",null]]}'; done"""
    )

    assert process.ask("list") == process.ask("list") == [["t", 0, 7, "", None]]


def test_the_clients_errors_are_errors_of_the_client(asking):
    """With their code."""
    process = asking(
        f"""read a; read b; echo '{{"error": [{KafkaError.NON_EMPTY_GROUP}, "used"]}}'"""
    )

    with pytest.raises(KafkaException) as raised:
        process.ask("delete")

    assert raised.value.args[0].code() == KafkaError.NON_EMPTY_GROUP


def test_a_refused_login_is_reported_with_its_code(asking):
    """And its hint."""
    process = asking(
        """read a; read b; echo '{"failure": ["no", "kafka.tls-failed", "hm", {"a": "b"}]}'"""
    )

    with pytest.raises(ConnectError, match="no") as raised:
        process.ask("list")

    assert (raised.value.code, raised.value.hint) == ("kafka.tls-failed", "hm")


def test_a_process_that_the_client_has_aborted_is_replaced(asking, tmp_path):
    """The next request starts another one."""
    mark = tmp_path / "again"
    process = asking(f"[ -e {mark} ] || {{ touch {mark}; {ABORTS}; }}; {answers(EMPTY)}")

    with pytest.raises(GroupProcessDiedError, match="-6"):
        process.ask("list")

    assert process.ask("list") == []


def test_a_process_that_always_dies_is_reported(asking, monkeypatch):
    """The caller that asks for offsets receives what happened, and lives."""
    monkeypatch.setattr(group_offsets, "_REQUEST_S", 0.0)
    offsets = GroupOffsets("nowhere:1", "g")
    offsets._process = asking(ABORTS)

    with pytest.raises(ConnectError, match="status -6") as raised:
        offsets.read()

    assert raised.value.code == "kafka.group-offsets"


def test_the_process_ends_with_its_owner(asking):
    """Nothing is left."""
    owner = asking(answers(EMPTY))
    owner.ask("list")
    child = owner._process

    del owner
    gc.collect()

    assert child.returncode == 0


def test_what_the_process_logs_is_logged_here(asking, caplog):
    """With its level, its logger and its time, also before it replies; and so is what it prints."""
    caplog.set_level(logging.INFO)
    line = json.dumps(LogLine(logging.WARNING, "kafka.there", "no 'broker'", 1.5).to_plain())
    script = "read a; read b; echo aborting >&2; cat <<'E'\nlog %s\n{\"partitions\": []}\nE\n"

    assert asking(script % line).ask("list") == []

    found = [(each.name, each.levelno, each.message, each.created) for each in caplog.records]
    printed, logged = found
    assert printed[:3] == ("plugwright.kafka.group_process", logging.INFO, "aborting")
    assert logged == ("kafka.there", logging.WARNING, "no 'broker'", 1.5)


@pytest.mark.slow
def test_a_broker_that_refuses_connections_is_reported_in_the_log_alone(caplog, capfd):
    """Of the process that asks, whose standard error may be a person's terminal."""
    caplog.set_level(logging.WARNING)

    with pytest.raises(KafkaException):
        GroupProcess("127.0.0.1:1", "g").ask("list")

    refused = [each.message for each in caplog.records if "Connection refused" in each.message]
    assert len(refused) == 1
    assert refused[0].startswith("Kafka at 127.0.0.1:1 does not answer client plugwright-admin")
    assert capfd.readouterr().err == ""
