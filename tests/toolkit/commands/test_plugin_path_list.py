"""``plugin-path list``: Kafka's table and totals, JSON, what a mode would lose."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from tests.toolkit.commands.conftest import SINK as SINK_TEXT

import plugwright.plugins
from plugwright.plugins import (
    CONVERTER,
    HEADER_CONVERTER,
    SINK,
    SOURCE,
    Diagnostic,
    DiagnosticLevel,
    DiscoveryMode,
    Location,
    PluginDescriptor,
    Survey,
    SurveyedPlugin,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "cli"
HEADER = (
    "pluginName\tfirstAlias\tsecondAlias\tpluginVersion\tpluginType\tisLoadable\thasManifest"
    "\tpluginLocation"
)
USAGE = "Must specify at least one --plugin-location, --plugin-path, or --worker-config\n"


def _row(class_name, kind, *, loadable, declared, reason=""):
    module, _, name = class_name.rpartition(".")
    plugin = PluginDescriptor(kind, module, name, "n", "shop", "1.0", Location(Path("/p/shop")))
    return SurveyedPlugin(plugin, plugin if declared else None, loadable, reason)


ROWS = (
    _row("shop.Json", CONVERTER, loadable=True, declared=True),
    _row("shop.Json", HEADER_CONVERTER, loadable=True, declared=False),
    _row("shop.ShopSinkConnector", SINK, loadable=True, declared=False),
    _row("shop.Gone", SOURCE, loadable=False, declared=True, reason="name-missing"),
    _row("shop.SlowConnector", SOURCE, loadable=None, declared=True, reason="import-timeout"),
    _row("shop.Broken", SINK, loadable=False, declared=False, reason="import-error"),
    _row("shop.Hanging", SINK, loadable=None, declared=False, reason="import-timeout"),
)
STALE = (
    "warning: target-missing: /p/shop: the manifest of shop declares shop.Gone as source, which "
    "its module does not have\n"
    "  → correct the entry point, or fix the class\n"
)
PROBLEMS = (
    Diagnostic(
        DiagnosticLevel.WARNING, "ep-syntax", "/p/shop", "line is wrong", "a.txt", 3, "fix it"
    ),
    Diagnostic(
        DiagnosticLevel.WARNING, "ep-syntax", "/p/mart", "line is wrong", "a.txt", 3, "fix it"
    ),
    Diagnostic(DiagnosticLevel.NOTE, "static-miss", "/p/shop", "nothing to do"),
    Diagnostic(DiagnosticLevel.ERROR, "import-error", "/p/shop", "no module named x\x1b[1m"),
)


@pytest.fixture
def found(monkeypatch):
    """Replaces the survey; what it was asked is kept."""
    asked = {}

    def survey(locations, **options):
        asked.update(options, locations=[str(each.origin) for each in locations])
        return [Survey(Location(Path("/p/shop")), asked["rows"], asked["problems"], 0.1)]

    asked.update(rows=ROWS, problems=())
    monkeypatch.setattr(plugwright.plugins, "survey", survey)
    return asked


@pytest.fixture
def listed(plugwright, found, tmp_path):
    """Runs the list over the replaced survey."""
    place = tmp_path / "shop-location"
    place.mkdir()
    return lambda *arguments: plugwright(
        "plugin-path", "list", "--plugin-location", place, *arguments
    )


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_table_has_kafkas_columns_and_totals(listed):
    """Literally those of Kafka's reference, with its paddings."""
    code, out, err = listed()

    assert (code, err) == (0, STALE)
    assert out == (
        f"{HEADER}\n"
        "shop.Json\tJson\tN/A\t1.0\tconverter\ttrue\ttrue\t/p/shop\n"
        "shop.Json\tJson\tN/A\t1.0\theader_converter\ttrue\tfalse\t/p/shop\n"
        "shop.ShopSinkConnector\tShopSinkConnector\tShopSink\t1.0\tsink\ttrue\tfalse"
        "\t/p/shop\n"
        "shop.Gone\tN/A\tN/A\tundefined\tsource\tfalse\ttrue\t/p/shop\n"
        "shop.SlowConnector\tSlowConnector\tSlow\t1.0\tsource\tunknown\ttrue\t/p/shop\n"
        "\n"
        "Total plugins:      \t5\n"
        "Loadable plugins:   \t3\n"
        "Compatible plugins: \t1\n"
    )


