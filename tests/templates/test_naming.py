"""What a project may be called, and the messages for what it may not."""

from __future__ import annotations

import sys

import pytest

from plugwright_templates import distribution_of, name_problem, package_of, text_problem

SPELLING = (
    "{!r} is not a valid Python package name: expected letters and digits of ASCII, the first one "
    "a letter, with single dashes between words, such as orders-source"
)
BAD = {
    "": "a name is needed, such as orders-source",
    "2fa": SPELLING.format("2fa"),
    "-orders": SPELLING.format("-orders"),
    "orders-": SPELLING.format("orders-"),
    "orders--sink": SPELLING.format("orders--sink"),
    "my orders": SPELLING.format("my orders"),
    "örders": SPELLING.format("örders"),
    "../orders": SPELLING.format("../orders"),
    "orders\n": SPELLING.format("orders\n"),
    "{{orders}}": SPELLING.format("{{orders}}"),
    "class": "'class' would be imported as class, which is a keyword of Python",
    "Match": "'Match' would be imported as match, which is a keyword of Python",
    "json": "'json' would be imported as json, which Python's own library has",
    "pyspark-orders": (
        "'pyspark-orders' would be imported as pyspark_orders: Spark imports all that begin with "
        "pyspark"
    ),
    "a" * 33: f"'{'a' * 33}' has 33 characters, 32 are the most",
}


@pytest.mark.parametrize(("name", "problem"), BAD.items(), ids=[repr(name) for name in BAD])
def test_the_problem_of_a_name_is_reported(name, problem):
    """In words that show what is expected and what was found."""
    assert name_problem(name) == problem


@pytest.mark.parametrize("name", ["orders-source", "S3", "a" * 32, "Big.Data_sink"])
def test_a_good_name_has_no_problem(name):
    """Whatever the spelling of its separators."""
    assert name_problem(name) == ""


def test_a_name_that_is_taken_says_by_whom(tmp_path, monkeypatch):
    """A second package of that name could not be imported."""
    (tmp_path / "orders_sink.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    taken = f"which is taken: {tmp_path / 'orders_sink.py'}"
    assert name_problem("Orders.sink") == f"'Orders.sink' would be imported as orders_sink, {taken}"


def test_asking_whether_a_name_is_taken_imports_nothing(tmp_path, monkeypatch):
    """Code of others does not run because somebody types."""
    (tmp_path / "orders_sink.py").write_text("raise SystemExit('imported')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    assert "is taken" in name_problem("orders-sink")


@pytest.mark.parametrize("name", ["Orders.Sink", "orders_sink", "ORDERS-SINK"])
def test_names_are_normalized_as_packaging_does(name):
    """Dashes in the distribution, underscores in the package."""
    assert (distribution_of(name), package_of(name)) == ("orders-sink", "orders_sink")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (" ", "author is empty"),
        ('Ada "the" Countess', "author may not contain '\"'"),
        ("{{ada}}\n", "author may not contain '\\n' '{' '}'"),
        ("a" * 101, "author has 101 characters, 100 are the most"),
        ("Ada O'Lovelace & Söhne", ""),
    ],
)
def test_the_problem_of_a_text_is_reported(text, problem):
    """It stands in TOML, Markdown and docstrings."""
    assert text_problem("author", text) == problem
