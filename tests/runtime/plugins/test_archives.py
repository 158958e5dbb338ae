"""Archives as locations: unpacked privately, and refused if hostile."""

from __future__ import annotations

import os
import stat
import struct
import sys
import warnings
import zipfile

import pytest

from plugwright.plugins import DiagnosticLevel, LocationKind, Plugins, find_locations

MANIFEST = "[plugwright.SinkConnector]\na = shop:ShopSinkConnector\n"
FILES = {
    "shop.py": "import plugwright\nclass ShopSinkConnector(plugwright.SinkConnector): pass\n",
    "shop-1.0.dist-info/METADATA": "Name: shop\nVersion: 1.0\n\n",
    "shop-1.0.dist-info/entry_points.txt": MANIFEST,
}
WHEEL = "shop-1.0-py3-none-any.whl"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Copies go below the test's own directory."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "plugins"


def _zip(path, files=FILES, prefix=b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(prefix)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in dict(files).items():
                archive.writestr(name, data)
    return path


def _found(*elements):
    locations, findings = find_locations(elements)
    return [location.kind for location in locations], [finding.code for finding in findings]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (WHEEL, LocationKind.WHEEL),
        (WHEEL.replace("whl", "WHL"), LocationKind.WHEEL),
        ("shop.zip", LocationKind.ZIP),
        ("shop.pyz", LocationKind.PYZ),
        ("shop.egg", LocationKind.EGG),
    ],
    ids=["wheel", "upper-case", "zip", "pyz", "egg"],
)
def test_an_archive_is_a_location(tmp_path, name, kind):
    """Case 34: its plugins are found in a private copy, and reports name the archive."""
    archive = _zip(tmp_path / "plugins" / name)
    found = Plugins.service_load([archive.parent])
    (plugin,) = found.descriptors
    assert (plugin.class_name, plugin.version) == ("shop.ShopSinkConnector", "1.0")
    assert (plugin.location.kind, plugin.location.origin) == (kind, archive)
    assert found.diagnostics == []


def test_the_class_of_an_archive_loads_from_the_copy(tmp_path, cache):
    """A change of the archive no longer matters."""
    archive = _zip(tmp_path / WHEEL)
    found = Plugins.service_load([archive])
    archive.unlink()
    assert found.load(found.descriptors[0]).__name__ == "ShopSinkConnector"
    assert str(cache) in sys.modules["shop"].__file__


def test_a_zip_application_may_begin_with_its_interpreter(tmp_path):
    """Its first line is not part of the archive."""
    archive = _zip(tmp_path / "shop.pyz", prefix=b"#!/usr/bin/env python3\n")
    assert _found(archive) == ([LocationKind.PYZ], [])


def test_code_in_the_data_directory_of_a_wheel_is_installed(tmp_path):
    """As pip does for purelib and platlib; scripts stay out."""
    files = {
        "shop-1.data/purelib/a.py": "",
        "shop-1.data/platlib/b.py": "",
        "shop-1.data/scripts/c": "",
    }
    (location,), _ = find_locations([_zip(tmp_path / WHEEL, files)])
    assert sorted(path.name for path in location.path.iterdir()) == ["a.py", "b.py"]


def test_the_manifest_of_an_egg_is_read(tmp_path):
    """It lies in EGG-INFO."""
    files = {"EGG-INFO/entry_points.txt": MANIFEST, "EGG-INFO/PKG-INFO": "Name: shop\nVersion: 7\n"}
    (plugin,) = Plugins.service_load([_zip(tmp_path / "shop.egg", files)]).descriptors
    assert (plugin.distribution, plugin.version) == ("shop", "7")


def test_a_copy_is_used_again(tmp_path, cache):
    """One directory for one content, wherever the archive lies; compiled files do not matter."""
    (first,), _ = find_locations([_zip(tmp_path / "a" / WHEEL)])
    (first.path / "__pycache__").mkdir()
    (first.path / "__pycache__" / "shop.pyc").touch()
    before = first.path.stat().st_ino
    (second,), _ = find_locations([_zip(tmp_path / "a" / WHEEL)])
    assert (second.path, second.path.stat().st_ino) == (first.path, before)
    assert [path.name for path in cache.iterdir()] == [first.path.name]


def _change(root):
    file = root / "shop.py"
    file.write_text(file.read_text().replace("Shop", "Ship"))


def _add(root):
    (root / "typing_extensions.py").touch()


def _drop(root):
    (root / "shop.py").unlink()