def test_a_declared_class_has_the_name_that_its_manifest_uses(listed, found):
    """Where packages export it from a module below."""
    inner = PluginDescriptor(SINK, "shop.sink", "Sink", "s", "shop", "1.0", Location(Path("/p")))
    outer = PluginDescriptor(SINK, "shop", "Sink", "s", "shop", "1.0", Location(Path("/p")))
    found["rows"] = [SurveyedPlugin(inner, outer, True)]

    assert listed()[1].splitlines()[1].split("\t")[0] == "shop.Sink"
    document = json.loads(listed("--json")[1])["plugins"][0]
    assert (document["pluginName"], document["definedAs"]) == ("shop.Sink", "shop.sink.Sink")


def test_without_imports_everything_counts(listed):
    """It is unknown what can be loaded."""
    assert (
        "shop.Hanging\tHanging\tN/A\t1.0\tsink\tunknown\tfalse\t/p/shop\n" in listed("--static")[1]
    )


def test_json_tells_the_version_that_the_code_declares(plugwright, package):
    """Beside that of the distribution, which counts."""
    text = SINK_TEXT.format(name="Sink").replace("version = config", 'version = "7.1"\n    config')
    place = package().metadata().module(text=text).path
    out = plugwright("plugin-path", "list", "--plugin-location", place, "--json", "--static")[1]
    (plugin,) = json.loads(out)["plugins"]

    assert (plugin["pluginVersion"], plugin["declaredVersion"]) == ("1.0", "7.1")


def test_a_module_is_a_location(plugwright, found, package, monkeypatch, tmp_path):
    """Alone, as it would be in a directory of locations."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    file = package().module().path / "shop.py"
    plugwright("plugin-path", "list", "--plugin-location", file)

    assert found["locations"] == [str(file)]


def test_json_is_golden(listed, found):
    """With a format, sorted keys, and every finding."""
    found["problems"] = PROBLEMS
    code, out, _ = listed("--json")

    assert code == 0
    assert out == (GOLDEN / "list.json").read_text("utf-8")


@pytest.mark.parametrize("rich", [True, False], ids=["rich", "plain"])
def test_a_terminal_gets_an_aligned_table(listed, monkeypatch, rich):
    """Rich folds it where it is installed; without colours under NO_COLOR."""
    monkeypatch.setattr("sys.stdout", terminal := _Terminal())
    monkeypatch.setenv("TERM", "dumb")
    module = "plugwright_toolkit.output._printing.find_spec"
    monkeypatch.setattr(module, lambda _: object() if rich else None)
    listed()

    name = "list-rich.txt" if rich else "list-plain.txt"
    assert terminal.getvalue() == (GOLDEN / name).read_text("utf-8")


def test_text_of_plugins_cannot_break_the_table(listed, found):
    """Tab, line feed and escape of a directory's name; JSON has them exact."""
    place = "/p/a\tb\nc\x1b[1m"
    plugin = PluginDescriptor(SINK, "shop", "Sink", "s", "shop", "1.0", Location(Path(place)))
    found["rows"] = [SurveyedPlugin(plugin, plugin, True)]

    assert listed()[1].splitlines()[1].endswith("\ttrue\t/p/a\\tb\\nc\\x1b[1m")
    assert json.loads(listed("--json")[1])["plugins"][0]["pluginLocation"] == place


def test_findings_go_to_standard_error_folded(listed, found):
    """Notes are left out, and what is said twice is counted."""
    found["problems"] = PROBLEMS
    code, out, err = listed()

    assert (code, out.count("\n")) == (0, 10)
    assert err == (
        "warning: ep-syntax: /p/shop/a.txt:3: line is wrong (and 1 more like this)\n"
        "  → fix it\n"
        "error: import-error: /p/shop: no module named x\\x1b[1m\n" + STALE
    )


