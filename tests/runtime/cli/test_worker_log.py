"""How a worker process writes its log."""

from __future__ import annotations

import io
import json
import logging
import sys

import pytest

from plugwright.cli import serving as implementation
from plugwright.config import HiddenTexts
from plugwright.errors import ConfigError
from plugwright.logs import LogContext, in_context


@pytest.fixture
def written(monkeypatch):
    """The stream of the only handler there is; pytest's own get their formatters back."""
    stream = io.StringIO()
    root = logging.getLogger()
    formatters = {handler: handler.formatter for handler in root.handlers}
    monkeypatch.setattr(root, "handlers", [logging.StreamHandler(stream)])
    monkeypatch.setattr(root, "level", logging.INFO)
    yield stream
    for handler, formatter in formatters.items():
        handler.setFormatter(formatter)


@pytest.mark.parametrize("properties", [{}, {"log.format": "TEXT"}], ids=["default", "said"])
def test_text_is_the_default(written, properties):
    """With what a plugin prints in this process among the lines."""
    with implementation.worker_log(properties, HiddenTexts()), in_context(LogContext("orders")):
        sys.stderr.write("half ")
        sys.stderr.write("a line\n")
    line = written.getvalue()
    assert line.endswith("] INFO [orders|worker] half a line (plugwright.output)\n")


def test_json_lines_are_json_whatever_is_printed(written):
    """One object each."""
    with implementation.worker_log({"log.format": "json"}, HiddenTexts()):
        sys.stdout.write('{"broken":\n')
        logging.getLogger("shop").error("bad\nrow")
    said = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [(line["logger"], line["message"]) for line in said] == [
        ("plugwright.output", '{"broken":'),
        ("shop", "bad\nrow"),
    ]


def test_another_format_is_refused(written):
    """Before anything is started."""
    with (
        pytest.raises(ConfigError, match=r"xml for configuration log\.format: .*: TEXT, JSON$"),
        implementation.worker_log({"log.format": "xml"}, HiddenTexts()),
    ):
        pass
