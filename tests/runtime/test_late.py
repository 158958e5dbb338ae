"""Names of a package that are imported late."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from plugwright.late import late_names


@pytest.fixture
def room(monkeypatch):
    """A package with two names: one of a module of its own, one of somewhere else."""
    made, hidden = ModuleType("room"), ModuleType("room._table")
    made.__path__, hidden.table = [], "oak"
    monkeypatch.setitem(sys.modules, "room", made)
    monkeypatch.setitem(sys.modules, "room._table", hidden)
    made.__getattr__ = late_names("room", {"table": "._table", "digits": "string"})
    return made


def test_a_name_comes_from_its_home_and_stays(room):
    """The next time nobody is asked."""
    assert (room.table, room.digits) == ("oak", "0123456789")
    assert {"table", "digits"} < set(vars(room))


def test_another_name_is_none_of_the_package(room):
    """In Python's own words."""
    with pytest.raises(AttributeError, match=r"^module 'room' has no attribute 'chair'$"):
        _ = room.chair
