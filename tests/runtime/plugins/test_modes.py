"""The four modes of discovery (KIP-898), with the legacy sink as the plugin without a manifest."""

from __future__ import annotations

import logging
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from plugwright.errors import ConfigError, DiscoveryError
from plugwright.plugins import (
    CONVERTER,
    SINK,
    SOURCE,
    DiagnosticLevel,
    DiscoveryMode,
    PluginDescriptor,
    Plugins,
)
from plugwright.plugins.location_log import log_location

PLUGIN_PATH = Path(__file__).parents[3] / "plugin-path"
LEGACY = PLUGIN_PATH / "legacy-sink"
ROW = f"{LEGACY}\tlegacy_sink.connector.LegacySinkConnector\tsink\t0.3.0"
SINK_TEXT = """
from plugwright import SinkConnector
class A(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""


def _rows(found):
    return sorted((p.class_name, p.version) for p in found.descriptors)


def _codes(found):
    return [d.code for d in found.diagnostics if d.level is not DiagnosticLevel.NOTE]


@pytest.mark.parametrize("mode", DiscoveryMode)
@pytest.mark.parametrize("spell", [str.upper, str.title, str.lower], ids=lambda f: f.__name__)
def test_modes_are_named_in_any_case(mode, spell):
    """As in Kafka."""
    assert DiscoveryMode.parse(spell(mode.value)) is mode


def test_plugins_without_manifests_are_usable_in_two_modes():
    """Which scan, and start nevertheless."""
    usable = [mode.value for mode in DiscoveryMode if not mode.requires_manifests]

    assert usable == ["only_scan", "hybrid_warn"]


def test_an_unknown_mode_is_refused():
    """With all four."""
    text = r"must be one of \[only_scan, hybrid_warn, hybrid_fail, service_load\]"
    with pytest.raises(ConfigError, match=text) as caught:
        Plugins.discover([], "fast")
    assert caught.value.facts["value"] == "fast"


def test_service_load_does_not_see_the_legacy_sink():
    """Case 70: nor does it complain."""
    found = Plugins.discover([PLUGIN_PATH], "service_load")
    assert _rows(found) == [
        ("plugwright_file_sink.FileStreamSinkConnector", "0.1.0"),
        ("plugwright_file_source.FileStreamSourceConnector", "0.1.0"),
        ("plugwright_lake.LakeSinkConnector", "0.1.0"),
        ("plugwright_lake.LakeSourceConnector", "0.1.0"),
        ("plugwright_singer.SingerSinkConnector", "0.1.0"),
        ("plugwright_singer.SingerSourceConnector", "0.1.0"),
        ("plugwright_sql.SqlSinkConnector", "0.1.0"),
        ("plugwright_sql.SqlSourceConnector", "0.1.0"),
    ]
    assert found.diagnostics == []


@pytest.mark.slow
def test_only_scan_sees_the_legacy_sink():
    """Case 70: every class under the module that defines it, with its distribution's version."""
    found = Plugins.discover([PLUGIN_PATH], DiscoveryMode.ONLY_SCAN)
    assert _rows(found) == [
        ("legacy_sink.connector.LegacySinkConnector", "0.3.0"),
        ("plugwright_file_sink.connector.FileStreamSinkConnector", "0.1.0"),
        ("plugwright_file_source.connector.FileStreamSourceConnector", "0.1.0"),
        ("plugwright_lake.connector.LakeSinkConnector", "0.1.0"),
        ("plugwright_lake.source_connector.LakeSourceConnector", "0.1.0"),
        ("plugwright_singer.sink_connector.SingerSinkConnector", "0.1.0"),
        ("plugwright_singer.source_connector.SingerSourceConnector", "0.1.0"),
        ("plugwright_sql.sink_connector.SqlSinkConnector", "0.1.0"),
        ("plugwright_sql.source_connector.SqlSourceConnector", "0.1.0"),
    ]
    assert _codes(found) == []
    java = "org.apache.kafka.connect.file.FileStreamSinkConnector"
    assert found.find(java, SINK).module == "plugwright_file_sink.connector"


