"""Real distributions beside a plugin: nothing of them is misread, and each plugin has its own."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

from plugwright.plugins import PLUGIN_TYPES, Plugins, find_locations, survey
from plugwright_toolkit.manifests import SyncOptions, sync_manifests

pytestmark = [pytest.mark.drill, pytest.mark.timeout(900)]  # pip downloads

SINK = """from plugwright import SinkConnector
{imports}
class Sink(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""
MANIFEST = "[plugwright.SinkConnector]\ns = shop:Sink\n"
META = "Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n"
DISTRIBUTIONS = [
    "requests", "urllib3", "idna", "certifi", "charset-normalizer", "PyYAML", "six", "attrs",
    "jinja2", "MarkupSafe", "click", "pytz", "python-dateutil", "protobuf",
    "googleapis-common-protos",
    "zope.interface", "ruamel.yaml", "msgpack", "lxml", "pydantic", "SQLAlchemy", "setuptools",
    "virtualenv", "jsonschema", "simplejson", "redis", "stevedore", "pluggy", "tzdata",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))


def _install(directory, *requirements):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    options = ["--quiet", "--only-binary=:all:", f"--target={directory}", *requirements]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"pip cannot install them: {done.stderr.strip()[-500:]}")


def _plugin(directory, imports=""):
    (directory / "shop.py").write_text(SINK.format(imports=imports))
    own = directory / "shop-1.0.dist-info"
    own.mkdir()
    (own / "METADATA").write_text(META)
    (own / "entry_points.txt").write_text(MANIFEST)
    (own / "RECORD").write_text(f"shop.py,,\n{own.name}/entry_points.txt,,\n")


def test_beside_thirty_real_distributions_there_is_one_plugin(tmp_path):
    """In every mode, and sync-manifests finds nothing to do, as the standard library sees it."""
    location = tmp_path / "path" / "shop"
    _install(location, *DISTRIBUTIONS)
    _plugin(location)
    installed = list(importlib.metadata.distributions(path=[str(location)]))
    assert len(installed) >= 25
    for mode in ("only_scan", "hybrid_warn", "hybrid_fail", "service_load"):
        found = Plugins.discover([location.parent], mode)
        assert [each.class_name for each in found.descriptors] == ["shop.Sink"], mode
        assert [each.version for each in found.descriptors] == ["1.0"]
        assert not [d for d in found.diagnostics if d.level.value == "error"]
    groups = {kind.group for kind in PLUGIN_TYPES}
    entries = [e for each in installed for e in each.entry_points if e.group in groups]
    assert [entry.value for entry in entries] == ["shop:Sink"]
    locations, findings = find_locations([location])
    assert [each.path for each in locations] == [location]
    assert [f.code for f in findings] == ["location-not-container"]
    assert not sync_manifests(SyncOptions(locations=tuple(locations))).needed


OWN = {
    "numpy": ("numpy>=1.26,<2", "import numpy\nassert numpy.float_ and numpy.__version__ < '2'"),
    "packaging": ("packaging==21.3", "from packaging.version import LegacyVersion"),
    "iniconfig": ("iniconfig==1.1.1", "import iniconfig\nassert not hasattr(iniconfig, '_parse')"),
}


@pytest.mark.parametrize(("requirement", "imports"), OWN.values(), ids=OWN)
def test_a_plugin_is_proved_with_its_own_version(tmp_path, requirement, imports):
    """Which is not the one beside the runtime; its manifest stays."""
    location = tmp_path / "path" / "shop"
    _install(location, requirement)
    _plugin(location, imports)
    locations, _ = find_locations([location.parent])
    (found,) = survey(locations)
    assert [(row.loadable, row.reason) for row in found.plugins] == [(True, "")]
    result = sync_manifests(SyncOptions(locations=tuple(locations)))
    assert (result.needed, result.failed) == (False, False)


def test_a_real_package_that_holds_a_plugin_keeps_its_manifest(tmp_path):
    """A plugin in a package whose name also stands beside the runtime."""
    location = tmp_path / "path" / "shop"
    _install(location, "iniconfig==1.1.1")
    (location / "iniconfig" / "sink.py").write_text(SINK.format(imports=""))
    (own,) = location.glob("iniconfig-*.dist-info")
    text = "[plugwright.SinkConnector]\ns = iniconfig.sink:Sink\n"
    (own / "entry_points.txt").write_text(text)
    locations, _ = find_locations([location.parent])
    assert not sync_manifests(SyncOptions(locations=tuple(locations))).failed
    assert (own / "entry_points.txt").read_text() == text
