"""Renders templates with cookiecutter's engine, without its prompts and hooks."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from plugwright_templates import finish, template
from plugwright_toolkit.scaffold.placing import new_project

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from plugwright_toolkit.scaffold._answers import Answers


def generate(answers: Answers, output_dir: Path) -> Path:
    """Create a project from the template; returns its directory.

    Raises:
        AlreadyExistsError: if the project's directory exists.
        ConnectError: if it cannot be written.
    """
    with new_project(answers.name, output_dir) as (temporary, target):
        fill_in(template(), settled(asdict(answers)), temporary)
        finish(temporary / target.name, answers.kind, answers.delivery)
    return target


def settled(answers: Mapping[str, str]) -> Mapping[str, Any]:
    """The template's variables: the answers, defaults, and derived values."""
    from cookiecutter import generate as rendering  # type: ignore[import-untyped]  # noqa: PLC0415  # an extra, untyped
    from cookiecutter import prompt  # noqa: PLC0415  # an extra

    file = str(template() / "cookiecutter.json")
    context = rendering.generate_context(file, extra_context=dict(answers))
    variables: Mapping[str, Any] = prompt.prompt_for_config(context, no_input=True)
    return variables


def fill_in(source: Path, variables: Mapping[str, Any], directory: Path) -> None:
    """Render a template into an existing directory.

    Args:
        source: the template.
        variables: the template's ``cookiecutter`` variables.
        directory: the absolute path of the parent directory.
    """
    from cookiecutter import generate as rendering  # noqa: PLC0415  # an extra

    context = {"cookiecutter": dict(variables)}
    rendering.generate_files(source, context, str(directory), accept_hooks=False)
