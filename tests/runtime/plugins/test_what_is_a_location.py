"""What a path is depends on what lies in it: a stray name hides no location beside it."""

from __future__ import annotations

import os
import sys

import pytest

from plugwright.plugins import LocationKind, Plugins, find_locations, location_at, survey

PYTHON = f"python{sys.version_info[0]}.{sys.version_info[1]}"
PLUGIN = """from plugwright import SinkConnector
class {name}(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""
GOOD = {"good-a", "good_b", "goodc"}


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def container(place, tmp_path):
    """Three good locations: declared twice, and once recognized by the text alone."""
    for name in ("good-a", "good_b"):
        shop = place(f"c/{name}")
        module = name.replace("-", "_") + "_sink"
        shop.module(module, PLUGIN.format(name="Sink"))
        shop.distribution(module, entry_points=f"[plugwright.SinkConnector]\ns = {module}:Sink\n")
    place("c/goodc").module("c_sink", PLUGIN.format(name="Sink"))
    return tmp_path / "c"


def _write(root, files):
    for name, text in files.items():
        path = root / name
        if text is None:
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


METADATA = "Metadata-Version: 2.1\nName: six\nVersion: 1.0\n"
TARGET = {
    "six.py": "",
    "bin/six": "#!/bin/sh\n",
    "yaml/__init__.py": "",
    "google/rpc/__init__.py": "",
    "six-1.0.dist-info/METADATA": METADATA,
    "six-1.0.dist-info/RECORD": "six.py,,\nyaml/__init__.py,,\ngoogle/rpc/__init__.py,,\n",
}
VENV = {
    "pyvenv.cfg": "home = /usr\n",
    f"lib/{PYTHON}/site-packages/six.py": "",
    "bin/python": "",
}
STRAYS = {
    "empty egg-info": ({"README.egg-info": ""}, "location-stray"),
    "egg-info of prose": ({"README.egg-info": "read me\n"}, "location-stray"),
    "egg-info directory": ({"x.egg-info": None}, "location-stray"),
    "the bare word": ({"egg-info": None}, "location-stray"),
    "empty dist-info": ({"x.dist-info": None}, "location-stray"),
    "upper case": ({"X.DIST-INFO": None}, "location-stray"),
    "dist-info file": ({"x-1.dist-info": "Name"}, "location-stray"),
    "only RECORD": ({"x-1.dist-info/RECORD": "x.py,,\n"}, "location-stray"),
    "empty METADATA": ({"x-1.dist-info/METADATA": ""}, "location-stray"),
    "binary METADATA": ({"x-1.dist-info/METADATA": "\0\1\2"}, "location-stray"),
    "empty manifest": ({"x-1.dist-info/entry_points.txt": ""}, "location-stray"),
    "package": ({"__init__.py": ""}, "location-stray"),
    "package of nothing": ({"__init__.py": "import os\n"}, "location-stray"),
    "pyvenv.cfg": ({"pyvenv.cfg": "home = /usr\n"}, "location-stray"),
    "pyvenv.cfg directory": ({"pyvenv.cfg": None}, "location-stray"),
    "pip --target": (TARGET, "location-mixed"),
    "virtual environment": (VENV, "location-mixed"),
    "installation prefix": (
        {f"lib/{PYTHON}/site-packages/six-1.0.dist-info/METADATA": METADATA},
        "location-mixed",
    ),
    "of another Python": (
        {"pyvenv.cfg": "", "lib/python2.7/site-packages/six.py": ""},
        "location-mixed",
    ),
    "two": ({"a.egg-info": "", "__init__.py": ""}, "location-stray"),
    "a project file": ({"README.md": "", "docs/index.rst": ""}, None),
}


@pytest.mark.parametrize(("files", "code"), STRAYS.values(), ids=STRAYS)
def test_a_stray_name_hides_no_location(container, files, code):
    """All good ones are found, and a diagnostic says what is left out."""
    _write(container, files)
    locations, findings = find_locations([container])
    assert {each.name for each in locations} >= GOOD
    assert container.name not in {each.name for each in locations}
    assert {f.code for f in findings} == ({code} if code else set())
    assert all(f.location == str(container) and f.hint for f in findings)
    found = {row.plugin.class_name for s in survey(locations, imports=False) for row in s.plugins}
    assert found == {"good_a_sink.Sink", "good_b_sink.Sink", "c_sink.Sink"}
    declared = Plugins.service_load([container]).descriptors
    assert {each.class_name for each in declared} == {"good_a_sink.Sink", "good_b_sink.Sink"}


@pytest.mark.parametrize("name", ["pyvenv.cfg", "README.egg-info", "x.dist-info/INSTALLER"])
def test_a_stray_name_in_a_location_hides_none_of_its_plugins(container, name):
    """The location is what its distributions and modules make it."""
    _write(container / "good-a", {name: ""})
    _write(container / "goodc", {name: ""})
    found = survey(find_locations([container])[0], imports=False)
    assert sorted(row.plugin.module for each in found for row in each.plugins) == [
        "c_sink",
        "good_a_sink",
        "good_b_sink",
    ]


def test_an_init_file_in_each_location_hides_none(container):
    """What has distributions of its own is no package of its parent."""
    for name in GOOD - {"goodc"}:
        _write(container / name, {"__init__.py": ""})
    names = {each.name for each in find_locations([container])[0]}
    assert names >= {"good-a", "good_b"}


def test_wheels_beside_a_stray_name_stay_a_location(tmp_path):
    """An empty egg-info file is no distribution that would hide them."""
    import zipfile  # noqa: PLC0415  # here alone

    (tmp_path / "c").mkdir()
    with zipfile.ZipFile(tmp_path / "c" / "shop-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("shop.py", PLUGIN.format(name="Sink"))
    _write(tmp_path / "c", {"README.egg-info": ""})
    assert location_at(tmp_path / "c")[0].kind is LocationKind.WHEEL_DIR
    kinds = {each.name: each.kind for each in find_locations([tmp_path / "c"])[0]}
    assert kinds == {"shop-1.0-py3-none-any.whl": LocationKind.WHEEL}


def test_a_directory_that_pip_filled_stays_one_location(tmp_path):
    """Its packages are no locations, though they have no ``__init__`` or vendor metadata."""
    files = TARGET | {
        "acme/sink.py": PLUGIN.format(name="Sink"),
        "six-1.0.dist-info/RECORD": TARGET["six-1.0.dist-info/RECORD"] + "acme/sink.py,,\n",
        "tools/_vendor/x-1.dist-info/METADATA": METADATA,
        "tools/__init__.py": "",
        "six-1.0-py3-none-any.whl": "",
    }
    _write(tmp_path / "c", files)
    locations, findings = find_locations([tmp_path / "c"])
    assert [each.name for each in locations] == ["c"]
    assert [f.code for f in findings] == ["location-not-container", "archives-ignored"]


def test_what_no_distribution_has_installed_is_a_location_if_it_has_plugins(tmp_path):
    """Beside distributions that list their files."""
    files = TARGET | {"mine/sink.py": PLUGIN.format(name="Sink"), "notes/a.py": "x = 1\n"}
    _write(tmp_path / "c", files)
    locations, findings = find_locations([tmp_path / "c"])
    assert ([each.name for each in locations], findings[0].code) == (["mine"], "location-mixed")


def test_packages_beside_something_else_stay_one_location(tmp_path):
    """A directory of documents does not make locations of packages."""
    for name in ("shop", "mart"):
        _write(tmp_path / "c", {f"{name}/__init__.py": PLUGIN.format(name="Sink")})
    _write(tmp_path / "c", {"docs/index.rst": "", "data/x.csv": ""})
    (location,), findings = find_locations([tmp_path / "c"])
    assert (location.kind, location.name, findings) == (LocationKind.MODULE_DIR, "c", [])


def test_a_package_that_holds_plugins_is_one_location(tmp_path):
    """Its own modules are the evidence."""
    files = {"__init__.py": "", "sink.py": PLUGIN.format(name="Sink"), "sub/__init__.py": ""}
    _write(tmp_path / "c", files)
    (location,), (finding,) = find_locations([tmp_path / "c"])
    assert (location.name, finding.code) == ("c", "location-not-container")


# Links.


@pytest.mark.parametrize("target", [".", "..", "../..", "/", "{c}", "{c}/good-a/.."])
def test_a_link_to_the_parent_lists_nothing_again(container, target):
    """The neighbours have one name each."""
    (container / "loop").symlink_to(target.format(c=container))
    locations, findings = find_locations([container])
    assert {each.name for each in locations} == GOOD
    assert [(f.code, f.location) for f in findings] == [("link-to-parent", str(container / "loop"))]


@pytest.mark.parametrize("target", ["..", "../..", ".", "{c}"])
def test_a_link_in_a_location_to_its_parent_lists_no_neighbour(container, target):
    """They are no packages of it."""
    (container / "goodc" / "loop").symlink_to(target.format(c=container))
    locations, _ = find_locations([container])
    rows = [row.plugin.class_name for s in survey(locations, imports=False) for row in s.plugins]
    assert sorted(rows) == ["c_sink.Sink", "good_a_sink.Sink", "good_b_sink.Sink"]


def test_a_directory_of_locations_in_one_is_named_and_lists_nothing(container, tmp_path):
    """Depth is one: its plugins could not be imported under the names that they would have."""
    locations, findings = find_locations([tmp_path])
    assert [each.name for each in locations] == ["c"]
    assert [f.code for f in findings] == ["location-is-container"]
    rows = [row.plugin.class_name for s in survey(locations, imports=False) for row in s.plugins]
    assert rows == ["goodc.c_sink.Sink"]


def test_an_element_may_be_a_link_to_itself_or_long(tmp_path):
    """It is left out, with a diagnostic; nothing raises."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for element in (tmp_path / "loop", tmp_path / ("x" * 300), f"{tmp_path}/{'y/' * 3000}"):
        locations, (finding,) = find_locations([element])
        assert (locations, finding.code) == ([], "location-missing")
    assert os.path.lexists(tmp_path / "loop")
