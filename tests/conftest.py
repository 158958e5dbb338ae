"""What all test folders share: one live broker and one Spark session for the whole run."""

from __future__ import annotations

import gc
import os
import re
import signal
import threading
from uuid import uuid4

import pytest
from tests.chromium import chromium, launched
from tests.shares import (  # the hooks of a plugin
    is_in_another_share,
    pytest_configure_node,  # noqa: F401
    pytest_xdist_make_scheduler,  # noqa: F401
)

from plugwright.errors import SetupError


def _lacking(error):
    """What is missing on this machine skips locally, and fails in continuous integration."""
    if os.environ.get("CI"):
        raise error
    pytest.skip(str(error))


@pytest.fixture(scope="session")
def broker():
    """A live Kafka, started for the first test that asks for it."""
    from plugwright.kafka.brokers import open_broker  # noqa: PLC0415  # an extra

    try:
        opened = open_broker()
    except SetupError as error:
        _lacking(error)
    with opened:
        yield opened


@pytest.fixture(scope="session")
def spark_session(tmp_path_factory):
    """The Spark session that every test shares."""
    from plugwright.spark import open_session  # noqa: PLC0415  # an extra

    try:
        session = open_session("tests", log=tmp_path_factory.mktemp("spark") / "spark.log")
    except SetupError as error:
        _lacking(error)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def browser():
    """Chromium, where there is one; no package registry has it, so a machine may lack it."""
    try:
        executable = chromium()
    except SetupError as error:
        pytest.skip(str(error))
    with launched(executable) as browser:
        yield browser


@pytest.fixture(scope="session")
def launcher(spark_session):
    """Puts tasks onto the shared session."""
    from plugwright.spark import SparkLauncher  # noqa: PLC0415  # an extra

    launcher = SparkLauncher(spark_session)
    yield launcher
    launcher.close()


@pytest.fixture
def caplog(caplog):
    """Without the outages of a Kafka that earlier tests missed; they are logged for minutes."""
    earlier = {each.ident for each in threading.enumerate() if each.name == "kafka-outages"}

    def is_of_this_test(record):
        return record.thread not in earlier

    caplog.handler.addFilter(is_of_this_test)
    yield caplog
    caplog.handler.removeFilter(is_of_this_test)


@pytest.fixture
def fresh():
    """Makes names that nothing else on the broker has."""
    return lambda purpose: f"{purpose}-{uuid4().hex[:12]}"


def pytest_configure():
    """A shell's background job ignores interrupts, one of nohup hangups, and tests send them.

    A handler is not inherited by programs that tests start, unlike "ignored".
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


_HEAVY_S = 1800
_FIRST = {"test_certified.py", "test_mutants_live.py", "test_spark_clusters.py", "test_calls.py"}
"""Files that take minutes. A worker that began one of them last would be alone with it."""
_MARKED = re.compile(r"^pytestmark = (\[[^\]]*\]|\S+)", re.MULTILINE)


def pytest_ignore_collect(collection_path, config):
    """A module is not imported if another worker runs it, or if no test of it is selected."""
    if not collection_path.match("test_*.py"):
        return None
    if is_in_another_share(collection_path, config):
        return True
    expression = config.option.markexpr
    left_out = set(expression.removeprefix("not ").split(" and not "))
    if not expression.startswith("not ") or not all(map(str.isidentifier, left_out)):
        return None
    marked = _MARKED.search(collection_path.read_text("utf-8"))
    marks = re.findall(r"pytest\.mark\.(\w+)", marked[1]) if marked else ()
    return True if left_out.intersection(marks) else None


def pytest_collection(session):
    """What is collected stays: looking through it for garbage would take a tenth of the time."""
    del session
    gc.disable()


def pytest_collection_modifyitems(items):
    """Long files come first, and tests with a JVM have more time: its start alone takes minutes.

    That is on a busy machine. Those in a browser have more time, too: the pages of the
    documentation take a minute of a processor.
    """
    items.sort(key=lambda item: item.path.name not in _FIRST)
    for item in items:
        heavy = item.get_closest_marker("spark") or item.get_closest_marker("kafka")
        heavy = heavy or "browser" in item.fixturenames
        if heavy and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(_HEAVY_S))


def pytest_collection_finish(session):
    """What tests leave behind is garbage again."""
    del session
    gc.freeze()
    gc.enable()
