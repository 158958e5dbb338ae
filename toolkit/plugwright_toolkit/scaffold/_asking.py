"""Asking for what was not given, each answer checked as it is typed."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from plugwright.errors import AlreadyExistsError, ConfigError
from plugwright_toolkit.scaffold._answers import ASKED, CHOICES, Answers, answer_problem
from plugwright_toolkit.scaffold._placing import refuse_existing, require_place
from plugwright_toolkit.scaffold._rendering import settled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_QUESTIONS = {
    "name": "Name of the project, such as orders-source",
    "kind": "What it holds",
    "description": "What it does, in one line",
    "author": "Who writes it",
    "license": "Under which licence",
}


def complete_answers(
    given: Mapping[str, str],
    output_dir: Path,
    ask: Callable[[str], str] | None,
    complain: Callable[[str], object],
) -> Answers:
    """The given answers with the missing ones.

    Args:
        given: checked answers.
        output_dir: where the project will stand.
        ask: shows a prompt and returns a line; ``None`` takes the defaults.
        complain: told what is wrong with an answer, which is then asked for again.

    Raises:
        ConfigError: if answers end before the questions do, or there is no name.
        AlreadyExistsError: if there is something in the place of the given name.
        ConnectError: if nothing can be made there, before anything is asked.
    """
    require_place(given.get("name", ""), output_dir)
    found = dict(given)
    for key in ASKED:
        if key not in found:
            default = _default(key, found)
            found[key] = default if ask is None else _asked(key, default, output_dir, ask, complain)
    return Answers(**found)


def _default(key: str, found: Mapping[str, str]) -> str:
    """The template's own default; the author is whom git knows."""
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
                f"there is no answer to the question for the {key}",
                code="new.no-answer",
                hint="give it as an option or in a file of answers; --no-input takes the defaults",
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
    """The name that git would commit under, or an empty string."""
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
