"""Every location of the table, in every mode: as expected, with its neighbours unharmed."""

from __future__ import annotations

import importlib.metadata
from collections import defaultdict

import pytest
from tests.runtime.plugins.hostile_locations import CASES, make

from plugwright.errors import DiscoveryError
from plugwright.plugins import ConfirmLimits, Plugins, printable

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

LIMITS = ConfirmLimits(wall_s=8, cpu_s=8, memory=2 << 30)
MODES = ("only_scan", "hybrid_warn", "service_load")
# Here the standard library's reader fails, or sees something else, as the reference says.
NO_ORACLE = {
    "manifest: byte order mark": "it does not know of byte order marks",
    "manifest: continuation": "it knows no continuation",
    "manifest: bad neighbours": "one bad line hides the others",
    "manifest: foreign without equals": "one bad line hides the others",
    "manifest: foreign bytes": "one bad byte hides the others",
    "manifest: own bytes": "one bad byte hides the others",
    "manifest: open header": "it takes the header for an entry",
    "manifest: blanks in header": "it keeps the blanks",
    "manifest: too large": "it reads files of any size",
    "metadata: for another Python": "it does not look at the Python that is needed",
    "metadata: a pipe named so": "it would wait",
    "metadata: EGG-INFO": "it looks for that name in eggs alone",
}
KEPT = {
    "manifest: a pipe",
    "manifest: a device",
    "manifest: a socket",
    "manifest: a link to itself",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A plugin path with all of them; where each is, and what the modes make of it."""
    root = tmp_path_factory.mktemp("hostile")
    patch = pytest.MonkeyPatch()
    patch.setenv("PLUGWRIGHT_CACHE", str(root / "cache"))
    path, places = root / "path", {}
    path.mkdir()
    for number, (name, case) in enumerate(CASES.items()):
        title = f"{name}{case.suffix}" if case.suffix or case.files.keys() == {""} else ""
        places[name] = path / (title or f"location-{number:03}")
        if title:
            make(path, {title: case.files[""]})
        else:
            places[name].mkdir()
            make(places[name], case.files)
    found = {mode: Plugins.discover([path], mode, limits=LIMITS) for mode in MODES}
    with pytest.raises(DiscoveryError) as caught:
        Plugins.discover([path], "hybrid_fail", limits=LIMITS)
    yield places, found, caught.value.facts
    patch.undo()


def _by_place(descriptors):
    found = defaultdict(set)
    for each in descriptors:
        if not each.obstacle:
            found[str(each.location.origin)].add(each.class_name)
    return found


def test_there_are_enough_of_them():
    """And no two of one name."""
    assert len(CASES) >= 106


@pytest.mark.parametrize("name", CASES)
def test_service_load_has_what_manifests_declare(world, name):
    """Nothing is imported, so nothing that code does matters."""
    places, found, _ = world
    declared = _by_place(found["service_load"].descriptors)
    assert declared[str(places[name])] == CASES[name].declared


@pytest.mark.parametrize("name", CASES)
def test_only_scan_has_what_can_be_loaded(world, name):
    """Whatever manifests say."""
    places, found, _ = world
    assert _by_place(found["only_scan"].descriptors)[str(places[name])] == CASES[name].found


@pytest.mark.parametrize("name", CASES)
def test_hybrid_warn_has_both(world, name):
    """What is declared, and what is not and can be loaded."""
    places, found, _ = world
    case = CASES[name]
    both = _by_place(found["hybrid_warn"].descriptors)[str(places[name])]
    assert both == case.declared | case.undeclared


@pytest.mark.parametrize("name", CASES)
def test_hybrid_fail_refuses_what_is_undeclared_or_stale(world, name):
    """By location and class."""
    places, _, facts = world
    refused = {
        kind: {row.split("\t")[1] for row in facts[kind] if row.split("\t")[0] == place}
        for kind in ("missing", "stale")
        for place in [printable(str(places[name]))]
    }
    case = CASES[name]
    assert refused == {
        "missing": {printable(each) for each in case.undeclared},
        "stale": {printable(each) for each in case.stale},
    }


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.codes])
def test_what_is_odd_is_said(world, name):
    """With its code and location, in the mode that looks at most; on one printable line."""
    places, found, _ = world
    said = [d for d in found["hybrid_warn"].diagnostics if d.location == str(places[name])]
    assert set(CASES[name].codes) <= {d.code for d in said}
    assert all(str(d).isprintable() for d in said)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, case in CASES.items()
        if name not in NO_ORACLE and "" not in case.files and name not in KEPT
    ],
)
def test_the_standard_library_sees_the_same_manifests(world, name):
    """Where its reader bears the location: an oracle that this project did not write."""
    places, _, _ = world
    try:
        found = {
            entry.value.partition("[")[0].replace(" ", "")
            for each in importlib.metadata.distributions(path=[str(places[name])])
            for entry in each.entry_points
            if entry.group == "plugwright.SinkConnector"
        }
    except Exception:  # noqa: BLE001  # which it raises differs between its versions
        return
    theirs = {each.replace(":", ".") for each in found if _is_reference(each)}
    assert CASES[name].declared <= theirs


def _is_reference(value):
    module, _, name = value.partition(":")
    return all(part.isidentifier() for part in (*module.split("."), *name.split(".")))
