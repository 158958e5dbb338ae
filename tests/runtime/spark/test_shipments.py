"""What a session sends to its executors, and when."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from plugwright.spark import Shipments

pytest.importorskip("pyspark")


@pytest.fixture
def sent():
    """The files that were added to the session."""
    return []


def _session(master, scratch, sent):
    """As much of a session as matters here."""
    conf = SimpleNamespace(get={"spark.plugwright.scratch": str(scratch)}.get)
    context = SimpleNamespace(master=master, addFile=sent.append, getConf=lambda: conf)
    return SimpleNamespace(sparkContext=context)


@pytest.mark.parametrize(
    ("master", "distribution", "ships"),
    [
        ("spark://10.0.0.1:7077", "auto", True),
        ("spark://10.0.0.1:7077", "ship", True),
        ("spark://10.0.0.1:7077", "present", False),
        ("yarn", "auto", True),
        ("k8s://https://10.0.0.1", "auto", True),
        ("local-cluster[2,2,1024]", "auto", False),
        ("local-cluster[2,2,1024]", "ship", True),
        ("local[4,2147483647]", "ship", False),
        ("local", "auto", False),
    ],
)
def test_the_master_says_whether_locations_have_to_travel(
    master, distribution, ships, tmp_path, sent
):
    """Unless the operator does; a master within the worker's process never needs it."""
    found = Shipments.of(_session(master, tmp_path, sent), distribution)

    assert (found is not None) is ships


def test_a_location_is_sent_once_for_each_content(tmp_path, sent):
    """Two connectors of one location, then an upgrade of it."""
    location, scratch = tmp_path / "orders", tmp_path / "scratch"
    location.mkdir()
    scratch.mkdir()
    (location / "orders.py").write_text("VERSION = 1\n", "utf-8")
    shipments = Shipments.of(_session("yarn", scratch, sent), "auto")

    first = shipments.path(str(location))
    again = shipments.path(str(location))
    (location / "orders.py").write_text("VERSION = 20\n", "utf-8")
    upgraded = shipments.path(f"{location}:{location}")

    assert again == first
    assert upgraded.split(":")[0] == upgraded.split(":")[1] != first
    assert [Path(each).name for each in sent] == [first, upgraded.split(":")[0]]
    assert sorted(each.name for each in scratch.iterdir()) == sorted(Path(f).name for f in sent)


def test_no_location_is_no_archive(tmp_path, sent):
    """A connector that comes with the runtime."""
    shipments = Shipments.of(_session("yarn", tmp_path, sent), "auto")

    assert shipments.path("") == ""
    assert sent == []
