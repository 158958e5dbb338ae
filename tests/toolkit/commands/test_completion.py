"""``plugwright completion``: what shells make of the scripts, and what they are answered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plugwright.cli import PROGRAMS

ROOT = Path(__file__).parents[3]
BIN = Path(sys.executable).parent
LINES = {
    "plugwright expl": "explain ",
    "plugwright docs RegexR": "RegexRouter ",
    "plugwright docs --plugin-path plugin-path FileStreamSourceC": "FileStreamSourceConnector ",
    "plugwright certify . --check SNK-TYP-0": (
        "SNK-TYP-01 SNK-TYP-02 SNK-TYP-03 SNK-TYP-04 SNK-TYP-05 SNK-TYP-06 SNK-TYP-07 "
        "SNK-TYP-08 SNK-TYP-09"
    ),
    "plugwright new orders --kind tr": "transformation ",
    "plugwright completion z": "zsh ",
    "connect-plugin-path sy": "sync-manifests ",
    "connect-plugin-path list --require-mode s": "service_load ",
    "connect-standalone --log-level W": "WARNING ",
    "connect-distributed --log": "--log-level ",
}
BASH = """\
eval "$(plugwright completion bash)"
complete_line() {
  COMP_LINE="$1" COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9 COMPREPLY=()
  $(complete -p "${1%% *}" | sed 's/.*-F \\([^ ]*\\).*/\\1/') "${1%% *}"
  echo "${COMPREPLY[*]}"
}
"""
REGISTERED = {
    "bash": "  complete -o nospace -o default -o bashdefault -F _python_argcomplete {}\n",
    "zsh": "    compdef _python_argcomplete {}\n",
}


def _environment(**more):
    return {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", **more}


@pytest.mark.slow
def test_bash_completes_every_program():
    """Commands, options, choices, and names that only the program knows."""
    script = BASH + "".join(f"complete_line '{line}'\n" for line in LINES)
    command = ["bash", "--norc", "-c", script]  # the shell of whoever runs this
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT, env=_environment()
    )

    assert dict(zip(LINES, done.stdout.splitlines(), strict=True)) == LINES
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "separator"),
    [
        ({"_ARGCOMPLETE_SHELL": "fish", "_ARGCOMPLETE_DFS": "\t"}, "\t"),
        ({"_ARGCOMPLETE_SHELL": "zsh"}, ":"),
    ],
    ids=["fish", "zsh"],
)
def test_fish_and_zsh_receive_what_a_command_does(tmp_path, shell, separator):
    """As their scripts ask; these shells show it beside the word."""
    asked = _environment(
        _ARGCOMPLETE="1",
        _ARGCOMPLETE_IFS="\n",
        _ARGCOMPLETE_SUPPRESS_SPACE="1",
        _ARGCOMPLETE_STDOUT_FILENAME=str(tmp_path / "answer"),
        COMP_LINE="plugwright expl",
        COMP_POINT="15",
        **shell,
    )
    subprocess.run([BIN / "plugwright"], check=True, env=asked)

    reported = "explain why a plugin is not there, and what to do about it"
    assert (tmp_path / "answer").read_text() == f"explain{separator}{reported}"


@pytest.mark.parametrize("shell", REGISTERED)
def test_one_script_is_for_all_programs(plugwright, shell):
    """Bash and zsh share one that looks where it runs."""
    code, out, err = plugwright("completion", shell)

    assert (code, err) == (0, "")
    assert REGISTERED[shell].format(" ".join(PROGRAMS)) in out


@pytest.mark.parametrize("program", PROGRAMS)
def test_fish_has_a_function_for_each_program(plugwright, program):
    """It knows no completion of several."""
    _, out, _ = plugwright("completion", "fish")

    assert f"complete --command {program} -f -a '(__fish_{program}_complete)'\n" in out


def test_another_shell_is_wrong_usage(plugwright):
    """With those that there are."""
    code, _, err = plugwright("completion", "tcsh")

    assert code == 1
    assert err.endswith(": argument SHELL: invalid choice: 'tcsh' (choose from bash, fish, zsh)\n")
