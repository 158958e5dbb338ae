"""Values from environment variables."""

from __future__ import annotations

import os

import pytest

from plugwright.config import ConfigData, EnvVarConfigProvider
from plugwright.errors import ConfigError

VARIABLES = {"test_var1": "value1", "secret_var2": "value2", "new_var3": "value3"}


@pytest.fixture
def provider():
    """A provider without a pattern."""
    made = EnvVarConfigProvider(VARIABLES)
    made.configure({})
    return made


@pytest.mark.parametrize("path", ["", None])
def test_all_variables(provider, path):
    """Without a pattern everything is visible."""
    assert provider.get(path) == ConfigData(VARIABLES)


@pytest.mark.parametrize("path", ["", None])
def test_some_variables(provider, path):
    """Variables that are not set are left out."""
    assert provider.get(path, {"test_var1", "x"}) == ConfigData({"test_var1": "value1"})


def test_path_is_an_error(provider):
    """Kafka's words."""
    with pytest.raises(ConfigError) as caught:
        provider.get("test-path", {"test_var1"})

    assert str(caught.value) == (
        "Path is not supported for EnvVarConfigProvider, invalid value 'test-path'"
    )


def test_pattern_limits_what_is_visible(provider):
    """Also for keys that are asked for by name."""
    provider.configure({"allowlist.pattern": "secret_.*"})

    assert provider.get("").data == {"secret_var2": "value2"}
    assert provider.get("", {"test_var1", "secret_var2"}).data == {"secret_var2": "value2"}


@pytest.mark.parametrize(
    ("pattern", "names"),
    [("var", 3), ("^new", 1), ("^var", 0), ("2$|3$", 2)],
)
def test_pattern_is_searched_for(provider, pattern, names):
    """Found anywhere in the name, as in Kafka, unless it is anchored."""
    provider.configure({"allowlist.pattern": pattern})

    assert len(provider.get("").data) == names


def test_bad_pattern():
    """A pattern that protects nothing is an error."""
    with pytest.raises(ConfigError, match=r"for configuration allowlist\.pattern"):
        EnvVarConfigProvider({}).configure({"allowlist.pattern": "("})


def test_default_pattern_is_logged(caplog):
    """Whoever reads the log learns that everything is visible."""
    caplog.set_level("INFO")

    EnvVarConfigProvider({}).configure({})

    assert caplog.messages == [
        "No pattern for environment variables provided. Using default pattern '(.*)'."
    ]


def test_own_process_by_default(monkeypatch):
    """The variables of the worker."""
    monkeypatch.setitem(os.environ, "A_VARIABLE_OF_THIS_TEST", "x")

    found = EnvVarConfigProvider().get("", {"A_VARIABLE_OF_THIS_TEST"})

    assert found.data == {"A_VARIABLE_OF_THIS_TEST": "x"}
