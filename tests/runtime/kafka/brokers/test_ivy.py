"""Resolving with Ivy, mostly with a shell script in its place."""

from __future__ import annotations

import importlib.util
import os
import socket
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

from plugwright.errors import SetupError
from plugwright.kafka.brokers import IvyResolver, free_ports, kafka_server
from plugwright.kafka.brokers.ivy import ivy_jar, ivy_module

REFUSED = """
:: problems summary ::
:::: WARNINGS
		module not found: org.example#one;1.0
		:: org.example#one;1.0: not found
:::: ERRORS
	Server access error at url x://repo/one.pom (java.net.ConnectException: Connection refused)
	Server access error at url x://repo/one.pom (java.net.ConnectException: Connection refused)
"""
UNKNOWN_HOST = """
	Host repo not found. url=x://repo/one.pom
		:: org.example#one;1.0: not found
"""
NOT_FOUND = "\n".join(f"		:: org.example#{name};1.0: not found" for name in "abcde")


def test_a_module_file_names_the_coordinates():
    """Each one with the default configuration, which is compile and runtime without tests."""
    module = ET.fromstring(ivy_module(["org.example:one_2.13:1.0", "org.example:two:2"]))  # noqa: S314  # our own text

    assert [dependency.attrib for dependency in module.iter("dependency")] == [
        {"org": "org.example", "name": "one_2.13", "rev": "1.0", "conf": "default->default"},
        {"org": "org.example", "name": "two", "rev": "2", "conf": "default->default"},
    ]


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        pytest.param(
            REFUSED,
            "Server access error at url x://repo/one.pom "
            "(java.net.ConnectException: Connection refused)",
            id="refused",
        ),
        pytest.param(UNKNOWN_HOST, "Host repo not found. url=x://repo/one.pom", id="unknown-host"),
        pytest.param(
            NOT_FOUND,
            "org.example#a;1.0: not found; org.example#b;1.0: not found; "
            "org.example#c;1.0: not found; and 2 more",
            id="not-found",
        ),
        pytest.param("a\nb\nc\nd", "b; c; d", id="something-else"),
        pytest.param("", "Ivy reported no reason", id="nothing"),
    ],
)
def test_the_reason_is_ivys_own(shell_java, monkeypatch, tmp_path, log, reason):
    """Failed connections before what was therefore not found."""
    monkeypatch.setattr("plugwright.kafka.brokers.ivy.ivy_jar", lambda: Path("ivy.jar"))
    said = tmp_path / "said"
    said.write_text(log)

    with pytest.raises(SetupError) as caught:
        IvyResolver(shell_java(f"cat {said}; exit 1"))(["g:a:1"], tmp_path)

    assert caught.value.facts["reason"] == reason


@pytest.mark.parametrize(
    "found", [None, SimpleNamespace(origin=None), SimpleNamespace(origin="/nowhere/x.py")]
)
def test_without_pyspark_there_is_no_ivy(found):
    """The error names the extra."""
    with pytest.raises(SetupError, match="the package pyspark is not installed") as caught:
        ivy_jar(lambda _: found)

    assert caught.value.code == "environment.package-missing"
    assert "plugwright[spark]" in caught.value.hint


@pytest.mark.skipif(importlib.util.find_spec("pyspark") is None, reason="needs pyspark")
def test_ivy_is_found_inside_pyspark():
    """The oldest and the newest supported pyspark both bring it."""
    assert ivy_jar().name.startswith("ivy-2.")


def test_ivy_puts_the_jars_where_asked(shell_java, monkeypatch, tmp_path):
    """The retrieve pattern leads into the directory; the ivy cache is private."""
    monkeypatch.setattr("plugwright.kafka.brokers.ivy.ivy_jar", lambda: Path("ivy.jar"))
    environ = shell_java('printf "%s\\n" "$@"; echo "$PLUGWRIGHT_CACHE"')

    IvyResolver(environ)(["g:a:1"], tmp_path / "into")

    (log,) = (tmp_path / "cache" / "logs").glob("ivy-*.log")
    lines = log.read_text().splitlines()
    assert lines[lines.index("-cp") + 1] == "ivy.jar"
    assert lines[lines.index("-retrieve") + 1].startswith(f"{tmp_path}/into/[artifact]-[revision]")
    assert not Path(lines[lines.index("-cache") + 1]).exists()


