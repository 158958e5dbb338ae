"""What is said of words and options that are nearly right."""

from __future__ import annotations

import argparse

import pytest

from plugwright.cli import Command
from plugwright.cli.parser import UsageError, parser_of, program_parser


def _configure(parser):
    parser.add_argument("--plugin-path", help="where")
    parser.add_argument("--form", choices=("markdown", "html", "rst"))
    parser.add_argument("--count", type=int, choices=(1, 2))


COMMANDS = {
    name: Command(name, f"{name} it", _configure, lambda _: 0, f"example:\n  plugwright {name}\n")
    for name in ("explain", "list", "sync-manifests")
}

_CHOICE = "argument COMMAND: invalid choice: {}"


@pytest.mark.parametrize(
    ("line", "program", "message"),
    [
        (
            "expain",
            "plugwright",
            _CHOICE.format("'expain'; did you mean explain?; plugwright --help lists them"),
        ),
        (
            "shout",
            "plugwright",
            "argument COMMAND: invalid choice: 'shout' (choose from explain, list, sync-manifests)",
        ),
        (
            "list --plugins-path a",
            "plugwright list",
            "unrecognized arguments: --plugins-path a; did you mean --plugin-path?",
        ),
        (
            "list --plugin_path=/srv/some/long/way",
            "plugwright list",
            "unrecognized arguments: --plugin_path=/srv/some/long/way; did you mean --plugin-path?",
        ),
        ("list --nonsense", "plugwright list", "unrecognized arguments: --nonsense"),
        (
            "list --form htm",
            "plugwright list",
            "argument --form: invalid choice: 'htm'; did you mean html?",
        ),
        (
            "list --count 3",
            "plugwright list",
            "argument --count: invalid choice: 3 (choose from 1, 2)",
        ),
    ],
    ids=["command", "no-command", "option", "option=value", "no-option", "choice", "number"],
)
def test_what_is_nearly_right_is_asked_about(capsys, line, program, message):
    """After the usage of the command that was meant, with status 1."""
    with pytest.raises(UsageError) as caught:
        parser_of(COMMANDS).parse_args(line.split())

    assert (caught.value.code, caught.value.message) == (1, message)
    usage, _, reported = capsys.readouterr().err.rpartition("\n" + program + ": ")
    assert usage.startswith(f"usage: {program} ")
    assert reported == message + "\n"


def test_a_program_of_its_own_has_its_name_everywhere(capsys):
    """And no word before its options."""
    parser = program_parser("connect-list", COMMANDS["list"])

    assert parser.parse_args(["--form", "rst"]) == argparse.Namespace(
        command="list", count=None, debug=False, form="rst", plugin_path=None
    )
    with pytest.raises(UsageError) as caught:
        parser.parse_args(["--frm", "rst"])
    assert caught.value.program == "connect-list"
    assert "did you mean --form?" in capsys.readouterr().err