@pytest.mark.slow
def test_hybrid_warn_lists_the_legacy_sink(caplog):
    """Case 70: in the union, and in one warning with location, class, type and version.

    It is the caller's to print, so it is not logged as well.
    """
    found = Plugins.discover([PLUGIN_PATH], DiscoveryMode.HYBRID_WARN)
    assert len(found.descriptors) == 9
    (finding,) = (d for d in found.diagnostics if d.level is not DiagnosticLevel.NOTE)
    assert (finding.level, finding.code) == (DiagnosticLevel.WARNING, "manifest-missing")
    assert f"plugin.discovery=service_load: [\n{ROW}\n]\n" in finding.message
    assert finding.hint.endswith("set plugin.discovery=only_scan in the worker config.")
    assert not any("manifests" in r.getMessage() for r in caplog.records)


@pytest.mark.slow
def test_hybrid_fail_refuses_the_legacy_sink():
    """Case 70: before anything starts."""
    with pytest.raises(DiscoveryError, match="One or more plugins are missing") as caught:
        Plugins.discover([PLUGIN_PATH], "HYBRID_FAIL")
    assert caught.value.facts["missing"] == [ROW]
    assert caught.value.code == "discovery.missing-manifest"
    assert str(caught.value).endswith("set plugin.discovery=hybrid_warn in the worker config.")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["hybrid_warn", "hybrid_fail"])
def test_where_all_have_manifests_service_load_is_suggested(mode):
    """As a note, for nothing is wrong."""
    path = [PLUGIN_PATH / "file-sink", PLUGIN_PATH / "file-source"]
    found = Plugins.discover(path, mode)
    assert len(found.descriptors) == 2
    (finding,) = (d for d in found.diagnostics if d.code == "manifests-complete")
    assert finding.level is DiagnosticLevel.NOTE
    assert finding.message == (
        "All plugins have ServiceLoader manifests, "
        "consider reconfiguring plugin.discovery=service_load"
    )


@pytest.mark.parametrize(
    "mode", ["service_load", pytest.param("only_scan", marks=[pytest.mark.slow])]
)
def test_each_location_is_logged_once(caplog, mode):
    """At the level of information, with the number of plugins and the time it took."""
    caplog.set_level(logging.INFO)
    path = PLUGIN_PATH / "file-sink"
    Plugins.discover([path], mode)
    (text,) = (r.getMessage() for r in caplog.records if r.levelno == logging.INFO)
    assert re.fullmatch(rf"Loading plugin from: {path} \(1 plugins in \d+\.\d\d s\)", text)


@pytest.mark.parametrize(("seconds", "lines"), [(1.0, 1), (1.1, 2)])
def test_a_location_that_delays_the_start_is_named(caplog, place, seconds, lines):
    """Above one second."""
    caplog.set_level(logging.INFO)
    log_location(place().location, 1, seconds)
    assert len(caplog.records) == lines
    assert [r for r in caplog.records if r.levelno == logging.WARNING] == caplog.records[1:]
    assert all("location-slow" in r.getMessage() for r in caplog.records[1:])


@pytest.mark.slow
def test_a_manifest_without_its_class_is_reported_by_hybrid_modes(place):
    """Case 72: service_load finds out when the class is loaded."""
    shop = place("c/shop")
    shop.distribution(entry_points="[plugwright.SinkConnector]\na = shop:Gone\n")
    shop.module("shop", SINK_TEXT.replace("class A", "class _A"))
    container = shop.path.parent
    assert _codes(Plugins.discover([container], "service_load")) == []
    assert _codes(Plugins.discover([container], "hybrid_warn")) == ["target-missing"]
    with pytest.raises(DiscoveryError, match=r"shop\.Gone") as caught:
        Plugins.discover([container], "hybrid_fail")
    assert caught.value.code == "discovery.stale-manifest"