def _link(root):
    (root / "shop.py").rename(root.parent / "elsewhere")
    (root / "shop.py").symlink_to(root.parent / "elsewhere")


@pytest.mark.parametrize("spoil", [_change, _add, _drop, _link], ids=lambda f: f.__name__[1:])
def test_a_spoilt_copy_is_made_again(tmp_path, spoil):
    """Content, names and kinds are compared."""
    archive = _zip(tmp_path / WHEEL)
    (location,), _ = find_locations([archive])
    spoil(location.path)
    (again,), _ = find_locations([archive])
    assert (again.path / "shop.py").read_text() == FILES["shop.py"]
    assert not (again.path / "shop.py").is_symlink()
    assert not (again.path / "typing_extensions.py").exists()


def test_modes_of_members_are_tamed(tmp_path):
    """Executable stays, set-user-id and write permission for others go."""
    info = zipfile.ZipInfo("tool.py")
    info.external_attr = (stat.S_IFREG | 0o6777) << 16
    (location,), _ = find_locations([_zip(tmp_path / "a.zip", {info: ""})])
    assert (location.path / "tool.py").stat().st_mode & 0o7022 == 0


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../x", "zip-unsafe-name"),
        ("a/../../x", "zip-unsafe-name"),
        ("/x", "zip-unsafe-name"),
        ("C:\\x", "zip-unsafe-name"),
        ("a\\..\\b", "zip-unsafe-name"),
        ("a\x1bb", "zip-unsafe-name"),
        ("a//b", "zip-unsafe-name"),
        ("./a", "zip-unsafe-name"),
        ("SHOP.py", "zip-unsafe-name"),
        ("shop.py/x", "zip-invalid"),
    ],
)
def test_a_member_with_a_dangerous_name_is_refused(tmp_path, cache, name, code):
    """Nothing is left behind, and the archive is reported, not fatal."""
    archive = _zip(tmp_path / "plugins" / "a.zip", FILES | {name: "x"})
    assert _found(archive.parent) == ([LocationKind.UNREADABLE], [code])
    assert list(cache.iterdir()) == []
    assert not (tmp_path / "x").exists()


def _symlink(path):
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    _zip(path, {info: "/etc/passwd"})


def _twice(path):
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("entry_points.txt", "a")
        archive.writestr("entry_points.txt", "b")


def _renamed(path):
    _zip(path)
    path.write_bytes(path.read_bytes().replace(b"shop.py", b"ship.py", 1))


def _truncated(path):
    _zip(path)
    path.write_bytes(path.read_bytes()[:-30])


def _followed(path):
    _zip(path)
    path.write_bytes(path.read_bytes() + b"more")


def _preceded(path):
    _zip(path, prefix=b"#!/bin/sh\n")


def _corrupt(path):
    _zip(path, {"shop.py": "x" * 99})
    data = bytearray(path.read_bytes())
    data[14:18] = struct.pack("<I", 1)
    place = data.index(b"PK\x01\x02") + 16
    data[place : place + 4] = struct.pack("<I", 1)
    path.write_bytes(data)


