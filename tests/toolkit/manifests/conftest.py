"""Locations made of a few files, a survey with a given result, and disks that fail."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from plugwright.plugins import (
    PLUGIN_TYPES,
    LocationKind,
    PluginDescriptor,
    Plugins,
    Survey,
    SurveyedPlugin,
    find_locations,
)
from plugwright_toolkit.manifests import Disk, SyncOptions, sync_manifests

TYPES = {kind.name: kind for kind in PLUGIN_TYPES}


def hashed(data, algorithm="sha256"):
    """A hash as RECORD writes it."""
    digest = hashlib.new(algorithm, data).digest()
    return f"{algorithm}={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def record_errors(root):
    """What RECORDs below a directory say wrongly; an oracle of its own."""
    errors = []
    for record in sorted(Path(root).rglob("*.dist-info/RECORD")):
        listed = set()
        for path, digest, size in csv.reader(io.StringIO(record.read_text())):
            listed.add(path)
            file = record.parent.parent / path
            if not file.is_file():
                errors.append(f"{path} is missing")
            elif digest and (digest, int(size)) != (hashed(file.read_bytes()), file.stat().st_size):
                errors.append(f"{path} differs")
        names = {f"{record.parent.name}/{file.name}" for file in record.parent.iterdir()}
        errors += [f"{name} is not listed" for name in sorted(names - listed)]
    return errors


def snapshot(root):
    """Every file and link below a directory, with mode and contents."""
    return {
        path.relative_to(root).as_posix(): (
            path.lstat().st_mode,
            path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes(),
        )
        for path in sorted(Path(root).rglob("*"))
    }


def names(directory):
    """What a directory holds."""
    return sorted(path.name for path in directory.iterdir())


def times(root):
    """Modification and change times of a directory and of all below it."""
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_ctime_ns)
        for path in (Path(root), *Path(root).rglob("*"))
    }


class Look:
    """A survey with given classes, and reads only the manifests.

    Each fact is ``type module:qualname`` with ``True`` or the reason for which it cannot be loaded.
    """

    def __init__(self, facts):
        self.facts = dict(facts)
        self.calls = 0

    def __call__(self, locations, *, exclude=()):
        """Survey, by the given classes."""
        self.calls += 1
        return [self._survey(location) for location in locations]

    def _survey(self, location):
        is_module = location.kind is LocationKind.MODULE
        found = [] if is_module else Plugins.service_load([location.origin]).descriptors
        declared = {(each.type.name, f"{each.module}:{each.qualname}"): each for each in found}
        keys = {tuple(fact.split(" ")): state for fact, state in self.facts.items()}
        rows = [
            self._row(key, keys.get(key), declared.get(key), location)
            for key in sorted(keys.keys() | declared.keys())
        ]
        return Survey(location, rows, [], 0.0)

    def _row(self, key, state, manifest, location):
        module, _, qualname = key[1].partition(":")
        name = f"{module}.{qualname}"
        found = PluginDescriptor(TYPES[key[0]], module, qualname, name, "d", "1", location)
        if state is True:
            return SurveyedPlugin(found, manifest, loadable=True)
        reason = state or "import-timeout"
        loadable = None if reason in {"import-timeout", "import-crash"} else False
        return SurveyedPlugin(found, manifest, loadable=loadable, reason=reason)


class QuickDisk(Disk):
    """Does not wait for the medium, which most tests are not about."""

    def flush(self, descriptor):
        """Leave that to the system."""


class Place:
    """Builds one location and syncs it."""

    def __init__(self, path):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.facts = {}

    def module(self, name, text="", *, plugin=""):
        """Add a module's file; with ``plugin``, as a fact too."""
        file = self.path / f"{name.replace('.', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if plugin:
            self.facts[plugin] = True
        return file

    def distribution(self, name="shop", version="1.0", *, files=(), **made):
        """Add a dist-info that owns files of the location.

        The rest is ``manifest``, ``record=False``, lines for ``metadata``, or files by name.
        """
        record, metadata = made.pop("record", True), made.pop("metadata", "")
        directory = self.path / f"{name}-{version}.dist-info"
        directory.mkdir()
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}"
        contents = {"METADATA": text, "INSTALLER": "pip\n", **made}
        if "manifest" in contents:
            contents["entry_points.txt"] = contents.pop("manifest")
        for file, data in contents.items():
            (directory / file).write_bytes(data if isinstance(data, bytes) else data.encode())
        if record:
            owned = [*files, *(f"{directory.name}/{file}" for file in contents)]
            rows = [
                f"{f},{hashed(data)},{len(data)}\n"
                for f in owned
                for data in [(self.path / f).read_bytes()]
            ]
            rows.append(f"{directory.name}/RECORD,,\n")
            (directory / "RECORD").write_text("".join(sorted(rows)))
        return directory

    @property
    def locations(self):
        """What discovery makes of it."""
        return tuple(find_locations([self.path])[0])

    @property
    def look(self):
        """A survey that finds the facts."""
        return Look(self.facts)

    def sync(self, disk=None, look=None, patience_s=0.2, **options):
        """Sync it as the options say."""
        options.setdefault("locations", self.locations)
        return sync_manifests(
            SyncOptions(**options),
            disk=disk or QuickDisk(),
            look=look or self.look,
            patience_s=patience_s,
        )

    def declared(self):
        """What discovery reads from its manifests."""
        found = Plugins.service_load([self.path]).descriptors
        return sorted((each.type.name, each.class_name) for each in found)


@pytest.fixture
def place(tmp_path):
    """Makes locations by name."""
    return lambda name="shop": Place(tmp_path / "places" / name)


@pytest.fixture
def shop(place):
    """A location with one recorded distribution whose sink has no manifest."""
    built = place()
    built.module("shop", plugin="sink shop:ShopSink")
    built.distribution(files=["shop.py"])
    return built


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """Locks and extracted archives of a test are its own."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


@pytest.fixture
def wheel(tmp_path):
    """Makes wheels."""

    def make(name="shop", files=None, manifest=None, folder="wheels", extra=None):
        path = tmp_path / folder / f"{name}-1.0-py3-none-any.whl"
        path.parent.mkdir(parents=True, exist_ok=True)
        directory = f"{name}-1.0.dist-info"
        members = dict(files or {f"{name}.py": b""})
        members[f"{directory}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        members[f"{directory}/WHEEL"] = (
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        if manifest is not None:
            members[f"{directory}/entry_points.txt"] = manifest
        data = {n: d if isinstance(d, bytes) else d.encode() for n, d in members.items()}
        rows = [f"{n},{hashed(d)},{len(d)}\n" for n, d in data.items()]
        data[f"{directory}/RECORD"] = "".join([*rows, f"{directory}/RECORD,,\n"]).encode()
        data |= extra or {}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in data.items():
                archive.writestr(zipfile.ZipInfo(member, (2024, 1, 2, 3, 4, 6)), content)
        return path

    return make