@pytest.mark.slow
def test_a_plugin_for_another_python_does_not_stop_the_worker(place):
    """Case 39: no mode has it, so hybrid_fail has nothing to complain of."""
    shop = place("c/shop")
    shop.distribution(entry_points="[plugwright.SinkConnector]\na = mart:A\n")
    (metadata,) = shop.path.glob("*.dist-info/METADATA")
    metadata.write_text("Name: shop\nVersion: 1.0\nRequires-Python: >=99\n\n")
    shop.module("mart", SINK_TEXT)
    assert _codes(Plugins.discover([shop.path.parent], "hybrid_fail")) == ["requires-python"]


STALE_TEXT = f"""{SINK_TEXT}
number = 1
class Plain: pass
class Abstract(SinkConnector): pass
class Needy(A):
    def __init__(self, x): ...
"""
STALE = {
    "gone:A": ("target-missing", "whose module does not exist"),
    "mart:Gone": ("target-missing", "which its module does not have"),
    "mart:number": ("target-not-class", "which is not a class"),
    "mart:Plain": ("target-wrong-base", "which does not extend the base class of that kind"),
    "mart:Abstract": ("target-abstract", "which is abstract"),
    "mart:Needy": ("target-needs-arguments", "which cannot be instantiated without arguments"),
    "broken:A": ("target-unloadable", "whose module cannot be imported"),
}


@pytest.mark.slow
def test_what_is_wrong_with_a_manifest_is_said_of_each_line(place):
    """Case 72: with a code of its own."""
    shop = place("c/shop")
    shop.module("mart", STALE_TEXT)
    shop.module("broken", f"{SINK_TEXT}1 / 0\n")
    lines = "".join(f"{number} = {target}\n" for number, target in enumerate(STALE))
    shop.distribution(entry_points=f"[plugwright.SinkConnector]\n{lines}")
    found = Plugins.discover([shop.path.parent], "hybrid_warn")
    said = [(d.code, d.message) for d in found.diagnostics if d.code.startswith("target-")]
    assert sorted(said) == sorted(
        (code, f"the manifest of shop declares {target.replace(':', '.')} as sink, {text}")
        for target, (code, text) in STALE.items()
    )


@pytest.mark.slow
@pytest.mark.parametrize("declared", [False, True])
def test_config_providers_come_from_manifests_in_every_mode(place, declared):
    """Case 71: Kafka never scans for them."""
    shop = place("c/shop")
    manifest = "[plugwright.ConfigProvider]\na = shop:P\n" if declared else ""
    shop.distribution(entry_points=manifest)
    shop.module("shop", "from plugwright import ConfigProvider\nclass P(ConfigProvider): get = 0\n")
    found = Plugins.discover([shop.path.parent], "only_scan")
    assert [p.class_name for p in found.descriptors] == (["shop.P"] if declared else [])


@pytest.mark.slow
def test_what_only_running_tells_is_found_by_running(place):
    """Case 44: a class that a call makes, and one that needs arguments, which is no plugin."""
    shop = place("c/shop")
    shop.module("shop", SINK_TEXT + "B = type('B', (A,), {})\n"
        "class C(A):\n    def __init__(self, x): ...\n")  # fmt: skip
    found = Plugins.discover([shop.path.parent], "only_scan")
    assert _rows(found) == [("shop.A", "undefined"), ("shop.B", "undefined")]
    assert _codes(found) == ["target-needs-arguments"]


@pytest.mark.slow
def test_a_module_that_fails_hides_its_plugins_only(place):
    """Case 56: the reason is reported."""
    bad, good = place("c/bad"), place("c/good")
    bad.module("shop", SINK_TEXT + "raise SystemExit(1)")
    good.module("mart", SINK_TEXT)
    found = Plugins.discover([good.path.parent], "only_scan")
    assert (_rows(found), _codes(found)) == ([("mart.A", "undefined")], ["import-exit"])


