"""The answers that describe a new project, and their validation."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING

from plugwright.errors import ConfigError
from plugwright_templates import BATCHES, DELIVERIES, KINDS, LICENSES, name_problem, text_problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Answers:
    """The properties of a new project.

    Attributes:
        name: the name of the distribution; those of package, classes and directory derive from it.
        kind: one of `plugwright_templates.KINDS`.
        description: the summary, in one line.
        author: the author, in one line.
        license: one of `plugwright_templates.LICENSES`.
        delivery: one of `plugwright_templates.DELIVERIES`; only connectors deliver.
        batches: one of `plugwright_templates.BATCHES`; only connectors have them.
    """

    name: str
    kind: str
    description: str
    author: str
    license: str
    delivery: str = "at-least-once"
    batches: str = "records"


KEYS = tuple(field.name for field in fields(Answers))
"""The keys of all answers, in the order of the questions."""

ASKED = tuple(key for key in KEYS if key not in {"delivery", "batches"})
"""The keys that the user is asked for; the others have a default."""

CHOICES = {"kind": KINDS, "license": LICENSES, "delivery": DELIVERIES, "batches": BATCHES}
"""The valid answers of questions with a choice."""

_LIKENESS = 0.5  # of "lisence" and "license" it is 0.57


def answer_problem(key: str, text: str) -> str:
    """The problem of an answer, or an empty string."""
    if key == "name":
        return name_problem(text)
    if key not in CHOICES:
        return text_problem(key, text)
    if text in CHOICES[key]:
        return ""
    near = get_close_matches(
        text.lower(), {choice.lower(): choice for choice in CHOICES[key]}, 1, _LIKENESS
    )
    more = "".join(f"; did you mean {c}?" for c in CHOICES[key] if c.lower() in near)
    return f"{key} {text!r} is not one of {', '.join(CHOICES[key])}{more}"


def checked_answers(given: Mapping[str, str]) -> Mapping[str, str]:
    """The answers, if all of them are valid.

    Raises:
        ConfigError: naming all invalid answers.
    """
    problems = [(key, text) for key in KEYS if key in given and (text := _problem(given, key))]
    if problems:
        raise ConfigError(
            "; ".join(text for _, text in problems),
            code="new.invalid-answer",
            hint="correct it, or omit it to be asked for it or to use the default",
            facts={"problems": tuple(problems)},
        )
    return given


def _problem(given: Mapping[str, str], key: str) -> str:
    return answer_problem(key, given[key])


def read_answers(file: Path) -> Mapping[str, str]:
    """The answers in a TOML file, or in a JSON file whose name ends in ``.json``.

    Raises:
        ConfigError: if the file cannot be read, or has invalid keys or values; names all of them.
    """
    try:
        text = file.read_text("utf-8")
        found = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise _failure(file, f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        form = "JSON" if file.suffix == ".json" else "TOML"
        raise _failure(file, f"is not valid {form}: {error}") from error
    if not isinstance(found, dict):
        raise _failure(file, "does not contain a table of answers")
    if unknown := [key for key in found if key not in KEYS]:
        raise _failure(file, f"has unknown keys: {', '.join(map(_with_near_match, unknown))}")
    if wrong := [key for key, value in found.items() if not isinstance(value, str)]:
        raise _failure(file, f"has answers that are not text: {', '.join(wrong)}")
    return found


def _with_near_match(key: str) -> str:
    near = get_close_matches(key.lower(), KEYS, 1, _LIKENESS)
    return f"{key} (did you mean {near[0]}?)" if near else key


def _failure(file: Path, what: str) -> ConfigError:
    return ConfigError(
        f"{file} {what}",
        code="new.bad-answers",
        hint=f"the keys are {', '.join(KEYS)}",
        facts={"file": str(file)},
    )
