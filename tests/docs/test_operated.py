"""The worker that the operator's guide shows does its work, in a group with other names."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from tests.docs.pages import ROOT, pages
from tests.e2e.cluster import Cluster
from tests.e2e.workers import until

from plugwright.config import parse_properties
from plugwright.kafka import create_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(420)]

ELSEWHERE = {
    "bootstrap.servers",
    "group.id",
    "config.storage.topic",
    "listeners",
    "offset.storage.topic",
    "rest.advertised.host.name",
    "status.storage.topic",
}
"""What every operator has to say for the place; the test does, too."""


def test_the_distributed_worker_of_the_guide_runs_a_connector(broker, fresh, tmp_path):
    """Its settings are taken from the page, and values arrive in the format that it chooses."""
    (page,) = (page for page in pages() if page.name == "operate/distributed.md")
    (block,) = page.of("properties")
    shown = {k: v for k, v in parse_properties(block.text).items() if k not in ELSEWHERE}
    shown["plugin.path"] = str(ROOT / shown["plugin.path"])
    name = fresh("guide")
    create_topic(broker.bootstrap_servers, name)
    (tmp_path / "lines.txt").write_text("two apples\n")

    with closing(Cluster(broker.bootstrap_servers, name, **shown)) as cluster:
        cluster.grow(1)
        cluster.source("lines", tmp_path / "lines.txt", name)
        cluster.wait_for("lines", "RUNNING")
        values = until(lambda: cluster.values(name))

    assert [json.loads(value)["payload"] for value in values] == ["two apples"]
