"""Whom Spark's ports answer, by its master and its settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugwright.errors import SetupError, render
from plugwright.spark import is_local
from plugwright.spark.secured import (
    ALLOW_UNSECURED,
    network_settings,
    require_secured,
    socket_settings,
)
from plugwright.spark.tickets import TICKET_PROPERTY

LOCAL = ["local", "local[4]", "local[*]", "local[4,2147483647]"]
CLUSTERS = ["spark://host:7077", "spark://a:1,b:2", "yarn", "k8s://https://host", "localhost:7077"]
SECURED = {"spark.authenticate": "true", "spark.network.crypto.enabled": "true"}


@pytest.mark.parametrize("master", LOCAL)
def test_a_local_session_authenticates_with_a_secret_that_is_in_no_setting(master):
    """Spark makes it, and keeps it in its memory."""
    settings = network_settings(master)
    assert settings["spark.authenticate"] == "true"
    assert set(settings) == {"spark.authenticate", TICKET_PROPERTY}


def test_each_local_cluster_has_a_secret_of_its_own():
    """Its executors are processes of this machine, and have to know it."""
    secrets = [network_settings("local-cluster[2,2,1024]") for _ in range(2)]
    assert secrets[0]["spark.authenticate"] == "true"
    assert len({each["spark.authenticate.secret"] for each in secrets}) == 2


@pytest.mark.parametrize("master", CLUSTERS)
def test_nothing_is_chosen_for_a_cluster(master):
    """What it shares with its drivers is the operator's."""
    assert set(network_settings(master)) == {TICKET_PROPERTY}
    assert not is_local(master)


@pytest.mark.parametrize("master", [*LOCAL, "local-cluster[2,2,1024]"])
def test_sockets_that_ask_for_no_secret_are_in_a_directory_of_their_owner(master):
    """Spark would put them among all users' temporary files, with the umask's mode."""
    scratch = Path("/tmp/plugwright-spark-abcdefgh")  # noqa: S108  # a name, nothing is there
    assert socket_settings(master, scratch) == {
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.unix.domain.socket.dir": str(scratch),
    }


@pytest.mark.parametrize(
    ("master", "directory"),
    [*((each, "/short") for each in CLUSTERS), ("local[4]", "/" + "é" * 40)],
)
def test_where_there_is_no_such_directory_each_side_shows_a_secret(master, directory):
    """Executors elsewhere do not have it; a path beyond the kernel's limit cannot be bound."""
    assert socket_settings(master, Path(directory)) == {
        "spark.python.unix.domain.socket.enabled": "false"
    }


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({}, ["spark.authenticate=true", "spark.network.crypto.enabled=true or "]),
        ({"spark.authenticate": "true"}, ["spark.network.crypto.enabled=true or "]),
        ({"spark.network.crypto.enabled": "true"}, ["spark.authenticate=true"]),
        ({**SECURED, "spark.authenticate": "false"}, ["spark.authenticate=true"]),
        ({ALLOW_UNSECURED: "yes"}, ["spark.authenticate=true"]),
    ],
    ids=["nothing", "in the clear", "anybody", "switched off", "no clear word"],
)
@pytest.mark.parametrize("master", CLUSTERS)
def test_an_open_cluster_is_refused(master, settings, missing):
    """With all that is missing, and the setting that lets it be."""
    with pytest.raises(SetupError) as caught:
        require_secured(master, settings)
    assert caught.value.code == "spark.cluster-unsecured"
    text = render(caught.value)
    assert all(each in text for each in [master, *missing, f"{ALLOW_UNSECURED}=true"])


@pytest.mark.parametrize(
    "settings",
    [
        SECURED,
        {"spark.authenticate": "TRUE", "spark.ssl.rpc.enabled": "true"},
        {ALLOW_UNSECURED: "true"},
    ],
    ids=["encrypted", "TLS", "in so many words"],
)
@pytest.mark.parametrize("master", CLUSTERS)
def test_a_secured_cluster_is_used(master, settings):
    """And one that the operator has said it of."""
    require_secured(master, settings)


@pytest.mark.parametrize("master", [*LOCAL, "local-cluster[1,1,1024]"])
def test_what_leaves_no_machine_needs_no_setting(master):
    """Authentication is on by default there."""
    require_secured(master, {})
