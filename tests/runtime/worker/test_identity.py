"""Calls into plugin code: whatever they raise becomes an error that names the plugin."""

from __future__ import annotations

import pytest
from tests.runtime.worker.rigs import IDENTITY

from plugwright.errors import DataError, PluginError, RetriableError


def _call(error):
    with IDENTITY.calling("put"):
        raise error


@pytest.mark.parametrize(
    "error",
    [ValueError("bad"), SystemExit("bad"), GeneratorExit("bad"), DataError("bad")],
    ids=repr,
)
def test_errors_of_plugin_code_name_plugin_and_phase(error):
    """Also where it tries to end the process."""
    with pytest.raises(PluginError, match=r"shop\.OrdersTask 1\.4\.0 failed in put: bad") as caught:
        _call(error)
    assert caught.value.__cause__ is error
    assert dict(caught.value.facts) == {
        "task": "orders-3",
        "plugin": "shop.OrdersTask",
        "version": "1.4.0",
        "location": "/plugins/shop",
        "phase": "put",
        "error": type(error).__name__,
    }


def test_a_retriable_error_passes_as_it_is():
    """Loops act on it."""
    with pytest.raises(RetriableError, match="later"):
        _call(RetriableError("later"))


def test_an_interrupt_passes_as_it_is():
    """Ctrl-C is the user's, not the plugin's."""
    with pytest.raises(KeyboardInterrupt):
        _call(KeyboardInterrupt())


def test_an_error_without_a_message_is_named_by_its_class():
    """So that the sentence says something."""
    with pytest.raises(PluginError, match="failed in put: KeyError"):
        _call(KeyError())


def test_the_hint_of_an_explained_error_is_kept():
    """The plugin's author wrote it for the user."""
    with pytest.raises(PluginError) as caught:
        _call(DataError("bad", hint="mend the data"))
    assert caught.value.hint == "mend the data"
