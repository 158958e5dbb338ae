"""Every location of the table, in every mode: as expected, with its neighbours unharmed."""

from __future__ import annotations

import importlib.metadata
from collections import defaultdict

import pytest
from tests.runtime.plugins.hostile_locations import CASES, make

from plugwright.errors import DiscoveryError
from plugwright.plugins import ConfirmLimits, Plugins, printable

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

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


def test_service_load_has_what_manifests_declare(world):
    """Nothing is imported, so nothing that code does matters."""
    places, found, _ = world
    declared = _by_place(found["service_load"].descriptors)
    assert {name: declared[str(places[name])] for name in CASES} == {
        name: case.declared for name, case in CASES.items()
    }


def test_only_scan_has_what_can_be_loaded(world):
    """Whatever manifests say."""
    places, found, _ = world
    scanned = _by_place(found["only_scan"].descriptors)
    assert {name: scanned[str(places[name])] for name in CASES} == {
        name: case.found for name, case in CASES.items()
    }


def test_hybrid_warn_has_both(world):
    """What is declared, and what is not and can be loaded."""
    places, found, _ = world
    both = _by_place(found["hybrid_warn"].descriptors)
    assert {name: both[str(places[name])] for name in CASES} == {
        name: case.declared | case.undeclared for name, case in CASES.items()
    }


def test_hybrid_fail_refuses_what_is_undeclared_or_stale(world):
    """By location and class."""
    places, _, facts = world
    refused = {
        kind: {tuple(row.split("\t")[:2]) for row in facts[kind]} for kind in ("missing", "stale")
    }
    own = {printable(str(place)) for place in places.values()}
    expected = {
        kind: {
            (printable(str(places[name])), printable(each))
            for name, case in CASES.items()
            for each in getattr(case, attribute)
        }
        for kind, attribute in (("missing", "undeclared"), ("stale", "stale"))
    }
    assert {
        kind: {row for row in rows if row[0] in own} for kind, rows in refused.items()
    } == expected


def test_what_is_odd_is_said(world):
    """With its code and location, in the mode that looks at most; on one printable line."""
    places, found, _ = world
    said = defaultdict(list)
    for each in found["hybrid_warn"].diagnostics:
        said[each.location].append(each)
    odd = {name: set(case.codes) for name, case in CASES.items() if case.codes}
    codes = {name: {d.code for d in said[str(places[name])]} for name in odd}
    assert {name: missing for name in odd if (missing := odd[name] - codes[name])} == {}
    assert [
        str(d) for name in odd for d in said[str(places[name])] if not str(d).isprintable()
    ] == []


def test_the_standard_library_sees_the_same_manifests(world):
    """Where its reader bears the location: an oracle that this project did not write."""
    places, _, _ = world
    compared = [
        name
        for name, case in CASES.items()
        if name not in NO_ORACLE and "" not in case.files and name not in KEPT
    ]
    theirs = {name: _declared_for_the_library(places[name]) for name in compared}
    read = {name: found for name, found in theirs.items() if found is not None}
    assert len(read) > len(compared) / 2
    unseen = {name: CASES[name].declared - found for name, found in read.items()}
    assert {name: classes for name, classes in unseen.items() if classes} == {}


def _declared_for_the_library(place):
    try:
        found = {
            entry.value.partition("[")[0].replace(" ", "")
            for each in importlib.metadata.distributions(path=[str(place)])
            for entry in each.entry_points
            if entry.group == "plugwright.SinkConnector"
        }
    except Exception:  # noqa: BLE001  # which it raises differs between its versions
        return None
    return {each.replace(":", ".") for each in found if _is_reference(each)}


def _is_reference(value):
    module, _, name = value.partition(":")
    return all(part.isidentifier() for part in (*module.split("."), *name.split(".")))
