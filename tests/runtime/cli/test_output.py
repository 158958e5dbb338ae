"""``--json``: one document on standard output whatever happens, with the same exit status."""

from __future__ import annotations

import argparse
import json
import signal
from pathlib import Path

import pytest

from plugwright.cli import Command, add_json, error_document, installed_commands, main
from plugwright.cli.parser import UsageError
from plugwright.errors import ConfigError, ConnectError

GOLDEN = Path(__file__).parents[2] / "golden" / "cli" / "error.json"
MISSING = ConfigError(
    "topic is empty",
    hint="name one",
    facts={
        "file": Path("w"),
        "problems": (("topic", "empty"),),
        "line": 3,
        "rate": 0.5,
        "on": True,
    },
)
SILENT = {"completion", "config", "connect-distributed", "connect-standalone"}
"""The commands whose output is no result: a script, ready files, and the logs of workers."""


@pytest.fixture
def do(monkeypatch, capsys):
    """Runs a command that raises; its exit status, standard output, standard error."""

    def do(error, *words):
        def run(_):
            raise error

        commands = {"do": Command("do", "do something", add_json, run)}
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        with pytest.raises(SystemExit) as caught:
            main(["do", *words], commands)
        return caught.value.code, *capsys.readouterr()

    return do


def test_an_explained_error_is_a_document_too(do):
    """For a person, it stands on standard error as ever."""
    assert do(MISSING, "--json") == (
        2,
        GOLDEN.read_text("utf-8"),
        "config.invalid: topic is empty\n  → name one\n",
    )


@pytest.mark.parametrize(
    ("error", "status", "code", "message"),
    [
        (ValueError("oops"), 3, "plugwright.bug", "ValueError: oops"),
        (UsageError("plugwright do", "no NAME"), 1, "command.usage", "no NAME"),
        (
            ModuleNotFoundError("No module", name="pyspark.sql"),
            2,
            "environment.package-missing",
            "the package pyspark is not installed",
        ),
    ],
    ids=["bug", "usage", "extra"],
)
def test_every_failure_has_a_code(do, error, status, code, message):
    """Programs need not read standard error."""
    found, out, _ = do(error, "--json")

    reported = json.loads(out)["error"]
    assert (found, reported["code"], reported["message"]) == (status, code, message)
    assert reported["hint"]


def test_wrong_usage_is_a_document_too(do):
    """Wherever the option stands."""
    code, out, err = do(None, "--jsno", "--json")

    message = "unrecognized arguments: --jsno; did you mean --json?"
    assert (code, json.loads(out)["error"]["message"]) == (1, message)
    assert err.endswith(f"plugwright do: {message}\n")


def test_without_the_option_standard_output_stays_empty(do):
    """No document was requested."""
    assert do(MISSING)[:2] == (2, "")


def test_facts_of_any_kind_have_a_form():
    """What JSON lacks becomes text."""
    facts = {"set": {"b", "a"}, "none": None, "map": {1: (ValueError("x"),)}}

    assert error_document(ConnectError("m", facts=facts))["error"]["facts"] == {
        "set": ["a", "b"],
        "none": None,
        "map": {"1": ["x"]},
    }


def _options(parser):
    """The options of a command, or of each of its words."""
    words = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    parsers = words[0].choices.values() if words else [parser]
    return [{*each._option_string_actions} for each in parsers]


@pytest.mark.parametrize("name", sorted(installed_commands().keys() - SILENT))
def test_every_command_that_prints_results_has_json(name):
    """Under the same name."""
    command = installed_commands()[name]
    command.configure(parser := argparse.ArgumentParser())

    assert all("--json" in options for options in _options(parser))


@pytest.mark.parametrize("command", installed_commands().values(), ids=lambda c: c.name)
def test_every_command_shows_examples(command):
    """Below its options, each a line that can be pasted."""
    lines = command.epilog.partition("example")[2].splitlines()[1:]

    assert any(line.startswith(("  plugwright ", "  connect-", "  echo ")) for line in lines)
