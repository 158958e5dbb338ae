"""Names of a package that are imported late."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from plugwright.late import late_names


@pytest.fixture
def package(monkeypatch):
    """A package with two names: one of a module of its own, one of somewhere else."""
    made, hidden = ModuleType("package"), ModuleType("package._table")
    made.__path__, hidden.table = [], "oak"
    monkeypatch.setitem(sys.modules, "package", made)
    monkeypatch.setitem(sys.modules, "package._table", hidden)
    made.__getattr__ = late_names("package", {"table": "._table", "digits": "string"})
    return made


def test_a_name_comes_from_its_home_and_stays(package):
    """The next time nothing is imported."""
    assert (package.table, package.digits) == ("oak", "0123456789")
    assert {"table", "digits"} < set(vars(package))


def test_another_name_is_none_of_the_package(package):
    """In Python's own words."""
    with pytest.raises(AttributeError, match=r"^module 'package' has no attribute 'chair'$"):
        _ = package.chair
