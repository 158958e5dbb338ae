"""The table of rights speaks of every request that the code sends, and of nothing else."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path

import confluent_kafka
import pytest
from confluent_kafka.admin import AdminClient

import plugwright.kafka
from plugwright.herder import CLUSTER_CONFIG, CONNECTOR_CONFIG, WORKER_CONFIG

pytestmark = pytest.mark.slow

FILE = Path(__file__).parents[2] / "docs/_extension/reference_acls.py"
ELSEWHERE = {
    "name",
    "topics",
    "topics.regex",
    "tasks.max",
    "consumer.override.group.id",
    "errors.deadletterqueue.topic.name",
    "offsets.storage.topic",
}


@pytest.fixture(scope="module")
def page():
    """The module that writes the page."""
    spec = importlib.util.spec_from_file_location("reference_acls", FILE)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_every_method_of_the_client_that_is_called_is_known(page):
    """Either it needs a right, or it is known to need none."""
    clients = (confluent_kafka.Consumer, confluent_kafka.Producer, AdminClient)
    methods = {name for each in clients for name in dir(each) if not name.startswith("_")}
    package = Path(plugwright.kafka.__file__).parent
    called = {
        node.func.attr
        for path in package.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert (called & methods) - page.FREE - page.RIGHTS.keys() == set()


def test_every_module_that_asks_kafka_is_in_the_table(page):
    """And none that does not."""
    named = {module for use in page.USES for module in use.modules}
    assert named == set(page.requests())


def test_a_request_that_needs_a_right_gives_it_a_row(page):
    """What a module sends is allowed to one of those that use it."""
    given = {}
    for use in page.USES:
        for module in use.modules:
            given.setdefault(module, set()).update(use.names)
    for module, methods in page.requests().items():
        kinds = {kind for method in methods for kind, _ in page.RIGHTS[method]}
        if module not in {"consumer", "range_reader"}:
            assert kinds <= given[module] | {"Group"}, module


def test_the_settings_in_names_exist(page):
    """Or stand for one connector's own."""
    known = {*CLUSTER_CONFIG.keys, *WORKER_CONFIG.keys, *CONNECTOR_CONFIG.keys} | ELSEWHERE
    names = [name for use in page.USES for each in use.names.values() for name in each]
    assert {key for name in names for key in re.findall(r"\{(.+?)\}", name)} <= known


def test_the_page_has_what_a_sink_and_an_exactly_once_source_need(page):
    """As Kafka's own documentation has it."""
    text = page.acls()
    assert re.search(r"a task of a sink connector \| Topic \| .* \| Read \|", text)
    assert re.search(r"a task of a sink connector \| Group \| .* \| Read \|", text)
    assert re.search(r"exactly-once source .* TransactionalId .* \| Write \|", text)
    assert re.search(r"worker, for its group \| Group \| `\{group.id\}` \| Read \|", text)
