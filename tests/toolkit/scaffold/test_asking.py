"""A conversation: questions, defaults, and answers that are checked as they are typed."""

from __future__ import annotations

import os

import pytest

from plugwright.errors import ConfigError, ConnectError
from plugwright_toolkit.scaffold import Answers, complete_answers
from plugwright_toolkit.scaffold import asking as implementation

GIVEN = {"name": "orders", "kind": "sink", "description": "Orders", "author": "Ada"}


@pytest.fixture
def git(monkeypatch):
    """Sets the name that git knows."""

    def git(name):
        monkeypatch.setattr(implementation, "_git_user", lambda: name)

    git("")
    return git


@pytest.fixture
def talk(tmp_path, git):
    """Answers questions in turn; what was made of it, the questions and the complaints."""

    def talk(given, *answers):
        lines, asked, complaints = iter(answers), [], []

        def ask(prompt):
            asked.append(prompt)
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        return complete_answers(given, tmp_path, ask, complaints.append), asked, complaints

    return talk


def test_only_what_was_not_given_is_asked(talk):
    """With the choices and the default."""
    answers, asked, complaints = talk(GIVEN, "")

    assert answers == Answers("orders", "sink", "Orders", "Ada", "Apache-2.0")
    assert asked == ["Licence (Apache-2.0, MIT, BSD-3-Clause, Proprietary) [Apache-2.0]: "]
    assert complaints == []


def test_defaults_follow_from_the_answers_before_them(talk):
    """The description from the kind, the author from the name."""
    answers, asked, _ = talk({}, "S3.Tables", "sink", "", " Ada ", "MIT")

    assert answers == Answers(
        "S3.Tables", "sink", "Appends the values of Kafka topics to a journal", "Ada", "MIT"
    )
    assert asked[3] == "Author [The S3.Tables authors]: "


def test_a_wrong_answer_is_asked_for_again(talk, tmp_path):
    """With what is wrong with it, right away."""
    (tmp_path / "taken-dir").mkdir()

    given = {"kind": "sink", "description": "Orders", "author": "Ada", "license": "MIT"}

    answers, asked, complaints = talk(given, "class", "Taken.Dir", "orders")

    assert answers.name == "orders"
    assert asked == ["Name of the project, such as orders-source: "] * 3
    assert complaints == [
        "'class' would be imported as class, which is a keyword of Python",
        f"{tmp_path / 'taken-dir'} exists already and was not changed",
    ]


def test_answers_that_end_early_are_explained(talk):
    """A script that pipes too few of them learns of the options."""
    with pytest.raises(
        ConfigError, match="the input ended before the question for the license was answered"
    ) as e:
        talk(GIVEN)
    assert e.value.code == "new.no-answer"


@pytest.mark.slow
def test_without_questions_the_defaults_count(tmp_path, git):
    """The author is whom git knows, if that will do in a file of TOML."""
    git("Ada Lovelace")
    answers = complete_answers({"name": "orders"}, tmp_path, None, print)
    assert (answers.kind, answers.author, answers.license) == (
        "source",
        "Ada Lovelace",
        "Apache-2.0",
    )

    git('Ada "the Countess"')
    assert complete_answers({"name": "orders"}, tmp_path, None, print).author == (
        "The orders authors"
    )


@pytest.mark.parametrize(
    ("given", "place", "reported"),
    [
        ({}, "none", "none cannot be created: No such file or directory"),
        ({"name": "orders"}, "file", "file/orders cannot be created: Not a directory"),
        ({"name": "orders"}, "", "orders exists already and was not changed"),
    ],
    ids=["no directory", "a file", "taken"],
)
def test_nothing_is_asked_for_a_place_that_will_not_do(tmp_path, given, place, reported):
    """Five answers for nothing would be a pity."""
    (tmp_path / "file").touch()
    (tmp_path / "orders").mkdir()

    with pytest.raises(ConnectError) as caught:
        complete_answers(given, tmp_path / place, pytest.fail, pytest.fail)

    assert str(caught.value).endswith(reported)


def test_a_place_that_may_not_be_written_is_reported_before_anything_is_asked(
    tmp_path, monkeypatch
):
    """Whoever runs this may be allowed everything."""
    monkeypatch.setattr(os, "access", lambda *_: False)

    with pytest.raises(ConnectError, match="orders cannot be created: Permission denied") as caught:
        complete_answers({"name": "orders"}, tmp_path, pytest.fail, pytest.fail)
    assert caught.value.code == "new.target-unwritable"
