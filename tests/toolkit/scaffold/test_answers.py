"""Answers from files and options, and what is said of wrong ones."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError
from plugwright_toolkit.scaffold import checked_answers, read_answers

BAD_FILES = {
    'nmae = "a"\nlisence = "MIT"\ncolour = "red"': (
        "has unknown keys: nmae (did you mean name?), lisence (did you mean license?), colour"
    ),
    'name = 1\nkind = ["source"]': "has answers that are not text: name, kind",
    "name = ": "is not valid TOML: Invalid value (at end of document)",
}


@pytest.mark.parametrize(("text", "problem"), BAD_FILES.items(), ids=["unknown", "no-text", "toml"])
def test_everything_wrong_with_a_file_is_named_at_once(tmp_path, text, problem):
    """With near matches, and the keys that there are."""
    file = tmp_path / "answers.toml"
    file.write_text(text)

    with pytest.raises(ConfigError) as caught:
        read_answers(file)

    assert str(caught.value) == f"{file} {problem}"
    assert caught.value.code == "new.bad-answers"
    assert (
        caught.value.hint
        == "the keys are name, kind, description, author, license, delivery, batches"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", 'name = "orders"\nkind = "sink"'),
        ("a.json", '{"name": "orders", "kind": "sink"}'),
    ],
)
def test_answers_are_toml_or_json(tmp_path, name, text):
    """By the file's name."""
    (tmp_path / name).write_text(text)

    assert read_answers(tmp_path / name) == {"name": "orders", "kind": "sink"}


def test_a_missing_file_is_reported(tmp_path):
    """With the reason of the operating system."""
    with pytest.raises(ConfigError, match=r"none\.toml cannot be read: No such file or directory"):
        read_answers(tmp_path / "none.toml")


def test_a_file_of_something_else_is_reported(tmp_path):
    """JSON may be anything."""
    (tmp_path / "a.json").write_text("[]")

    with pytest.raises(ConfigError, match=r"a\.json does not contain a table of answers"):
        read_answers(tmp_path / "a.json")


def test_all_wrong_answers_are_named_at_once():
    """In the order of the questions."""
    given = {"license": "mit", "author": "", "kind": "sorce", "name": "json"}

    with pytest.raises(ConfigError) as caught:
        checked_answers(given)

    assert str(caught.value) == (
        "'json' would be imported as json, which Python's own library has; "
        "kind 'sorce' is not one of source, sink, both, converter, transformation; "
        "did you mean source?; "
        "author is empty; "
        "license 'mit' is not one of Apache-2.0, MIT, BSD-3-Clause, Proprietary; did you mean MIT?"
    )
    assert caught.value.code == "new.invalid-answer"
    assert [key for key, _ in caught.value.facts["problems"]] == [
        "name",
        "kind",
        "author",
        "license",
    ]
