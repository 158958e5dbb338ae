"""Asks the user for missing answers, and validates each one."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from plugwright.errors import AlreadyExistsError, ConfigError
from plugwright_toolkit.scaffold._answers import ASKED, CHOICES, Answers, answer_problem
from plugwright_toolkit.scaffold.placing import refuse_existing, require_writable
from plugwright_toolkit.scaffold.rendering import settled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_QUESTIONS = {
    "name": "Name of the project, such as orders-source",
    "kind": "Kind of plugin",
    "description": "What it does, in one line",
    "author": "Author",
    "license": "Licence",
}


def complete_answers(
    given: Mapping[str, str],
    output_dir: Path,
    ask: Callable[[str], str] | None,
    complain: Callable[[str], object],
) -> Answers:
    """Complete the given answers by asking the user, or with defaults.

    Args:
        given: checked answers.
        output_dir: the directory for the project.
        ask: shows a prompt and returns a line; ``None`` takes the defaults.
        complain: receives the problem of an invalid answer, before the question is repeated.

    Raises:
        ConfigError: if the input ends early, or there is no name.
        AlreadyExistsError: if the project's directory exists.
        ConnectError: if it cannot be created there; raised before the first question.
    """
    require_writable(given.get("name", ""), output_dir)
    found = dict(given)
    for key in ASKED:
        if key not in found:
            default = _default(key, found)
            found[key] = default if ask is None else _asked(key, default, output_dir, ask, complain)
    return Answers(**found)


def _default(key: str, found: Mapping[str, str]) -> str:
    """The default of the template; for the author the name that git is configured with."""
    if key == "name":
        return ""
    if key == "author" and (known := _git_user()) and not answer_problem("author", known):
        return known
    return str(settled(found)[key])


def _asked(
    key: str,
    default: str,
    output_dir: Path,
    ask: Callable[[str], str],
    complain: Callable[[str], object],
) -> str:
    choices = f" ({', '.join(CHOICES[key])})" if key in CHOICES else ""
    shown = f" [{default}]" if default else ""
    while True:
        try:
            answer = ask(f"{_QUESTIONS[key]}{choices}{shown}: ").strip() or default
        except EOFError as error:
            raise ConfigError(
                f"the input ended before the question for the {key} was answered",
                code="new.no-answer",
                hint="give it as an option or in a file, or use the defaults with --no-input",
                facts={"key": key},
            ) from error
        problem = answer_problem(key, answer)
        if key == "name" and not problem:
            problem = _target_problem(answer, output_dir)
        if not problem:
            return answer
        complain(problem)


def _target_problem(name: str, output_dir: Path) -> str:
    try:
        refuse_existing(name, output_dir)
    except AlreadyExistsError as error:
        return str(error)
    return ""


def _git_user() -> str:
    """The ``user.name`` of git, or an empty string."""
    try:
        done = subprocess.run(
            ["git", "config", "--get", "user.name"],  # noqa: S607  # the user's own git
            capture_output=True,
            text=True,
            check=False,
            timeout=5,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