def test_a_failure_gives_the_reason_and_the_log(shell_java, monkeypatch, tmp_path):
    """And three ways out."""
    monkeypatch.setattr("plugwright.kafka.brokers.ivy.ivy_jar", lambda: Path("ivy.jar"))
    environ = shell_java('echo "	:: g#a;1: not found"; exit 1')

    with pytest.raises(SetupError, match="fetched: g#a;1: not found; Ivy's log is ") as caught:
        IvyResolver(environ)(["g:a:1"], tmp_path)

    assert caught.value.code == "environment.kafka-unresolved"
    assert caught.value.hint == (
        "connect to the network once (Java's proxy settings go into JAVA_TOOL_OPTIONS), or copy a "
        "filled cache from another machine, or name a running broker with --bootstrap-servers"
    )
    assert Path(str(caught.value.facts["log"])).is_file()


@pytest.mark.slow
def test_an_unknown_authority_has_its_own_hint(shell_java, monkeypatch, tmp_path):
    """A proxy that signs by itself is a matter of trust, not of the network."""
    monkeypatch.setattr("plugwright.kafka.brokers.ivy.ivy_jar", lambda: Path("ivy.jar"))
    line = "Server access error at url x (javax.net.ssl.SSLHandshakeException: PKIX)"
    environ = shell_java(f'echo "{line}"; exit 1')

    with pytest.raises(SetupError) as caught:
        IvyResolver(environ)(["g:a:1"], tmp_path)

    assert "trust store" in caught.value.hint


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        pytest.param((30.0, 0.02), r"Ivy got no answer for 0\.02 s", id="silent"),
        pytest.param((0.02, 30.0), r"Ivy did not end within 0\.02 s", id="endless"),
    ],
)
def test_a_resolution_that_hangs_is_given_up(shell_java, monkeypatch, tmp_path, limits, message):
    """Ivy sets no time limit on a connection."""
    monkeypatch.setattr("plugwright.kafka.brokers.ivy.ivy_jar", lambda: Path("ivy.jar"))
    monkeypatch.setattr("plugwright.kafka.brokers.ivy._POLL_SECONDS", 0.005)
    environ = shell_java("exec sleep 30")

    with pytest.raises(SetupError, match=message) as caught:
        IvyResolver(environ, *limits)(["g:a:1"], tmp_path)

    assert caught.value.code == "environment.kafka-unresolved"


def through_proxy(port, cache):
    """An environment in which Java reaches every repository through a local proxy."""
    options = f"-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort={port}"
    return {**os.environ, "JAVA_TOOL_OPTIONS": options, "PLUGWRIGHT_CACHE": str(cache)}


@pytest.mark.kafka
def test_without_a_route_the_real_ivy_says_so(tmp_path):
    """Within seconds, with the exception of the connection."""
    (closed,) = free_ports(1)

    with pytest.raises(SetupError, match="Connection refused") as caught:
        IvyResolver(through_proxy(closed, tmp_path))(kafka_server().coordinates, tmp_path)

    assert caught.value.code == "environment.kafka-unresolved"


@pytest.mark.kafka
def test_a_route_that_swallows_everything_is_given_up(tmp_path):
    """A firewall that answers nothing leaves Ivy waiting for ever."""
    with socket.create_server(("127.0.0.1", 0)) as hole:
        environ = through_proxy(hole.getsockname()[1], tmp_path)
        with pytest.raises(SetupError, match="Ivy got no answer for 3 s"):
            IvyResolver(environ, silent_seconds=3.0)(["org.example:a:1"], tmp_path)
