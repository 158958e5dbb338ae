"""The converter: bytes as others write them, and what does not fit."""

from __future__ import annotations

import pytest
from plugwright import ConfigError, DataError

from {{ cookiecutter.__package }}.converter import (
    {{ cookiecutter.__prefix }}Converter,
)


def configured(**settings: str) -> {{ cookiecutter.__prefix }}Converter:
    """A converter of values."""
    converter = {{ cookiecutter.__prefix }}Converter()
    converter.configure(settings, is_key=False)
    return converter


@pytest.mark.parametrize(
    ("encoding", "text", "data"),
    [("utf-8", "é", b"\xc3\xa9"), ("latin-1", "é", b"\xe9"), ("utf-8", None, None)],
    ids=["utf-8", "latin-1", "tombstone"],
)
def test_text_is_converted_both_ways(encoding: str, text: str | None, data: bytes | None) -> None:
    """The bytes are written out here: a round trip alone would not notice wrong ones."""
    converter = configured(encoding=encoding)

    assert converter.from_connect_data("topic", None, text) == data
    assert converter.to_connect_data("topic", data).value == text


def test_value_that_is_no_text_is_refused() -> None:
    """With its type and topic."""
    with pytest.raises(DataError, match="takes text, found int for topic orders"):
        configured().from_connect_data("orders", None, 1)


def test_character_that_the_encoding_lacks_is_refused() -> None:
    """Never replaced."""
    with pytest.raises(DataError, match="a value for topic orders cannot be written as ascii"):
        configured(encoding="ascii").from_connect_data("orders", None, "é")


def test_bytes_that_are_no_text_are_refused() -> None:
    """Never replaced."""
    with pytest.raises(DataError, match="a value of topic orders is not utf-8"):
        configured().to_connect_data("orders", b"\xff")


@pytest.mark.parametrize("encoding", ["klingon", "hex"], ids=["unknown", "no-text"])
def test_unknown_encoding_is_refused(encoding: str) -> None:
    """Before any record."""
    with pytest.raises(ConfigError, match=f"encoding: no text encoding is called '{encoding}'"):
        configured(encoding=encoding)


def test_definition_is_there_before_any_setting() -> None:
    """Tools ask an instance that was never configured."""
    assert list({{ cookiecutter.__prefix }}Converter().config().keys) == ["encoding"]
