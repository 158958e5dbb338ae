"""What is decorated is in the catalogue, once, and in its place."""

from __future__ import annotations

import itertools
import sys

import pytest

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import collect, in_order, registered

NUMBERS = itertools.count()
CLASS = """
{decorator}
class {name}(Check):
    id = "{id}"
    level = Level.C1

    def run(self, bench):
        raise NotImplementedError
"""
HEAD = """
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import Level
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Makes a package of modules with checks, given as pairs of id and decorator, and collects."""

    def collected(*modules):
        name = f"added_checks_{next(NUMBERS)}"
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        for number, checks in enumerate(modules):
            classes = [
                CLASS.format(id=id_, decorator=decorator, name=f"Claim{place}")
                for place, (id_, decorator) in enumerate(checks)
            ]
            (tmp_path / name / f"_m{number}.py").write_text(HEAD + "".join(classes))
        monkeypatch.syspath_prepend(tmp_path)
        try:
            return [check.id for check in collect(name, [str(tmp_path / name)])]
        finally:
            for loaded in [each for each in sys.modules if each.startswith(name)]:
                monkeypatch.delitem(sys.modules, loaded)

    return collected


def made(name, after=""):
    """A check that is entered in the catalogue."""
    return registered(type("Made", (Check,), {"id": name, "after": after}))


def test_decorated_checks_of_all_modules_are_found(package):
    """One that is not decorated is a base, or not finished."""
    first = [("CON-CFG-02", "@registered"), ("CON-CFG-09", "")]

    assert package(first, [("CON-CFG-01", "@registered")]) == ["CON-CFG-01", "CON-CFG-02"]


def test_id_that_is_used_twice_is_refused(package):
    """An id means one check for ever."""
    with pytest.raises(ValueError, match="several checks have one id: CON-CFG-01"):
        package([("CON-CFG-01", "@registered")], [("CON-CFG-01", "@registered")])


def test_id_tells_group_and_kinds():
    """Neither is said twice."""
    source, both = made("SRC-OFF-90"), made("CON-LIF-90")

    assert (source.group, source.kinds) == ("Offsets", {"source"})
    assert (both.group, both.kinds) == ("Lifecycle", {"source", "sink"})


def test_unknown_group_is_refused():
    """A misspelt id is not filed under nothing."""
    with pytest.raises(KeyError):
        made("CON-CGF-01")


def test_check_follows_the_one_that_it_names():
    """With what follows itself; if that one is missing, it stands by its number."""
    late, later, first = (
        made("CON-CFG-01", after="CON-CAP-01"),
        made("CON-CFG-02"),
        made("PLG-PKG-01"),
    )
    last = made("CON-CAP-01")
    own = made("CON-DOC-01", after="CON-CFG-01")

    def order(*checks):
        return [check.id for check in in_order(checks)]

    assert order(late, own, later, last, first) == [
        "PLG-PKG-01",
        "CON-CFG-02",
        "CON-CAP-01",
        "CON-CFG-01",
        "CON-DOC-01",
    ]
    assert order(late, later, first) == ["PLG-PKG-01", "CON-CFG-01", "CON-CFG-02"]
