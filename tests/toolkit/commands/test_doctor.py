"""``plugwright doctor``: one line for each part of the environment."""

from __future__ import annotations

import json
from functools import partial

import pytest

from plugwright_toolkit import checkup
from plugwright_toolkit.checkup import Condition, EnvironmentFinding

PARTS = (
    *("python", "extras", "java", "cache", "distribution", "worker_python"),
    *("docker", "databases", "port", "memory", "temporary", "confined"),
)


@pytest.fixture
def doctor(plugwright, monkeypatch):
    """Runs the command with checks that have given results."""
    asked = {}

    def answer(name, *arguments):
        asked[name] = arguments
        return [
            EnvironmentFinding(
                name, asked.get("conditions", {}).get(name, Condition.OK), "f\x1b", "h"
            )
        ]

    for name in (*PARTS, "plugin_path", "broker", "settings"):
        monkeypatch.setattr(checkup, name, partial(answer, name))
    run = partial(plugwright, "doctor")
    run.asked = asked
    return run


def test_every_part_has_one_line_with_its_hint(doctor):
    """In a fixed order; nothing of the plugin path or a broker unless one is named."""
    code, out, err = doctor()

    assert (code, err) == (0, "")
    assert out.splitlines() == [f"ok    {name}: f\\x1b → h" for name in PARTS]


@pytest.mark.parametrize(
    ("condition", "code"), [(Condition.WARN, 0), (Condition.FAIL, 4)], ids=["warn", "fail"]
)
def test_only_what_stands_in_the_way_is_status_4(doctor, condition, code):
    """A warning does not."""
    doctor.asked["conditions"] = {"java": condition}
    answer = doctor()

    assert answer[0] == code
    assert f"{condition.value}  java: f\\x1b → h\n" in answer[1]


def test_a_worker_configuration_names_path_broker_and_port(doctor, tmp_path):
    """All of them are looked at."""
    worker = tmp_path / "worker.properties"
    worker.write_text(
        "plugin.path=/a, /b\nbootstrap.servers=h:1\nlisteners=https://x:8443,http://:8084\n"
    )
    doctor("--worker-config", worker, "--plugin-path", "/c", "--plugin-location", "/d")

    assert doctor.asked["plugin_path"] == (["/c", "/a", "/b", "/d"],)
    assert doctor.asked["broker"][0] == "h:1"
    assert doctor.asked["port"] == (8443,)
    assert doctor.asked["settings"][0]["bootstrap.servers"] == "h:1"


def test_the_port_is_kafkas_unless_the_worker_has_another(doctor):
    """8083."""
    doctor()

    assert doctor.asked["port"] == (8083,)


def test_a_broker_of_the_command_line_comes_before_the_workers(doctor, tmp_path):
    """The other one is not asked."""
    worker = tmp_path / "worker.properties"
    worker.write_text("bootstrap.servers=h:1\n")
    doctor("--worker-config", worker, "--bootstrap-server", "h:2")

    assert doctor.asked["broker"][0] == "h:2"


def test_later_worker_configurations_add_to_earlier_ones(doctor, tmp_path):
    """Of equal settings the last counts."""
    (tmp_path / "a").write_text("bootstrap.servers=h:1\nlisteners=http://:1\n")
    (tmp_path / "b").write_text("listeners=http://:2\n")
    doctor("--worker-config", tmp_path / "a", "--worker-config", tmp_path / "b")

    assert (doctor.asked["broker"][0], doctor.asked["port"]) == ("h:1", (2,))


def test_a_broker_has_five_seconds(doctor, monkeypatch):
    """One that is late is no broker."""
    asked = {}
    monkeypatch.setattr(checkup, "examine", lambda checks: asked.update(enumerate(checks)) or [])
    doctor("--bootstrap-server", "h:1")

    (broker,) = (each for each in asked.values() if each.name == "broker")
    assert (broker.seconds, broker.late, broker.hint) == (
        5.0,
        Condition.FAIL,
        "start that broker or correct the address",
    )


def test_json_has_exact_texts(doctor):
    """With a format and sorted keys."""
    code, out, _ = doctor("--json")
    document = json.loads(out)

    assert (code, document["format"]) == (0, "plugwright-doctor/1")
    assert document["checks"][0] == {
        "name": "python",
        "condition": "ok",
        "found": "f\x1b",
        "hint": "h",
    }
    assert json.dumps(document, indent=2, sort_keys=True) + "\n" == out


@pytest.mark.slow
def test_this_environment_is_reported_without_a_stack(plugwright):
    """Whatever is wrong with it."""
    code, out, err = plugwright("doctor", "--bootstrap-server", "127.0.0.1:1")

    assert (code, err) == (4, "")
    assert {line[:6].strip() for line in out.splitlines()} <= {"ok", "warn", "fail"}
    assert "\nfail  broker: no Kafka answers at 127.0.0.1:1: " in out
