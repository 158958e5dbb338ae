"""Plugin locations: what the elements of a plugin path stand for."""

from __future__ import annotations

import sys
import zipfile

import pytest

from plugwright.errors import DiscoveryError
from plugwright.plugins import LocationKind, find_locations, location_at, locations_on


def _names(*elements):
    return [location.name for location in locations_on(elements)]


def test_the_directories_of_a_container_are_the_locations(place, tmp_path):
    """Sorted, so that the order does not depend on the file system."""
    for name in ("b", "a"):
        place(name).distribution()
    assert _names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("name", [".git", "__pycache__", ".hidden"])
def test_hidden_children_are_no_locations(place, tmp_path, name):
    """Case 33: nor are caches."""
    place("a").distribution()
    (tmp_path / name).mkdir()
    assert _names(tmp_path) == ["a"]


def test_files_in_a_container_are_no_locations(place, tmp_path):
    """A note beside the plugins does no harm."""
    place("a").distribution()
    (tmp_path / "README.md").touch()
    assert _names(tmp_path) == ["a"]


@pytest.mark.parametrize("suffix", ["dist-info", "egg-info", "Dist-Info"])
def test_an_element_with_metadata_is_one_location(place, tmp_path, suffix):
    """The usual mistake: the directory of one plugin instead of its parent."""
    (tmp_path / "shop" / f"Shop-1.0.{suffix}").mkdir(parents=True)
    (tmp_path / "shop" / "package").mkdir()
    assert _names(tmp_path / "shop") == ["shop"]


def test_an_element_that_is_a_package_is_one_location(tmp_path):
    """It has an __init__.py."""
    (tmp_path / "shop" / "sub").mkdir(parents=True)
    (tmp_path / "shop" / "__init__.py").touch()
    assert _names(tmp_path / "shop") == ["shop"]


def test_an_empty_element_is_one_location(tmp_path):
    """It may be filled later."""
    assert _names(tmp_path) == [tmp_path.name]


def test_a_location_counts_once_however_it_is_reached(place, tmp_path):
    """Case 32: directly, through its container, and through a link."""
    shop = place("plugins/shop").path
    (shop / "x-1.dist-info").mkdir()
    link = tmp_path / "link"
    link.symlink_to(shop)
    assert _names(shop, tmp_path / "plugins", link) == ["shop"]


def test_links_in_a_circle_end(tmp_path):
    """Case 37: depth is one."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").symlink_to(tmp_path)
    assert _names(tmp_path) == ["a"]


@pytest.mark.parametrize(
    ("name", "reason"), [("nowhere", "does not exist"), ("file", "is not a directory")]
)
def test_an_element_that_cannot_be_is_explained(tmp_path, name, reason):
    """With the element's name."""
    (tmp_path / "file").touch()
    with pytest.raises(DiscoveryError, match=f"{name} {reason}") as caught:
        locations_on([tmp_path / name])
    assert caught.value.code == "discovery.no-such-location"


def test_an_empty_string_is_not_the_current_directory():
    """Case 30: a trailing comma in plugin.path must not load what lies around."""
    with pytest.raises(DiscoveryError, match="empty string"):
        locations_on([""])


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))


def _kinds(*elements):
    locations, findings = find_locations(elements)
    return {x.name: x.kind for x in locations}, [finding.code for finding in findings]


def test_a_module_in_a_container_is_a_location(place, tmp_path):
    """It is imported from a directory that holds nothing else."""
    place("a").distribution()
    (tmp_path / "shop.py").write_text("x = 1\n")
    (location,) = (x for x in locations_on([tmp_path]) if x.kind is LocationKind.MODULE)
    assert (location.name, [p.name for p in location.path.iterdir()]) == ("shop.py", ["shop.py"])
    assert (location.path / "shop.py").read_text() == "x = 1\n"


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ([], LocationKind.EMPTY),
        ([".hidden"], LocationKind.EMPTY),
        (["shop.py"], LocationKind.MODULE_DIR),
        (["shop/__init__.py"], LocationKind.MODULE_DIR),
        (["a-1.dist-info/METADATA", "a.py"], LocationKind.TARGET_DIR),
        (["a.egg-info"], LocationKind.TARGET_DIR),
        (["deep/a-1.dist-info/METADATA"], LocationKind.MODULE_DIR),
    ],
    ids=["empty", "hidden", "module", "package", "target", "egg-info", "deeper"],
)
def test_what_lies_at_the_top_tells_the_kind(tmp_path, files, kind):
    """Depth is one."""
    (tmp_path / "c" / "shop").mkdir(parents=True)
    for name in files:
        (tmp_path / "c" / "shop" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "c" / "shop" / name).touch()
    assert _kinds(tmp_path / "c") == ({"shop": kind}, [])