def test_a_slow_location_is_named(listed, monkeypatch):
    """From one second on."""
    slow = [Survey(Location(Path("/p/shop")), [], [], 1.04)]
    monkeypatch.setattr(plugwright.plugins, "survey", lambda *_, **__: slow)

    assert listed()[2] == "note: /p/shop took 1.0 s\n"


def test_without_a_loss_the_required_mode_is_silent(listed, found):
    """What can be loaded and is declared is in every mode."""
    found["rows"] = ROWS[:1]

    assert listed("--require-mode", "SERVICE_LOAD")[::2] == (0, "")


@pytest.mark.parametrize("mode", [m.value for m in DiscoveryMode if m.requires_manifests])
def test_the_required_mode_names_what_would_be_lost(listed, mode):
    """With status 4; what is not known to be broken counts as there."""
    code, _, err = listed("--require-mode", mode)

    assert code == 4
    assert err == (
        f"3 plugins would be lost with plugin.discovery={mode}:\n"
        "  header_converter shop.Json 1.0 in /p/shop: no manifest declares it\n"
        "  sink shop.ShopSinkConnector 1.0 in /p/shop: no manifest declares it\n"
        "  source shop.Gone 1.0 in /p/shop: cannot be loaded (name-missing)\n"
        "  → connect-plugin-path sync-manifests --plugin-location /p/shop\n"
        "  → plugwright explain shop.Gone --plugin-location /p/shop\n"
    )


@pytest.mark.parametrize("mode", [m.value for m in DiscoveryMode if not m.requires_manifests])
def test_a_mode_that_needs_no_manifests_cannot_be_required(listed, mode):
    """Nothing would be lost in it."""
    code, out, err = listed("--require-mode", mode)

    assert (code, out) == (1, "")
    assert f"invalid choice: '{mode}'" in err


@pytest.mark.parametrize(("options", "imports"), [((), True), (("--static",), False)])
def test_static_imports_nothing(listed, found, options, imports):
    """Whether a plugin can be loaded is not known then."""
    listed(*options, "--exclude", "shop.tests*", "--exclude", "x")

    assert (found["imports"], found["exclude"]) == (imports, ["shop.tests*", "x"])


@pytest.mark.parametrize("subcommand", ["list", "sync-manifests"])
def test_no_location_at_all_is_wrong_usage(plugwright, subcommand):
    """With Kafka's words."""
    code, out, err = plugwright("plugin-path", subcommand)

    assert (code, out, err.endswith(USAGE)) == (1, "", True)


def test_no_subcommand_is_wrong_usage(plugwright):
    """With Kafka's words."""
    code, out, err = plugwright("plugin-path")

    assert (code, out) == (1, "")
    assert err.endswith("plugwright plugin-path: No subcommand specified\n")


@pytest.mark.parametrize("paths", ["", ",", "plugins,"], ids=["none", "comma", "last"])
def test_an_empty_element_is_wrong_usage(plugwright, paths):
    """Kafka would take the current directory."""
    code, _, err = plugwright("plugin-path", "list", "--plugin-path", paths)

    assert code == 1
    assert err.endswith(
        "an element of the plugin path is empty; write . for the current directory\n"
    )


def test_locations_are_those_of_paths_then_workers_then_single_ones(plugwright, found, tmp_path):
    """Each once, however often it is named."""
    names = ("path/a", "worker/b", "c", "path/d")
    for name in names:
        (tmp_path / name / "x-1.dist-info").mkdir(parents=True)
    worker = tmp_path / "worker.properties"
    worker.write_text(f"plugin.path = {tmp_path}/worker , {tmp_path}/path\n")
    single = [f"--plugin-location={tmp_path}/c", f"--plugin-location={tmp_path}/path/a"]
    plugwright("plugin-path", "list", *single, f"--worker-config={worker}",
        f"--plugin-path={tmp_path}/path")  # fmt: skip

    expected = ["path/a", "path/d", "worker/b", "c"]
    assert found["locations"] == [str(tmp_path / name) for name in expected]


