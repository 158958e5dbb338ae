"""Settings notice every way to write into them, and no way to read or to copy them."""

from __future__ import annotations

import copy

import pytest

from plugwright_conformance.subject.write_tracking import WriteTrackingSettings


def _delete(settings):
    del settings["a"]


WAYS = {
    "set": lambda s: s.__setitem__("a", "1"),
    "delete": _delete,
    "pop": lambda s: s.pop("a"),
    "pop-default": lambda s: s.pop("b", None),
    "popitem": lambda s: s.popitem(),
    "update": lambda s: s.update({"a": "1"}),
    "update-names": lambda s: s.update(a="2"),
    "merge": lambda s: s.__ior__({"a": "3"}),
    "default": lambda s: s.setdefault("b", "1"),
    "clear": lambda s: s.clear(),
}


@pytest.mark.parametrize("write", WAYS.values(), ids=WAYS)
def test_every_way_to_write_is_noticed(write):
    """The same value, too."""
    settings = WriteTrackingSettings({"a": "1"})

    write(settings)

    assert len(settings.written) == 1


@pytest.mark.parametrize(
    "made",
    [dict, copy.copy, copy.deepcopy, WriteTrackingSettings.copy],
    ids=["dict", "copy", "deepcopy", "method"],
)
def test_copies_are_anybodys_own(made):
    """And nothing was written into what they were made of."""
    settings = WriteTrackingSettings({"a": "1"})

    mine = made(settings)
    mine["a"] = "2"

    assert (type(mine), settings, settings.written) == (dict, {"a": "1"}, [])


def test_reading_is_not_writing():
    """Whatever is asked."""
    settings = WriteTrackingSettings({"a": "1"})

    assert (settings["a"], settings.get("b"), [*settings.items()]) == ("1", None, [("a", "1")])
    assert settings.setdefault("a", "2") == "1"
    assert settings | {"c": "3"} == {"a": "1", "c": "3"}
    assert settings.written == []
