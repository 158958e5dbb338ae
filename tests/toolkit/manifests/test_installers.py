"""What a sync leaves can be installed, listed and removed by the tools that people use."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from tests.toolkit.manifests.conftest import Look, Place, names, record_errors

from plugwright.plugins import Location, LocationKind, find_locations
from plugwright_toolkit.manifests import SyncOptions, sync_manifests

pytestmark = pytest.mark.slow

UV = shutil.which("uv", path=sysconfig.get_path("scripts")) or shutil.which("uv")
FOUND = {"sink shop:ShopSink": True}


@pytest.fixture
def environment(tmp_path):
    """A virtual environment with nothing in it."""
    directory = tmp_path / "venv"
    venv.create(directory, with_pip=False)
    (packages,) = directory.glob("lib/python*/site-packages")
    (packages / "other.py").touch()  # pip removes directories that it empties
    return directory, packages


def _pip(directory, *arguments):
    command = [sys.executable, "-m", "pip", "--python", directory / "bin" / "python"]
    command += ["--disable-pip-version-check", "--no-input", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _synced(path, location=None):
    locations = (location,) if location else tuple(find_locations([path])[0])
    result = sync_manifests(SyncOptions(locations=locations), look=Look(FOUND))
    assert result.changed
    return path


def test_pip_removes_a_synced_distribution_without_a_trace(environment, wheel):
    """Case 87: what the sync has added is in RECORD."""
    directory, packages = environment
    before = names(packages)
    _pip(directory, "install", "--no-deps", "--no-index", "--no-compile", wheel())
    _synced(packages, Location(packages, LocationKind.VENV, directory))
    assert (packages / "shop-1.0.dist-info" / "entry_points.txt").exists()
    assert record_errors(packages) == []
    _pip(directory, "uninstall", "-y", "shop")
    assert names(packages) == before


def test_pip_removes_the_shim_without_a_trace(environment):
    """It is a distribution like any other."""
    directory, packages = environment
    before = names(packages)
    place = Place(packages)
    place.module("shop")
    _synced(packages, Location(packages, LocationKind.VENV, directory))
    assert "connect-plugin-path-shim" in _pip(directory, "list")
    _pip(directory, "uninstall", "-y", "connect-plugin-path-shim")
    assert names(packages) == sorted([*before, "shop.py"])


def test_pip_installs_a_synced_wheel(environment, wheel):
    """Case 103: the manifest arrives."""
    directory, packages = environment
    _pip(directory, "install", "--no-deps", "--no-index", "--no-compile", _synced(wheel()))
    assert (packages / "shop-1.0.dist-info" / "entry_points.txt").exists()
    assert record_errors(packages) == []
    _pip(directory, "uninstall", "-y", "shop")
    assert not list(packages.glob("shop*"))


@pytest.mark.skipif(UV is None, reason="uv is not installed")
def test_uv_installs_and_removes_a_synced_wheel(environment, wheel):
    """Case 103: without hard feelings about RECORD."""
    directory, packages = environment
    python = directory / "bin" / "python"
    common = ["--offline", "--python", python]
    path = _synced(wheel())
    subprocess.run([UV, "pip", "install", "--no-deps", *common, path], check=True)
    assert (packages / "shop-1.0.dist-info" / "entry_points.txt").exists()
    subprocess.run([UV, "pip", "uninstall", *common, "shop"], check=True)
    assert not list(packages.glob("shop*"))


@pytest.mark.skipif(importlib.util.find_spec("installer") is None, reason="installer is missing")
def test_installer_installs_a_synced_wheel(wheel, tmp_path):
    """Case 103: it validates RECORD, of which it is the strictest reader."""
    target = tmp_path / "target"
    path = _synced(wheel())
    command = [sys.executable, "-m", "installer", "--validate-record", "all"]
    subprocess.run([*command, "--destdir", target, path], check=True)
    assert list(Path(target).rglob("entry_points.txt"))