def test_a_worker_configuration_without_a_plugin_path_lists_nothing(plugwright, tmp_path):
    """The key may be absent, as in Kafka."""
    worker = tmp_path / "worker.properties"
    worker.write_text("group.id=a\n")
    code, out, _ = plugwright("plugin-path", "list", "--worker-config", worker)

    assert (code, out.splitlines()[-3:]) == (
        0,
        ["Total plugins:      \t0", "Loadable plugins:   \t0", "Compatible plugins: \t0"],
    )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--plugin-path", "plugin location {} does not exist\n"),
        ("--plugin-location", "Specified location {} does not exist\n"),
        ("--worker-config", "Unable to read worker config at {}: No such file or directory\n"),
    ],
)
def test_what_does_not_exist_is_status_2(plugwright, tmp_path, option, message):
    """Kafka prints a stack for the first of them."""
    code, out, err = plugwright("plugin-path", "list", option, tmp_path / "no")

    assert (code, out) == (2, "")
    assert message.format(tmp_path / "no") in err


@pytest.mark.parametrize(
    "words",
    [("--debug", "list"), ("list", "--debug"), ("list",)],
    ids=["before", "after", "without"],
)
def test_debug_shows_the_stack_wherever_it_stands(plugwright, tmp_path, words):
    """Of an error that is explained."""
    err = plugwright("plugin-path", *words, "--plugin-path", tmp_path / "no")[2]

    assert ("Traceback" in err) is ("--debug" in words)


@pytest.mark.parametrize(("value", "count"), [("any", 1), ("inside", 0)])
def test_links_are_followed_as_the_worker_follows_them(plugwright, found, tmp_path, value, count):
    """Those that leave the plugin path, too, unless it says otherwise."""
    (tmp_path / "shop" / "x-1.dist-info").mkdir(parents=True)
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "link").symlink_to(tmp_path / "shop")
    worker = tmp_path / "worker.properties"
    worker.write_text(f"plugin.path={tmp_path}/path\nplugin.path.follow.symlinks={value}\n")
    plugwright("plugin-path", "list", "--worker-config", worker)

    assert len(found["locations"]) == count


def test_an_empty_element_in_a_worker_configuration_is_explained(plugwright, tmp_path):
    """With the file's name."""
    worker = tmp_path / "worker.properties"
    worker.write_text("plugin.path=a,,b\n")
    code, _, err = plugwright("plugin-path", "list", "--worker-config", worker)

    assert code == 2
    assert f"plugin.path in {worker} has an empty element: 'a,,b'\n" in err


def test_a_directory_of_modules_is_one_location(plugwright, found, package):
    """Where it is named as one, its modules are not locations of their own."""
    place = package().module("shop.py").module("mart/__init__.py", "")
    plugwright("plugin-path", "list", "--plugin-location", place.path)

    assert found["locations"] == [str(place.path)]


def test_whoever_names_a_location_is_not_warned_that_it_is_one(plugwright, found, package):
    """As an element of a plugin path it would be a mistake."""
    place = package().metadata().module().path
    found["rows"] = ROWS[:1]

    assert plugwright("plugin-path", "list", "--plugin-location", place)[2] == ""
    err = plugwright("plugin-path", "list", "--plugin-path", place)[2]
    assert err.startswith("warning: location-not-container: ")


def test_a_directory_of_archives_is_one_location(plugwright, found, tmp_path, monkeypatch):
    """With all that they hold."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    wheel = tmp_path / "wheels" / "shop-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("shop.py", "")
    plugwright("plugin-path", "list", "--plugin-location", wheel.parent)

    assert found["locations"] == [str(wheel.parent)]


def test_a_directory_of_locations_is_not_taken_for_one_silently(plugwright, found, package):
    """It has no plugin at its top."""
    place = package().metadata()
    parent = place.path.parent
    found["rows"] = ROWS[:1]
    _, _, err = plugwright("plugin-path", "list", "--plugin-location", parent)

    assert found["locations"] == [str(parent)]
    assert f"location-is-container: {parent}: holds locations" in err
    assert err.endswith(f"  → use --plugin-path {parent}\n")


def test_help_of_the_list_is_golden(tool):
    """As the command of its own name shows it."""
    code, out, _ = tool("list", "--help")

    assert (code, out) == (0, (GOLDEN / "list-help.txt").read_text("utf-8"))
