"""Where live checks run their tasks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright.errors import SetupError
from plugwright.spark import TaskStatus
from plugwright_conformance.live.spark_cluster import SLOTS, SparkChoice

AWAY = TaskStatus(pid=1, daemon="elsewhere:1")


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Opens a choice without Spark: what was asked of the session, opened, and waited for."""
    asked, waited = {}, []

    def open_session(name, *, master, log, settings):
        asked.update(settings, master=master)
        return SimpleNamespace(stop=lambda: None)

    launcher = SimpleNamespace(close=lambda: None)
    shipments = SimpleNamespace(of=lambda session, distribution: distribution)
    monkeypatch.setattr("plugwright.spark.open_session", open_session)
    monkeypatch.setattr("plugwright.spark.SparkLauncher", lambda session, shipments: launcher)
    monkeypatch.setattr("plugwright.spark.Shipments", shipments)
    monkeypatch.setattr(
        "plugwright.spark.require_executors", lambda session, slots: waited.append(slots)
    )

    def opened(choice, **more):
        with choice.opened("name", tmp_path / "log", more) as spark:
            return asked, spark, waited

    return opened


@pytest.mark.parametrize("master", ["", "local[4]", "local-cluster[2,2,1024]"])
def test_on_this_machine_every_task_can_be_reached(opened, master):
    """No executors are waited for, and nothing is asked of the session."""
    asked, spark, waited = opened(SparkChoice(master))

    assert asked == {"master": master or "local[1024]"}
    assert (spark.is_here(AWAY), waited) == (True, [])
    assert SparkChoice(master).address() == ""


@pytest.mark.parametrize(
    ("settings", "cores"),
    [
        ({}, "4"),
        ({"spark.executor.cores": "3"}, "6"),
        ({"spark.executor.cores": "16"}, "16"),
        ({"spark.executor.cores": "none"}, "4"),
        ({"spark.cores.max": "12"}, "12"),
    ],
)
def test_on_a_standalone_cluster_a_second_session_finds_cores(opened, settings, cores):
    """By default one application would take all of them; executors are whole."""
    asked, spark, waited = opened(SparkChoice("spark://127.0.0.1:7077", settings), more="1")

    assert asked == {
        "master": "spark://127.0.0.1:7077",
        **settings,
        "more": "1",
        "spark.cores.max": cores,
    }
    assert (spark.is_here(AWAY), waited) == (False, [SLOTS])


def test_on_other_clusters_the_operator_says_how_many():
    """Their applications take what they ask for."""
    assert SparkChoice("k8s://https://127.0.0.1:6443").is_cluster
    assert not SparkChoice("k8s://https://127.0.0.1:6443")._modest()


def test_fixed_ports_of_a_second_session_are_the_next_ones():
    """Both run on this machine; port 0 is any port."""
    ports = {"spark.driver.port": "7001", "spark.plugwright.control.port": "0"}
    choice = SparkChoice("spark://m:1", {**ports, "spark.executor.cores": "2"}, "ship")

    assert choice.beside() == SparkChoice(
        "spark://m:1",
        {**ports, "spark.driver.port": "7002", "spark.executor.cores": "2"},
        "ship",
    )
    assert SparkChoice.from_plain(choice.to_plain()) == choice


def test_address_is_the_one_on_the_way_to_the_master():
    """As for the driver itself; where only Spark knows it, the operator has to name it."""
    assert SparkChoice("spark://127.0.0.9:7077").address() == "127.0.0.1"
    assert SparkChoice("yarn", {"spark.driver.host": "10.0.0.1"}).address() == "10.0.0.1"
    with pytest.raises(SetupError, match="executors of yarn reach this machine is not known") as e:
        SparkChoice("yarn").address()
    assert e.value.code == "environment.not-our-address"


def test_secrets_are_not_shown():
    """A choice may be printed."""
    assert "s3cret" not in repr(SparkChoice("spark://m:1", {"spark.authenticate.secret": "s3cret"}))
