"""One definition writes a layout and reads it, strictly."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  # resolved at run time by the reader
from dataclasses import dataclass, field

import pytest

from plugwright_conformance.certificate.typed import LayoutError, as_plain, from_plain


@dataclass(frozen=True)
class Inner:
    """A nested value."""

    flag: bool


@dataclass(frozen=True)
class Outer:
    """One field of every kind."""

    text: str
    count: int
    inner: Inner | None
    many: tuple[Inner, ...]
    named: Mapping[str, int]
    anything: object = field(metadata={"name": "any-thing"})


DOCUMENT = {
    "text": "t",
    "count": 3,
    "inner": {"flag": True},
    "many": [{"flag": False}],
    "named": {"a": 1},
    "any-thing": [None],
}
VALUE = Outer("t", 3, Inner(flag=True), (Inner(flag=False),), {"a": 1}, [None])


def test_value_is_written_field_by_field():
    """Under the name that its definition gives it."""
    assert as_plain(VALUE) == DOCUMENT


def test_document_is_read():
    """Into the same value; null stands for nothing."""
    assert from_plain(Outer, DOCUMENT) == VALUE
    assert from_plain(Outer, DOCUMENT | {"inner": None}).inner is None


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        ({"text": 1}, "text: expected text, found int"),
        ({"count": True}, "count: expected an integer, found bool"),
        ({"inner": {"flag": 1}}, "inner.flag: expected true or false, found int"),
        ({"inner": {}}, "inner: flag is missing"),
        ({"many": {}}, "many: expected an array, found dict"),
        ({"many": [{"flag": True}, None]}, "many[1]: expected an object, found null"),
        ({"named": {"a": "1"}}, "named.a: expected an integer, found str"),
        ({"named": []}, "named: expected an object, found list"),
        ({"more": 1}, "the document: more is unknown"),
    ],
)
def test_what_does_not_fit_is_named_by_its_path(change, reported):
    """The first such field is reported."""
    with pytest.raises(LayoutError) as caught:
        from_plain(Outer, DOCUMENT | change)

    assert str(caught.value) == reported


def test_document_that_is_no_object_is_refused():
    """Whatever else it is."""
    with pytest.raises(LayoutError, match="the document: expected an object, found list"):
        from_plain(Outer, [])
