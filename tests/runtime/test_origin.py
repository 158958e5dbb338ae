"""What is said of a failure in plugin code."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from plugwright.origin import ending_forks, is_operators, name_origin, origin, said, trace_text


class MuteError(Exception):
    """Has no text."""

    def __str__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("location", "shown"),
    [("/plugins/shop", "/plugins/shop"), ("", "the runtime's own")],
    ids=["a location", "none"],
)
def test_an_origin_is_one_line(location, shown):
    """With everything that finds the plugin again."""
    assert origin("shop.Task", "1.4", location, "poll") == (
        f"plugin shop.Task, version 1.4, location {shown}, phase poll"
    )


def test_an_origin_is_noted_once():
    """However many hands an error passes through."""
    error = ValueError("x")
    for _ in range(2):
        name_origin(error, "plugin a")
    assert error.__notes__ == ["plugin a"]


@pytest.mark.parametrize(
    ("error", "text"),
    [(ValueError("bad"), "bad"), (KeyError(), "KeyError"), (MuteError(), "MuteError")],
    ids=["a text", "none", "fails"],
)
def test_every_error_has_a_text(error, text):
    """If need be the name of its class."""
    assert said(error) == text


def test_a_long_text_loses_its_middle():
    """And says so."""
    text = said(ValueError("a" * 6000 + "b" * 6000))
    assert text == "a" * 5000 + "\n[2000 characters left out]\n" + "b" * 5000


def test_a_trace_of_an_error_without_text_is_a_trace():
    """With the name of the class."""
    assert trace_text(MuteError()).startswith(f"{MuteError.__module__}.MuteError")


def test_only_ctrl_c_is_the_operators(monkeypatch):
    """A KeyboardInterrupt of another thread, or where no signal raises one, is a plugin's."""
    found = [is_operators(KeyboardInterrupt()), is_operators(SystemExit())]
    thread = threading.Thread(target=lambda: found.append(is_operators(KeyboardInterrupt())))
    thread.start()
    thread.join()
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_IGN)
    found.append(is_operators(KeyboardInterrupt()))
    assert found == [True, False, False, False]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_does_not_come_back():
    """It ends where the plugin's code ends, whatever that raises."""
    reading, writing = os.pipe()
    with ending_forks():
        pid = os.fork()
    os.write(writing, b"x")
    os.close(writing)
    assert os.waitpid(pid, 0)[1] == 0
    assert os.read(reading, 10) == b"x"
    os.close(reading)
