"""A plugin is judged with the libraries that it would run with, and by its own import alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from plugwright.import_order import placed
from plugwright.plugins import Plugins, survey
from plugwright_toolkit.manifests import SyncOptions, render_text, sync_manifests

pytestmark = pytest.mark.slow

SINK = """
from plugwright import SinkConnector
class {name}(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""
MANIFEST = "[plugwright.SinkConnector]\ns = {module}:{name}\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))


def _rows(shop):
    (found,) = survey([shop.location])
    return {row.plugin.class_name: (row.loadable, row.reason) for row in found.plugins}


def _package(shop, name, text):
    (shop.path / name).mkdir()
    (shop.path / name / "__init__.py").write_text(text)


def _sync(shop):
    return sync_manifests(SyncOptions(locations=(shop.location,), edit_unrecorded=True))


def test_a_package_named_as_one_beside_the_runtime_keeps_its_manifest(place):
    """``iniconfig`` comes with pytest; the location's own holds a plugin."""
    shop = place()
    _package(shop, "iniconfig", SINK.format(name="IniSink"))
    manifest = MANIFEST.format(module="iniconfig", name="IniSink")
    dist = shop.distribution("iniconfig", entry_points=manifest)
    result = _sync(shop)
    assert (result.changed, result.failed) == (False, False)
    assert (dist / "entry_points.txt").read_text() == manifest
    assert _rows(shop) == {"iniconfig.IniSink": (True, "")}


def test_a_plugin_is_proved_with_the_version_that_its_location_has(place):
    """A stand-in for numpy 1.26 beside numpy 2: the older name is only in the location's."""
    shop = place()
    _package(shop, "numpy", "__version__ = '1.26.0'\nfloat_ = float\n")
    shop.module("shop", "import numpy\nnumpy.float_\n" + SINK.format(name="Sink"))
    shop.distribution(entry_points=MANIFEST.format(module="shop", name="Sink"))
    assert _rows(shop) == {"shop.Sink": (True, "")}


def test_a_plugin_that_needs_its_own_packaging_can_be_loaded(place):
    """And is loaded; hybrid_fail has nothing against it."""
    shop = place("c/shop")
    _package(shop, "packaging", "class LegacyVersion: pass\n")
    text = "from packaging import LegacyVersion\n" + SINK.format(name="Sink")
    shop.module("own_packaging", text)
    shop.distribution(entry_points=MANIFEST.format(module="own_packaging", name="Sink"))
    assert _rows(shop) == {"own_packaging.Sink": (True, "")}
    found = Plugins.discover([shop.path.parent], "hybrid_fail")
    assert [each.class_name for each in found.descriptors] == ["own_packaging.Sink"]


def test_what_only_the_host_has_is_the_hosts(place):
    """A location need not bring everything along."""
    shop = place()
    shop.module("shop", "import packaging.version\n" + SINK.format(name="Sink"))
    assert _rows(shop) == {"shop.Sink": (True, "")}


ORDER = "import json, sys\nraise ValueError(json.dumps(sys.path))"


def test_confirmation_has_the_path_of_sparks_workers(place):
    """As far as both can have it: library, location, what is installed."""
    shop = place()
    shop.module("shop", f"# plugwright SinkConnector\n{ORDER}")
    shop.distribution(entry_points=MANIFEST.format(module="shop", name="Sink"))
    (found,) = survey([shop.location])
    (failure,) = [each for each in found.diagnostics if each.code == "import-error"]
    confirmed = json.loads(failure.message.partition("ValueError: ")[2])
    site = Path(__file__).parents[3] / "runtime/plugwright/spark/_site"
    done = subprocess.run(
        [sys.executable, "-c", "import json, sys; print(json.dumps(sys.path))"],
        env={"PYTHONPATH": str(site), "PLUGWRIGHT_LOCATIONS": str(shop.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    spark = json.loads(done.stdout)
    for path in (confirmed, spark):
        rest = [entry for entry in path if entry != str(shop.path)]
        assert path == placed(rest, [str(shop.path)])
        assert 0 < path.index(str(shop.path)) < len(path) - 1


MEDDLERS = {
    "replaces": "import sys, types\nsys.modules['zz_shop'] = types.ModuleType('zz_shop')\n",
    "hides": "import sys\nsys.path.clear()\nsys.meta_path.clear()\n",
    "spoils": "import plugwright\nplugwright.SinkConnector = object\n",
    "raises later": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.0001)\n",
    "breaks imports": "import builtins\nbuiltins.__build_class__ = None\n",
}


@pytest.mark.parametrize("meddling", MEDDLERS.values(), ids=MEDDLERS)
def test_a_module_says_nothing_against_those_after_it(place, meddling):
    """Each runs alone later; so the manifest of an innocent one stays, and it can be loaded."""
    shop = place()
    shop.module("aa_shop", f"{meddling}# plugwright SinkConnector\n")
    shop.module("zz_shop", SINK.format(name="Sink"))
    manifest = (
        "[plugwright.SinkConnector]\na = aa_shop:Gone\nb = zz_shop:Sink\nc = zz_shop:Missing\n"
    )
    dist = shop.distribution(entry_points=manifest)
    assert _rows(shop)["zz_shop.Sink"] == (True, "")
    assert _rows(shop)["zz_shop.Missing"] == (False, "name-missing")
    _sync(shop)
    assert "b = zz_shop:Sink" in (dist / "entry_points.txt").read_text().splitlines()


def test_what_python_takes_from_the_host_proves_nothing_of_the_location(place):
    """The manifest stays although the host's package has no such module's name."""
    shop = place()
    (shop.path / "packaging").mkdir()
    shop.module("packaging/version", SINK.format(name="Sink"))
    manifest = MANIFEST.format(module="packaging.version", name="Sink")
    dist = shop.distribution(entry_points=manifest)
    result = _sync(shop)
    assert not result.changed, render_text(result)
    assert (dist / "entry_points.txt").read_text() == manifest
    assert _rows(shop) == {"packaging.version.Sink": (None, "host-copy")}


def test_the_order_is_made_in_one_module_only():
    """No other module puts a location on an import path."""
    root = Path(__file__).parents[3] / "runtime"
    text = {path: path.read_text() for path in root.rglob("*.py")}
    makers = {path.name for path, code in text.items() if "sys.path[:]" in code}
    assert makers == {"import_order.py", "sitecustomize.py", "location.py"}
    assert os.linesep.join(text.values()).count("os.path.dirname(os.__file__)") == 1