def test_a_missing_element_is_reported_or_refused(tmp_path):
    """Kafka's worker goes on, its tool stops."""
    assert _codes(Plugins.discover([tmp_path / "no"], "service_load")) == ["location-missing"]
    with pytest.raises(DiscoveryError, match="does not exist"):
        Plugins.discover([tmp_path / "no"], "service_load", fail_fast=True)


def test_copies_of_a_class_are_warned_of_and_the_newest_is_used(place):
    """Versions compare as numbers."""
    old, new = place("c/a"), place("c/b")
    manifest = "[plugwright.SourceConnector]\na = shop:A\n"
    old.distribution(version="1.9", entry_points=manifest)
    new.distribution(version="1.10", entry_points=manifest)
    found = Plugins.discover([old.path.parent], "service_load")
    (finding,) = found.diagnostics
    assert (finding.code, finding.location) == ("duplicate-plugin", str(new.path))
    assert finding.message.endswith(f"1.10 is used from here and not from {old.path}")
    assert found.find("A", SOURCE).version == "1.10"


@pytest.mark.parametrize(
    ("versions", "used"),
    [
        (["1.9", "1.10", "2.0rc1"], "1.10"),
        (["1.0rc1", "1.0rc2"], "1.0rc2"),
        (["not a version", "0.1"], "0.1"),
        (["undefined", "zz"], "zz"),
    ],
    ids=["pre-release", "only-pre-releases", "invalid", "undefined"],
)
def test_the_highest_version_is_used(versions, used):
    """A pre-release only if there is nothing else."""
    copies = [PluginDescriptor(SINK, "shop", "A", "a", "shop", v) for v in versions]
    assert Plugins([], copies, []).find("A", SINK).version == used


@pytest.mark.slow
def test_the_version_is_that_of_the_distribution_whose_record_has_the_module(place):
    """Where a location holds several."""
    shop = place("c/shop")
    for name, version in (("a", "1.0"), ("b", "2.0")):
        directory = shop.distribution(name, version)
        (directory / "RECORD").write_text(f"{name}_shop.py,,\n")
        shop.module(f"{name}_shop", SINK_TEXT)
    found = Plugins.discover([shop.path.parent], "only_scan")
    assert _rows(found) == [("a_shop.A", "1.0"), ("b_shop.A", "2.0")]


@pytest.mark.slow
def test_what_the_text_denies_but_the_import_shows_is_kept(place):
    """With a note, for the scan should have seen it."""
    shop = place("c/shop")
    trick = "Base = object\nglobals()['Base'] = A\nclass B(Base): pass\n"
    shop.module("shop", SINK_TEXT + trick)
    found = Plugins.discover([shop.path.parent], "only_scan")
    assert [p.qualname for p in found.descriptors] == ["A", "B"]
    assert [d.code for d in found.diagnostics] == ["static-miss"]


def test_of_equal_versions_the_hosts_copy_is_used(place):
    """As PluginDescTest of Kafka has it."""
    own = Plugins([], [], []).find("StringConverter", CONVERTER)
    copy = replace(own, location=place().location)
    assert Plugins([], [copy], []).find("StringConverter", CONVERTER).location is None


APPLICATIONS = {
    "shiv": {"environment.json": "{}", "site-packages/shop.py": SINK_TEXT},
    "pex": {"PEX-INFO": "{}", "shop.py": SINK_TEXT},
}


@pytest.mark.slow
@pytest.mark.parametrize("members", APPLICATIONS.values(), ids=APPLICATIONS)
def test_nobody_is_sent_to_a_command_that_refuses_an_application(tmp_path, monkeypatch, members):
    """Only who builds it can give it a manifest."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    with zipfile.ZipFile(tmp_path / "shop.pyz", "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    with pytest.raises(DiscoveryError) as caught:
        Plugins.discover([tmp_path / "shop.pyz"], "hybrid_fail")
    assert caught.value.hint == (
        "build shop.A again from distributions that have a manifest: "
        "a PEX or shiv application cannot be given one"
    )
