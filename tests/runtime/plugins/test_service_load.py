"""Discovery by manifests: broken distributions hide no other, and nothing is imported."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from plugwright.plugins import DiagnosticLevel, Plugins

MANIFEST = "[plugwright.SinkConnector]\na = shop:ShopSinkConnector\n"


def _load(*builders):
    return Plugins.service_load([builder.path for builder in builders])


def _codes(found):
    return [(diagnostic.code, diagnostic.level) for diagnostic in found.diagnostics]


def test_a_plugin_is_what_its_manifest_says(place):
    """Class, name, distribution, version, location."""
    shop = place()
    shop.distribution(entry_points=MANIFEST)
    (plugin,) = _load(shop).descriptors
    assert (plugin.class_name, plugin.entry_name) == ("shop.ShopSinkConnector", "a")
    assert (plugin.distribution, plugin.version) == ("shop", "1.0")
    assert (plugin.type.name, plugin.location) == ("sink", shop.location)


def test_nothing_is_imported(place, tmp_path):
    """A module that leaves a trace when it runs leaves none (KIP-898)."""
    shop, trace = place("plugins"), tmp_path / "trace"
    spoor = f"open({str(trace)!r}, 'w').close()\n"
    shop.module("shop", spoor)
    shop.module("sitecustomize", spoor)
    shop.module("conftest", spoor)
    (shop.path / "all.pth").write_text(f"import sys; {spoor}")
    shop.distribution(entry_points=MANIFEST)
    assert len(_load(shop).descriptors) == 1
    assert not trace.exists()


def test_the_trace_would_have_been_seen(place, tmp_path):
    """The control of the test above: loading runs the module."""
    shop, trace = place("plugins"), tmp_path / "trace"
    base = "import plugwright\nclass ShopSinkConnector(plugwright.SinkConnector): pass\n"
    shop.module("shop", f"open({str(trace)!r}, 'w').close()\n{base}")
    shop.distribution(entry_points=MANIFEST)
    found = _load(shop)
    found.load(found.descriptors[0])
    assert trace.exists()


@pytest.mark.slow
def test_discovery_imports_neither_spark_nor_kafka():
    """It costs next to nothing."""
    script = (
        "import sys, plugwright.plugins\n"
        "heavy = {'pyspark', 'confluent_kafka', 'pyarrow', 'asyncio'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def _directory(path):
    path.mkdir()


def _loop(path):
    path.symlink_to(path)


def _endless(path):
    path.symlink_to("/dev/zero")


def _large(path):
    path.write_bytes(b"#" * (1 << 20) + b"\n")


def _wide(path):
    path.write_bytes(MANIFEST.encode("utf-16"))


@pytest.mark.parametrize(
    ("make", "code", "level"),
    [
        (_directory, "ep-not-regular", DiagnosticLevel.ERROR),
        (os.mkfifo, "ep-not-regular", DiagnosticLevel.ERROR),
        (_loop, "ep-not-regular", DiagnosticLevel.ERROR),
        (_endless, "ep-not-regular", DiagnosticLevel.ERROR),
        (_large, "ep-too-large", DiagnosticLevel.ERROR),
        (_wide, "ep-encoding", DiagnosticLevel.WARNING),
    ],
    ids=["directory", "pipe", "loop", "device", "large", "utf-16"],
)
def test_a_manifest_that_is_none_hides_no_other(place, make, code, level):
    """Cases 6 and 8 to 12: it is reported, and the next distribution is read."""
    shop = place()
    make(shop.distribution("bad", entry_points=None) / "entry_points.txt")
    shop.distribution(entry_points=MANIFEST)
    found = _load(shop)
    assert ([p.distribution for p in found.descriptors], _codes(found)) == (
        ["shop"],
        [(code, level)],
    )
    assert found.diagnostics[0].file == "bad-1.0.dist-info/entry_points.txt"


def test_a_manifest_of_exactly_the_limit_is_read(place):
    """1 MiB."""
    shop = place()
    data = MANIFEST.encode()
    shop.distribution(entry_points=b"#" * ((1 << 20) - len(data) - 1) + b"\n" + data)
    assert len(_load(shop).descriptors) == 1


def test_an_unreadable_manifest_hides_no_other(place, monkeypatch):
    """Case 26: the reason is the system's."""
    shop = place()
    shop.distribution("bad", entry_points=MANIFEST)
    shop.distribution(entry_points=MANIFEST)
    real = os.open

    def refuse(path, *rest, **options):
        if "bad-1.0" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *rest, **options)

    monkeypatch.setattr(os, "open", refuse)
    found = _load(shop)
    assert _codes(found) == [("ep-unreadable", DiagnosticLevel.ERROR)]
    assert "Permission denied" in str(found.diagnostics[0])


