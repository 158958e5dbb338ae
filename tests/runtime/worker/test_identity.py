"""Calls into plugin code: whatever they raise becomes an error that names the plugin."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace

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


def test_an_interrupt_on_another_thread_is_the_plugins():
    """Signals come to the main thread."""
    caught = []

    def call():
        try:
            _call(KeyboardInterrupt())
        except BaseException as error:  # noqa: BLE001  # whatever it is
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert str(caught[0]) == "shop.OrdersTask 1.4.0 failed in put: KeyboardInterrupt"


def test_a_trace_says_where_a_failure_comes_from():
    """In one line, which programs can find."""
    with pytest.raises(PluginError) as caught:
        _call(ValueError("bad"))
    assert caught.value.__notes__ == [
        "plugin shop.OrdersTask, version 1.4.0, location /plugins/shop, phase put"
    ]


def test_memory_that_has_run_out_has_a_code_and_a_hint():
    """There is a setting for it."""
    with pytest.raises(PluginError) as caught:
        _call(MemoryError())
    assert (caught.value.code, caught.value.hint) == (
        "plugin.out-of-memory",
        "reduce its memory use, or raise plugin.memory.limit.mb",
    )


@pytest.mark.parametrize("error", [None, ValueError("bad")], ids=["returns", "raises"])
def test_the_phase_is_reported_while_it_lasts(error):
    """Somebody may want to know what a process was doing."""
    reported = []
    identity = replace(IDENTITY, enter=reported.append)
    with suppress(PluginError), identity.calling("put"):
        reported.append("inside")
        if error:
            raise error
    with identity.converting():
        reported.append("inside")
    assert reported == [
        "put",
        "inside",
        "",
        "conversion and transformation of records",
        "inside",
        "",
    ]


def test_an_error_without_a_message_is_named_by_its_class():
    """So that the sentence says something."""
    with pytest.raises(PluginError, match="failed in put: KeyError"):
        _call(KeyError())


def test_the_hint_of_an_explained_error_is_kept():
    """The plugin's author wrote it for the user."""
    with pytest.raises(PluginError) as caught:
        _call(DataError("bad", hint="fix the data"))
    assert caught.value.hint == "fix the data"
