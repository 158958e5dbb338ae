"""The checked-in metadata of the bundled plugins is what building them gives."""

from __future__ import annotations

import tomllib
from email import message_from_string
from itertools import chain
from pathlib import Path

import importlib_metadata
import pytest
from packaging.requirements import Requirement

from plugwright.plugins import Plugins

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
LOCATIONS = ["file-source", "file-sink", "lake", "legacy-sink", "singer", "sql"]
CLASSES = {
    "file-source": ["plugwright_file_source.FileStreamSourceConnector"],
    "file-sink": ["plugwright_file_sink.FileStreamSinkConnector"],
    "lake": ["plugwright_lake.LakeSinkConnector", "plugwright_lake.LakeSourceConnector"],
    "singer": [
        "plugwright_singer.SingerSinkConnector",
        "plugwright_singer.SingerSourceConnector",
    ],
    "sql": ["plugwright_sql.SqlSinkConnector", "plugwright_sql.SqlSourceConnector"],
}


def _project(location):
    return tomllib.loads((PLUGIN_PATH / location / "pyproject.toml").read_text("utf-8"))["project"]


def _dist_info(location):
    (directory,) = (PLUGIN_PATH / location).glob("*.dist-info")
    return directory


def _metadata(location):
    return message_from_string((_dist_info(location) / "METADATA").read_text("utf-8"))


@pytest.mark.parametrize("location", LOCATIONS)
def test_the_core_metadata_is_that_of_the_project(location):
    """Field by field."""
    project, metadata = _project(location), _metadata(location)
    assert {
        "name": metadata["Name"],
        "version": metadata["Version"],
        "description": metadata["Summary"],
        "license": metadata["License-Expression"],
        "license-files": metadata.get_all("License-File"),
        "requires-python": metadata["Requires-Python"],
    }.items() <= project.items()


@pytest.mark.parametrize("location", LOCATIONS)
def test_the_requirements_are_those_of_the_project(location):
    """Compared as requirements: a build writes them in its own spelling."""
    built = {Requirement(text) for text in _metadata(location).get_all("Requires-Dist")}
    project = _project(location)
    optional = {
        Requirement(f"{text}; extra == '{extra}'")
        for extra, texts in project.get("optional-dependencies", {}).items()
        for text in texts
    }
    assert built == {Requirement(text) for text in project["dependencies"]} | optional


@pytest.mark.parametrize("location", LOCATIONS)
def test_the_long_description_is_the_readme(location):
    """Word for word."""
    readme = (PLUGIN_PATH / location / "README.md").read_text("utf-8")
    assert _metadata(location).get_payload().strip() == readme.strip()


@pytest.mark.parametrize("location", LOCATIONS)
def test_the_directory_is_named_after_the_project(location):
    """Name and version, normalized."""
    project = _project(location)
    name = project["name"].replace("-", "_")
    assert _dist_info(location).name == f"{name}-{project['version']}.dist-info"


@pytest.mark.parametrize("location", LOCATIONS)
def test_the_licence_is_the_one_beside_the_project(location):
    """Copied by the build."""
    built = (_dist_info(location) / "licenses" / "LICENSE").read_bytes()
    assert built == (PLUGIN_PATH / location / "LICENSE").read_bytes()


@pytest.mark.parametrize("location", CLASSES)
def test_the_manifest_is_that_of_the_project(location):
    """Read by importlib_metadata."""
    text = (_dist_info(location) / "entry_points.txt").read_text("utf-8")
    found = {(e.group, e.name, e.value) for e in importlib_metadata.EntryPoints._from_text(text)}
    groups = _project(location)["entry-points"].items()
    assert found == {(group, *entry) for group, entries in groups for entry in entries.items()}


def test_the_legacy_sink_has_no_manifest():
    """That is what it is there for."""
    assert not (_dist_info("legacy-sink") / "entry_points.txt").exists()
    assert "entry-points" not in _project("legacy-sink")


def test_service_load_finds_what_has_a_manifest():
    """Nothing is wrong with the rest."""
    found = Plugins.service_load([PLUGIN_PATH])
    assert [plugin.class_name for plugin in found.descriptors] == sorted(chain(*CLASSES.values()))
    assert found.diagnostics == []


@pytest.mark.parametrize("location", CLASSES)
def test_the_version_in_the_code_is_that_of_the_project(location):
    """A worker reports the one, discovery the other."""
    found = Plugins.service_load([PLUGIN_PATH / location])
    connectors = [found.load(descriptor)() for descriptor in found.descriptors]
    versions = [(each.version(), each.task_class()().version()) for each in connectors]
    version = _project(location)["version"]
    assert versions == [(version, version)] * len(CLASSES[location])


def test_the_version_of_the_legacy_sink_is_that_of_its_project():
    """It can be found by import only."""
    from legacy_sink import LegacySinkConnector  # noqa: PLC0415  # from its location

    connector = LegacySinkConnector()
    assert connector.version() == _project("legacy-sink")["version"]
    assert connector.task_class()().version() == _project("legacy-sink")["version"]