def test_a_location_that_cannot_be_listed_is_reported(place, monkeypatch):
    """And the others are read."""
    bad, good = place("bad"), place("good")
    bad.distribution(entry_points=MANIFEST)
    good.distribution(entry_points=MANIFEST)
    real = os.open

    def refuse(path, *rest, **options):
        if path == bad.path:
            raise OSError(5, "Input/output error")
        return real(path, *rest, **options)

    monkeypatch.setattr(os, "open", refuse)
    found = _load(bad, good)
    assert (len(found.descriptors), _codes(found)) == (
        1,
        [("ep-unreadable", DiagnosticLevel.ERROR)],
    )


@pytest.mark.parametrize("make", [os.mkfifo, _directory, _endless], ids=["pipe", "dir", "device"])
def test_metadata_that_is_no_file_does_not_hang_the_scan(place, make):
    """The version is the directory's."""
    shop = place()
    make(shop.distribution(entry_points=MANIFEST, metadata=False) / "METADATA")
    found = _load(shop)
    assert found.descriptors[0].version == "1.0"
    assert _codes(found) == [("no-metadata", DiagnosticLevel.NOTE)]


def test_without_metadata_the_directory_tells_name_and_version(place):
    """Case 23: with a note."""
    shop = place()
    shop.distribution("shop", "2.5", entry_points=MANIFEST, metadata=False)
    found = _load(shop)
    assert (found.descriptors[0].distribution, found.descriptors[0].version) == ("shop", "2.5")
    assert _codes(found) == [("no-metadata", DiagnosticLevel.NOTE)]


def test_an_egg_info_directory_is_read_too(place):
    """Its metadata file is PKG-INFO, of which the header counts."""
    shop = place()
    directory = shop.path / "shop.egg-info"
    directory.mkdir()
    (directory / "PKG-INFO").write_text("Version: 3.1\r\n\r\nName: not the header\r\n")
    (directory / "entry_points.txt").write_text(MANIFEST)
    (plugin,) = _load(shop).descriptors
    assert (plugin.distribution, plugin.version) == ("shop", "3.1")


def test_an_unusual_spelling_of_the_directory_is_found(place):
    """Case 24: some installers keep the project's own spelling."""
    shop = place()
    shop.distribution("x", entry_points=MANIFEST).rename(shop.path / "My.Pkg-1.0.Dist-Info")
    assert len(_load(shop).descriptors) == 1


def test_a_file_named_like_a_metadata_directory_is_ignored(place):
    """Case 25: without a word."""
    shop = place()
    shop.distribution(entry_points=MANIFEST)
    (shop.path / "other-1.0.dist-info").touch()
    found = _load(shop)
    assert (len(found.descriptors), found.diagnostics) == (1, [])


@pytest.mark.parametrize("target", ["gone", "shop-0.9.dist-info"], ids=["dangling", "loop"])
def test_a_link_that_leads_nowhere_is_no_metadata_directory(place, target):
    """Without a word."""
    shop = place()
    shop.distribution(entry_points=MANIFEST)
    (shop.path / "shop-0.9.dist-info").symlink_to(shop.path / target)
    found = _load(shop)
    assert (len(found.descriptors), found.diagnostics) == (1, [])


def test_an_empty_leftover_hides_nothing(place):
    """Case 21: what an upgrade in place leaves behind."""
    shop = place()
    (shop.path / "shop-0.9.dist-info").mkdir()
    shop.distribution(entry_points=MANIFEST)
    found = _load(shop)
    assert ([p.version for p in found.descriptors], found.diagnostics) == (["1.0"], [])


@pytest.mark.parametrize(
    ("old", "new"), [("1.9", "1.10"), ("2.0rc1", "2.0"), ("bad version", "0.1")]
)
def test_of_two_versions_of_a_project_the_newer_counts(place, old, new):
    """Case 22: versions compare as packaging says; the old one is reported."""
    shop = place()
    shop.distribution("My.Shop", old, entry_points=MANIFEST)
    shop.distribution("my_shop", new, entry_points=MANIFEST)
    found = _load(shop)
    assert [plugin.version for plugin in found.descriptors] == [new]
    assert _codes(found) == [("dist-duplicate", DiagnosticLevel.WARNING)]
    assert found.diagnostics[0].file == f"My.Shop-{old}.dist-info"


def test_of_two_versions_the_one_with_metadata_counts(place):
    """Half a directory is a leftover, whatever its version."""
    shop = place()
    shop.distribution("shop", "2.0", entry_points=MANIFEST, metadata=False)
    shop.distribution("shop", "1.0", entry_points=MANIFEST)
    assert [plugin.version for plugin in _load(shop).descriptors] == ["1.0"]


def test_a_problem_in_a_manifest_says_where(place):
    """Location, file and line."""
    shop = place()
    shop.distribution(entry_points=MANIFEST + "b = nothing\n")
    (diagnostic,) = _load(shop).diagnostics
    assert str(diagnostic) == (
        f"ep-syntax: {shop.path}/shop-1.0.dist-info/entry_points.txt:3: "
        "expected 'module:Class', found 'nothing'"
    )
