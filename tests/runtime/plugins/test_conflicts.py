"""Which locations may share a process is read from their files."""

from __future__ import annotations

import pytest

from plugwright.plugins import compose, conflicts, partition


def found(one, other):
    """The conflicts of two locations, by kind and name."""
    return [(each.kind, each.name) for each in conflicts(one.location, other.location)]


def test_different_versions_of_one_distribution_conflict(place):
    """Names are compared as installers do (PEP 503); the versions are reported."""
    one, other = place("one"), place("other")
    one.distribution("Shared.Dep", "1.0")
    other.distribution("shared_dep", "2.0")

    (conflict,) = conflicts(one.location, other.location)

    assert str(conflict) == "distribution shared-dep: 1.0 and 2.0"


def test_equal_versions_and_equal_files_do_not_conflict(place):
    """Two copies of the same thing are one thing."""
    one, other = place("one"), place("other")
    for each in (one, other):
        each.distribution("shared", "1.0")
        each.module("shared", "x = 1")

    assert found(one, other) == []


def test_different_files_under_one_name_conflict_whatever_their_versions_say(place):
    """A patched copy keeps its version."""
    one, other = place("one"), place("other")
    for number, each in enumerate((one, other)):
        each.distribution("shared", "1.0")
        each.module("shared", f"x = {number}")

    assert found(one, other) == [("module", "shared")]


def test_packages_are_compared_with_everything_in_them_but_compiled_files(place):
    """Data files count, too."""
    one, other, third = place("one"), place("other"), place("third")
    for each in (one, other, third):
        (each.path / "shop/data").mkdir(parents=True)
        (each.path / "shop/__init__.py").write_text("")
        (each.path / "shop/data/words").write_text("same" if each is not third else "else")
    (one.path / "shop/__pycache__").mkdir()
    (one.path / "shop/__pycache__/x.pyc").write_text("compiled")

    assert found(one, other) == []
    assert found(one, third) == [("module", "shop")]


def test_namespace_packages_add_up(place):
    """PEP 420: only what both have below the namespace counts."""
    one, other = place("one"), place("other")
    for each, name in ((one, "a"), (other, "b")):
        (each.path / "cloud").mkdir()
        (each.path / f"cloud/{name}.py").write_text("x = 1")
    assert found(one, other) == []

    (other.path / "cloud/a.py").write_text("x = 2")

    assert found(one, other) == [("module", "cloud.a")]


@pytest.mark.parametrize("name", ["typing", "plugwright"])
def test_what_the_host_provides_never_conflicts(place, name):
    """The standard library and the runtime are taken from the host, whatever a location holds."""
    one, other = place("one"), place("other")
    for version, each in enumerate((one, other)):
        each.module(name, f"x = {version}")
        each.distribution("plugwright", f"{version}.0")

    assert found(one, other) == []


def test_a_module_and_a_package_of_one_name_conflict(place):
    """Also an extension module and a plain one."""
    one, other = place("one"), place("other")
    one.module("shop", "")
    (other.path / "shop").mkdir()
    (other.path / "shop/__init__.py").write_text("")
    one.path.joinpath("fast.abi3.so").write_bytes(b"binary")
    other.module("fast", "")

    assert found(one, other) == [("module", "fast"), ("module", "shop")]


def test_a_location_that_cannot_be_read_conflicts_with_nothing(place):
    """What is not there cannot differ."""
    one, other = place("one"), place("other")
    one.module("shop", "")
    other.path.rmdir()

    assert found(one, other) == []


def test_a_location_joins_if_it_conflicts_with_none_that_is_in(place):
    """Greedy, in the given order, the connector's first."""
    a, b, c, d = (place(name) for name in "abcd")
    a.distribution("x", "1")
    b.distribution("x", "2")
    c.distribution("y", "1")
    d.distribution("y", "2")

    composition = compose(a.location, [b.location, c.location, d.location, c.location])

    assert [location.name for location in composition.path] == ["a", "c"]
    assert [location.name for location in composition.apart] == ["b", "d"]
    assert str(composition) == (
        "one process: a + c; apart: b, which conflicts with a (distribution x: 1 and 2); "
        "apart: d, which conflicts with c (distribution y: 1 and 2)"
    )


def test_those_apart_share_a_process_where_they_can(place):
    """The same rule again for what is left."""
    a, b, c, d = (place(name) for name in "abcd")
    for each, version in ((a, "1"), (b, "2"), (c, "2"), (d, "3")):
        each.distribution("x", version)

    compositions = partition(a.location, [b.location, c.location, d.location])

    names = [[location.name for location in each.path] for each in compositions]
    assert names == [["a"], ["b", "c"], ["d"]]


def test_a_connector_of_the_runtime_takes_the_first_location_in(place):
    """It has no location of its own to conflict with."""
    assert compose(None, [place("a").location]).path == (place("a").location,)
    assert str(compose(None, [])) == "one process: the runtime's own process"
