"""Discovery by manifests against importlib_metadata, over locations that are well made."""

from __future__ import annotations

from pathlib import Path

import importlib_metadata
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plugwright.plugins import PLUGIN_TYPES, Plugins

GROUPS = sorted(kind.group for kind in PLUGIN_TYPES)
FOREIGN = ["console_scripts", "pytest11", "a.b.c"]


def _ours(root):
    found = Plugins.service_load([root])
    return sorted(
        (p.distribution, p.version, p.type.group, p.entry_name, f"{p.module}:{p.qualname}")
        for p in found.descriptors
    )


def _theirs(root):
    return sorted(
        (each.metadata["Name"], each.metadata["Version"], e.group, e.name, f"{e.module}:{e.attr}")
        for each in importlib_metadata.distributions(path=[str(root)])
        for e in each.entry_points
        if e.group in GROUPS
    )


WORDS = st.from_regex(r"[a-z][a-z0-9_]{0,4}", fullmatch=True)
VALUES = st.builds("{}.{}:{}".format, WORDS, WORDS, WORDS)
ENTRIES = st.dictionaries(WORDS, VALUES, max_size=3)
MANIFESTS = st.dictionaries(st.sampled_from(GROUPS + FOREIGN), ENTRIES, max_size=4)
VERSIONS = st.sampled_from(["1.0", "2.0rc1", "1!3.0.post1", "0.0.dev0+local"])
PROJECTS = st.dictionaries(WORDS, st.tuples(VERSIONS, MANIFESTS), max_size=4)


def _install(root, name, version, manifest, *, egg=False):
    directory = root / (f"{name}.egg-info" if egg else f"{name}-{version}.dist-info")
    directory.mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nA text.\n"
    (directory / ("PKG-INFO" if egg else "METADATA")).write_text(text)
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for group, entries in manifest.items()
    ]
    (directory / "entry_points.txt").write_text("\n".join(lines))


@pytest.mark.slow
@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(projects=PROJECTS, egg=st.booleans())
def test_well_formed_locations_are_read_as_the_library_reads_them(tmp_path_factory, projects, egg):
    """Cases 1, 7 and 28: distribution, version, group, name and object."""
    root = tmp_path_factory.mktemp("location")
    for name, (version, manifest) in projects.items():
        _install(root, name, version, manifest, egg=egg)
    assert _ours(root) == _theirs(root)


@pytest.mark.parametrize("directory", ["My.Pkg-1.0.Dist-Info", "my_pkg-1.0.dist-info"])
def test_spellings_of_directories_that_the_library_knows_are_known(tmp_path, directory):
    """Case 24: some installers keep the project's own spelling."""
    _install(tmp_path, "x", "1", {GROUPS[0]: {"a": "b:C"}})
    (tmp_path / "x-1.dist-info").rename(tmp_path / directory)
    assert _ours(tmp_path) == _theirs(tmp_path) == [("x", "1", GROUPS[0], "a", "b:C")]


@pytest.mark.parametrize("name", ["file-source", "file-sink"])
def test_the_bundled_locations_are_read_as_the_library_reads_them(name):
    """What a real build and a real installer have made."""
    root = Path(__file__).parents[3] / "plugin-path" / name
    assert _ours(root) == _theirs(root)
    assert len(_ours(root)) == 1
