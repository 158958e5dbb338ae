"""Which lines count, and which growth is one by records."""

from __future__ import annotations

import logging

import pytest

from plugwright_conformance.checks.log_lines import own_lines
from plugwright_conformance.evidence.outcome import Outcome

EACH = '_LOG.info("writing the record at offset %d", record.kafka_offset)'


def says(bench, module, file, level=logging.INFO):
    """Logs a line as code of this module and file does."""
    scope = {"__name__": module, "log": logging.getLogger(module), "level": level}
    path = str(bench.subject.root / file)
    exec(compile("def say(): log.log(level, 'a line')", path, "exec"), scope)  # noqa: S102
    return scope["say"]


@pytest.mark.parametrize(
    ("module", "file", "level", "count"),
    [
        ("plugwright_file_sink.task", "plugwright_file_sink/task.py", logging.INFO, 1),
        ("plugwright_file_sink.task", "plugwright_file_sink/task.py", logging.ERROR, 1),
        ("plugwright_file_sink.task", "plugwright_file_sink/task.py", logging.DEBUG, 0),
        ("plugwright_file_sink.testing", "plugwright_file_sink/testing.py", logging.INFO, 0),
        ("httpx", "../httpx/_client.py", logging.INFO, 0),
    ],
    ids=["info", "error", "debug", "driver", "library"],
)
def test_lines_of_the_plugins_own_code_count(bench, module, file, level, count):
    """The driver belongs to the test, and what a library says is its own affair."""
    root = logging.getLogger()
    before = root.level, list(root.handlers), root.manager.disable

    with own_lines(bench, logging.INFO) as lines:
        says(bench, module, file, level)()

    assert len(lines) == count
    assert (root.level, root.handlers, root.manager.disable) == before


def test_what_a_driver_calls_is_the_drivers(bench):
    """Such as a server in a module of its own."""
    inner = says(bench, "plugwright_file_sink.server", "plugwright_file_sink/server.py")
    scope = {"__name__": "plugwright_file_sink.testing", "inner": inner}
    exec("def seed(): inner()", scope)  # noqa: S102

    with own_lines(bench, logging.INFO) as lines:
        scope["seed"]()

    assert lines == []


@pytest.fixture
def logging_sink(mutate, run):
    """The outcome of a sink that logs in another way, or does something else as well."""

    def logging_sink(old, new):
        location = mutate("M312")
        (module,) = location.glob("*/rows_sink_log.py")
        text = module.read_text("utf-8")
        assert old in text
        module.write_text(text.replace(old, new), "utf-8")
        (result,) = run(location, "CON-OBS-03").results
        return result

    return logging_sink


@pytest.mark.slow
@pytest.mark.parametrize(
    "quieter",
    [
        "_LOG.debug(record)",
        "if record.kafka_offset % 10 == 0: _LOG.info(record)",
        "if record.kafka_offset == 0: _LOG.info(record)",
    ],
    ids=["debug", "each-page", "each-put"],
)
def test_lines_about_many_records_pass(logging_sink, quieter):
    """Of a page, a batch or a commit there are fewer than records."""
    assert logging_sink(EACH, quieter).outcome is Outcome.PASS


@pytest.mark.slow
def test_line_for_each_file_is_not_judged(logging_sink):
    """A sink that is configured to write small files says that they are there."""
    table = '__import__("pathlib").Path(f"/proc/self/fd/{self._descriptor}").resolve()'
    file = f'{table}.with_name(f"{{record.kafka_offset}}.jsonl").touch()'

    result = logging_sink(EACH, f'{file}; _LOG.info("a file")')

    assert result.outcome is Outcome.NOT_APPLICABLE
    assert "a file" in result.message