def _encrypted(path):
    _zip(path, {"shop.py": "x"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)


def _overlapping(path):
    _zip(path, {"a.py": "x" * 50, "b.py": "y" * 50})
    data = bytearray(path.read_bytes())
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    data[second + 42 : second + 46] = bytes(4)
    path.write_bytes(data)


def _in_the_comment(path):
    _zip(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"PK\x05\x06" + bytes(30)


def _misplaced(path):
    _zip(path)
    data = bytearray(path.read_bytes())
    (offset,) = struct.unpack("<I", data[-6:-2])
    data[-6:-2] = struct.pack("<I", offset + 10)
    path.write_bytes(data)


def _hidden(path):
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("a.py", "b.py", "c.py"):
            archive.writestr(name, "x")
        del archive.filelist[1]


def _text(path):
    path.write_text("no archive")


@pytest.mark.parametrize(
    "make",
    [
        _symlink,
        _twice,
        _renamed,
        _truncated,
        _followed,
        _preceded,
        _corrupt,
        _encrypted,
        _overlapping,
        _in_the_comment,
        _misplaced,
        _hidden,
        _text,
    ],
    ids=lambda f: f.__name__[1:],
)
def test_an_archive_that_readers_understand_differently_is_refused(tmp_path, make):
    """With a diagnostic that says what to do; the neighbour is found."""
    place = tmp_path / "plugins"
    place.mkdir()
    make(place / "bad.zip")
    _zip(place / "good.zip")
    found = Plugins.service_load([place])
    assert [plugin.location.name for plugin in found.descriptors] == ["good.zip"]
    (finding,) = found.diagnostics
    assert (finding.code, finding.level) == ("zip-invalid", DiagnosticLevel.ERROR)
    assert (finding.location, bool(finding.hint)) == (str(place / "bad.zip"), True)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, cache):
    """A megabyte and more out of a kilobyte."""
    assert _found(_zip(tmp_path / "a.zip", {"METADATA": bytes(3 << 20)}))[1] == ["zip-bomb"]
    assert list(cache.iterdir()) == []


def test_a_directory_of_archives_is_one_location(tmp_path):
    """The counterpart of several jars: they share one import path."""
    place = tmp_path / "plugins" / "shop"
    _zip(place / WHEEL)
    _zip(place / "helper-2.0-py3-none-any.whl", {"helper.py": ""})
    found = Plugins.service_load([place.parent])
    assert ([p.version for p in found.descriptors], found.diagnostics) == (["1.0"], [])
    assert found.locations[0].kind is LocationKind.WHEEL_DIR
    assert (found.locations[0].path / "helper.py").is_file()


def test_archives_that_hold_one_file_with_two_contents_are_refused(tmp_path):
    """Which would win is not guessed."""
    place = tmp_path / "plugins" / "shop"
    _zip(place / "a.zip", {"helper.py": "1"})
    _zip(place / "b.zip", {"helper.py": "2"})
    assert _found(place.parent) == ([LocationKind.UNREADABLE], ["zip-invalid"])


@pytest.mark.parametrize("linked", [os.link, os.symlink], ids=["hard", "symbolic"])
def test_a_link_with_another_name_hides_no_wheel(tmp_path, linked):
    """It comes first in the directory, and is not named like a wheel."""
    archive = _zip(tmp_path / "plugins" / WHEEL)
    linked(archive, archive.with_name("latest.whl"))
    found = Plugins.service_load([archive.parent])
    assert [each.location.origin for each in found.descriptors] == [archive]
    assert [d.code for d in found.diagnostics] == ["wheel-name"]


def test_a_wheel_for_another_platform_is_left_out(tmp_path):
    """Case 38: the others of its directory are used."""
    place = tmp_path / "plugins" / "shop"
    _zip(place / WHEEL)
    _zip(place / "other-1.0-cp27-cp27m-win32.whl", {"x.py": ""})
    found = Plugins.service_load([place.parent])
    assert len(found.descriptors) == 1
    assert [d.code for d in found.diagnostics] == ["tag-unsupported"]


def test_two_versions_of_a_wheel_in_one_directory_are_an_error(tmp_path):
    """Neither is used."""
    place = tmp_path / "plugins" / "shop"
    _zip(place / WHEEL)
    _zip(place / WHEEL.replace("1.0", "2.0"))
    assert _found(place.parent) == ([LocationKind.UNREADABLE], ["dist-duplicate"])


def test_a_pex_is_reported(tmp_path):
    """Its distributions are importable only after its own start."""
    files = {f".deps/{WHEEL}/{name}": data for name, data in FILES.items()}
    archive = _zip(tmp_path / "shop.pyz", files | {"PEX-INFO": "{}", "__main__.py": "1 / 0\n"})
    assert _found(archive) == ([LocationKind.PYZ], ["archive-pex"])


def test_shiv_keeps_its_packages_one_level_down(tmp_path):
    """That is what goes on the import path."""
    files = {f"site-packages/{name}": data for name, data in FILES.items()}
    archive = _zip(tmp_path / "shop.pyz", files | {"environment.json": "{}"})
    assert len(Plugins.service_load([archive]).descriptors) == 1


@pytest.mark.parametrize(
    ("files", "codes"),
    [
        ({"shop-1.0/pyproject.toml": "", "shop-1.0/shop.py": ""}, ["archive-without-packages"]),
        ({"README.md": "", "LICENSE": ""}, ["archive-without-packages"]),
        ({"shop.py": ""}, []),
        ({"shop/sinks.py": ""}, []),
        ({"shop.cpython-311-x86_64-linux-gnu.so": ""}, []),
    ],
    ids=["source archive", "texts", "module", "namespace package", "extension module"],
)
def test_an_archive_without_packages_is_reported(tmp_path, files, codes):
    """Python finds packages and modules at its top only."""
    archive = _zip(tmp_path / "shop.zip", files)
    assert _found(archive) == ([LocationKind.ZIP], codes)