def test_archives_beside_a_package_are_ignored(tmp_path):
    """Case 35: with a warning that names them."""
    (tmp_path / "shop" / "package").mkdir(parents=True)
    (tmp_path / "shop" / "a.whl").touch()
    assert _kinds(tmp_path) == ({"shop": LocationKind.TARGET_DIR}, ["archives-ignored"])


@pytest.mark.parametrize("version", ["", "0"], ids=["this-python", "another"])
def test_of_a_virtual_environment_the_packages_count(tmp_path, version):
    """If they are for this Python."""
    python = f"python{sys.version_info[0]}.{sys.version_info[1]}{version}"
    packages = tmp_path / "c" / "env" / "lib" / python / "site-packages"
    (packages / "a-1.dist-info").mkdir(parents=True)
    (tmp_path / "c" / "env" / "pyvenv.cfg").touch()
    (location,), findings = find_locations([tmp_path / "c"])
    kind = LocationKind.UNREADABLE if version else LocationKind.VENV
    assert (location.kind, location.origin.name) == (kind, "env")
    assert (location.path == packages, [f.code for f in findings]) == (
        not version,
        ["requires-python"] if version else [],
    )


@pytest.mark.parametrize("version", ["", "0"], ids=["this-python", "another"])
@pytest.mark.parametrize("inside", [True, False], ids=["child", "element"])
def test_an_environment_needs_no_file_that_says_so(tmp_path, version, inside):
    """Those of conda and installations below a prefix have distributions where Python has them."""
    python = f"python{sys.version_info[0]}.{sys.version_info[1]}{version}"
    prefix = tmp_path / "c" / "env"
    for name in ("bin", "conda-meta", f"lib/{python}/site-packages/shop-1.dist-info"):
        (prefix / name).mkdir(parents=True)
    packages = prefix / "lib" / python / "site-packages"
    (packages / "shop-1.dist-info" / "METADATA").write_text("Name: shop\nVersion: 1\n")
    (location,), findings = find_locations([prefix.parent if inside else prefix])
    assert location.origin == prefix
    assert location.kind is (LocationKind.UNREADABLE if version else LocationKind.VENV)
    assert (location.path == packages, [f.code for f in findings]) == (
        not version,
        ["requires-python"] if version else [],
    )


@pytest.mark.parametrize("beside", ["shop.py", "shop/__init__.py", "shop-2.dist-info/METADATA"])
def test_a_location_with_code_of_its_own_is_no_environment(tmp_path, beside):
    """Whatever lies in its ``lib``."""
    python = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    metadata = tmp_path / "c" / "shop" / "lib" / python / "site-packages" / "a-1.dist-info"
    for file in (metadata / "METADATA", tmp_path / "c" / "shop" / beside):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("Name: a\nVersion: 1\n")
    (location,), _ = find_locations([tmp_path / "c"])
    assert location.path == tmp_path / "c" / "shop"


def test_what_pip_set_aside_is_no_location(tmp_path):
    """Nor does it make one of the directory that holds it."""
    (tmp_path / "~hop-1.0.dist-info").mkdir()
    (tmp_path / "~hop-1.0.dist-info" / "METADATA").write_text("Name: shop\nVersion: 1.0\n")
    (tmp_path / "mart").mkdir()
    (tmp_path / "mart" / "mart.py").touch()
    assert _kinds(tmp_path) == ({"mart": LocationKind.MODULE_DIR}, [])


