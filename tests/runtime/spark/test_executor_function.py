"""A function that executors call, and one of another version, which they do not call."""

from __future__ import annotations

import pytest
from pyspark import cloudpickle

from plugwright import __version__
from plugwright.errors import SetupError
from plugwright.spark import executor_function
from plugwright.spark.executor_function import ExecutorFunction
from plugwright.spark.version_check import require_version


def counted(batches, *, first):
    """What executors call."""
    return [first + each for each in batches]


def sent(function):
    """What arrives at an executor."""
    return cloudpickle.loads(cloudpickle.dumps(function))


def test_function_is_called_with_its_arguments():
    """On what Spark passes to it."""
    assert sent(ExecutorFunction.of(counted, first=10))([1, 2]) == [11, 12]


def test_function_of_another_version_is_not_called(monkeypatch):
    """Both versions are named, and what to do."""
    monkeypatch.setattr(executor_function, "__version__", "0.0.9")
    function = ExecutorFunction.of(counted, first=10)
    monkeypatch.undo()

    with pytest.raises(RuntimeError, match=r"driver has Plugwright 0\.0\.9, and ") as raised:
        sent(function)([1, 2])

    text = str(raised.value)
    assert text.startswith("spark.other-version: ")
    assert f"has {__version__}" in text
    assert "pack-environment" in text


def test_plan_of_another_version_is_refused():
    """With what a program can read."""
    with pytest.raises(SetupError) as raised:
        require_version("0.0.9")

    facts = raised.value.facts
    assert raised.value.code == "spark.other-version"
    assert (facts["driver"], facts["executor"]) == ("0.0.9", __version__)


def test_function_that_the_other_version_lacks_is_not_imported():
    """The version is compared first, so no message names a missing module."""
    function = ExecutorFunction("7.0", "plugwright.spark._of_a_later_day", "run", {})

    with pytest.raises(RuntimeError, match=r"driver has Plugwright 7\.0"):
        sent(function)([])


def test_what_is_pickled_stays_as_it_is():
    """A worker of any version can read who sends it."""
    function = ExecutorFunction.of(counted, first=10)

    assert type(function).__module__ == "plugwright.spark.executor_function"
    assert {name: getattr(function, name) for name in type(function).__slots__} == {
        "version": __version__,
        "module": __name__,
        "name": "counted",
        "arguments": {"first": 10},
    }
