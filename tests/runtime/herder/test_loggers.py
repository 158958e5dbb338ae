"""Levels of loggers at run time, by Kafka's names."""

from __future__ import annotations

import logging

import pytest

from plugwright.herder.loggers import Loggers


@pytest.fixture
def loggers():
    """Levels that are put back at the end."""
    logging.getLogger("levels.orders").setLevel(logging.NOTSET)
    yield Loggers()
    for name in ("levels", "levels.orders"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def test_a_level_goes_to_the_loggers_below(loggers):
    """And the answer names them all."""
    assert loggers.set_level("levels", "debug") == ["levels", "levels.orders"]
    assert logging.getLogger("levels.orders").level == logging.DEBUG
    assert loggers.level("levels.orders").level == "DEBUG"
    assert loggers.level("levels.orders").last_modified > 0


def test_a_level_that_does_not_exist_changes_nothing(loggers):
    """The API refuses it before."""
    assert loggers.set_level("levels", "LOUD") == []


def test_an_unknown_logger_has_no_level(loggers):
    """It is not made by asking."""
    assert loggers.level("no.such.logger") is None
    assert "no.such.logger" not in logging.root.manager.loggerDict


@pytest.mark.parametrize(
    ("level", "number"),
    [("OFF", 60), ("FATAL", 50), ("ERROR", 40), ("WARN", 30), ("INFO", 20), ("TRACE", 5)],
)
def test_kafkas_names_have_numbers(loggers, level, number):
    """Those of Python's logging, with two of our own."""
    loggers.set_level("levels", level)
    assert logging.getLogger("levels").level == number
    assert loggers.all_levels()["levels"].level == level