def test_an_element_that_is_a_location_is_warned_of(place, tmp_path):
    """Case 29: its plugins share their dependencies, which may not be meant."""
    place("shop").distribution()
    assert _kinds(tmp_path / "shop")[1] == ["location-not-container"]


def test_a_dangling_or_circular_link_is_reported(tmp_path):
    """The neighbour is found."""
    (tmp_path / "a").symlink_to(tmp_path / "nowhere")
    (tmp_path / "b").symlink_to(tmp_path / "b")
    (tmp_path / "shop").mkdir()
    kinds, findings = _kinds(tmp_path)
    assert kinds == {
        "a": LocationKind.UNREADABLE, "b": LocationKind.UNREADABLE, "shop": LocationKind.EMPTY,
    }  # fmt: skip
    assert findings == ["location-unreadable"] * 2


def test_a_missing_element_is_left_out_unless_it_must_not_be(tmp_path):
    """Case 31: kafka's worker goes on, its tool stops."""
    (tmp_path / "shop").mkdir()
    assert _kinds(tmp_path / "no", tmp_path) == (
        {"shop": LocationKind.EMPTY},
        ["location-missing"],
    )


@pytest.mark.parametrize("name", ["x.data", "x.tmp-1", ".x"])
def test_leftovers_are_no_locations(place, tmp_path, name):
    """Data of wheels, temporary and hidden directories."""
    place("a").distribution()
    (tmp_path / name).mkdir()
    assert _names(tmp_path) == ["a"]


def test_a_directory_of_archives_is_one_location_when_named_as_one(tmp_path, monkeypatch):
    """Its archives share an import path."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "shop").mkdir()
    with zipfile.ZipFile(tmp_path / "shop" / "shop-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("shop.py", "")
    location, findings = location_at(tmp_path / "shop")
    assert (location.kind, location.origin) == (LocationKind.WHEEL_DIR, tmp_path / "shop")
    assert (findings, [p.name for p in location.path.iterdir()]) == ([], ["shop.py"])


def test_a_directory_of_locations_is_one_location_when_named_as_one(place):
    """No child of it is looked at."""
    shop = place("c/shop")
    shop.distribution()
    location, _ = location_at(str(shop.path.parent))
    assert (location.kind, location.path) == (LocationKind.MODULE_DIR, shop.path.parent)


def test_a_module_is_a_location(tmp_path, monkeypatch):
    """In a directory of its own."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "shop.py").touch()
    (tmp_path / "mart.py").touch()
    location, _ = location_at(tmp_path / "shop.py")
    assert (location.kind, location.origin) == (LocationKind.MODULE, tmp_path / "shop.py")
    assert [file.name for file in location.path.iterdir()] == ["shop.py"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("notes.txt", "is not a directory, archive or module"),
        ("no-name.py", "is not a directory, archive or module"),
        (".whl", "is not a directory, archive or module"),
        ("missing", "does not exist"),
    ],
)
def test_anything_else_is_no_location(tmp_path, name, reason):
    """With the reason."""
    (tmp_path / "notes.txt").touch()
    (tmp_path / "no-name.py").touch()
    (tmp_path / ".whl").touch()
    with pytest.raises(DiscoveryError) as caught:
        location_at(tmp_path / name)
    assert str(caught.value) == f"plugin location {tmp_path / name} {reason}"
    assert caught.value.code == "discovery.no-such-location"


def test_an_empty_text_is_no_location():
    """Nor the current directory."""
    with pytest.raises(DiscoveryError, match="empty string"):
        location_at("")


def test_hidden_files_are_nothing(tmp_path):
    """A directory with nothing else is empty."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".shop.whl").touch()
    assert location_at(tmp_path)[0].kind is LocationKind.EMPTY


def test_archives_beside_code_are_named_in_order(tmp_path):
    """However the system lists them."""
    names = [f"{letter}.zip" for letter in "fbdhaceg"]
    for name in (*names, "shop.py"):
        (tmp_path / name).touch()
    _, (finding,) = location_at(tmp_path)
    assert finding.message.endswith(f"ignored: {', '.join(sorted(names))}")
