"""The transformation: what comes out, and that what went in stays."""

from __future__ import annotations

from typing import Any

import pytest
from plugwright import ConfigError, SinkRecord, SourceRecord

from {{ cookiecutter.__package }}.transformation import (
    {{ cookiecutter.__prefix }}Transformation,
)


def configured(**settings: str) -> {{ cookiecutter.__prefix }}Transformation:
    """A transformation as a chain makes it."""
    transformation = {{ cookiecutter.__prefix }}Transformation()
    transformation.configure(settings)
    return transformation


@pytest.mark.parametrize(
    ("side", "value"),
    [("both", "text"), ("start", "text "), ("end", " text")],
    ids=["both", "start", "end"],
)
def test_white_space_is_removed(side: str, value: str) -> None:
    """From a copy: the record may be wanted again as it was."""
    record = SinkRecord("topic", 0, None, None, None, " text ", 0)

    changed = configured(side=side).apply(record)

    assert changed is not None
    assert changed.value == value
    assert record.value == " text "


@pytest.mark.parametrize("value", [None, 1, b" bytes "], ids=["tombstone", "number", "bytes"])
def test_other_values_pass_unchanged(value: Any) -> None:
    """Records of sources and of sinks alike."""
    record = SourceRecord({}, {}, "topic", value)

    assert configured().apply(record) is record


def test_unknown_side_is_refused() -> None:
    """Before any record."""
    with pytest.raises(ConfigError, match="String must be one of: both, start, end"):
        configured(side="left")


def test_definition_is_there_before_any_setting() -> None:
    """Tools ask an instance that was never configured."""
    assert list({{ cookiecutter.__prefix }}Transformation().config().keys) == ["side"]
