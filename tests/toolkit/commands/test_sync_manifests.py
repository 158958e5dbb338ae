"""``plugin-path sync-manifests``: the command line over the engine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import plugwright_toolkit.manifests
from plugwright_toolkit.manifests import SyncResult

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parents[2] / "golden" / "cli"
HEADER = (
    "pluginName\tfirstAlias\tsecondAlias\tpluginVersion\tpluginType\tisLoadable\thasManifest"
    "\tpluginLocation"
)
SWITCHES = {
    "--dry-run": "dry_run",
    "--check": "check",
    "--keep-not-found": "keep_not_found",
    "--shim": "shim",
    "--edit-unrecorded": "edit_unrecorded",
    "--force-managed": "force_managed",
    "--invalidate-signatures": "invalidate_signatures",
    "--in-use-ok": "in_use_ok",
    "--skip-unfixable": "skip_unfixable",
    "--continue": "continue_",
}


class _Result:
    changed = needed = failed = False


@pytest.fixture
def engine(monkeypatch):
    """Replaces the engine; its result may be changed, what it was asked is kept."""
    engine = _Result()

    def sync(options):
        engine.options = options
        return engine

    monkeypatch.setattr(plugwright_toolkit.manifests, "sync_manifests", sync)
    monkeypatch.setattr(plugwright_toolkit.manifests, "render_text", lambda _: "as text\n")
    monkeypatch.setattr(plugwright_toolkit.manifests, "to_json", lambda _: {"as": "JSON"})
    return engine


@pytest.fixture
def sync(plugwright, engine, package):
    """Runs the command over one location."""
    place = package().metadata().path
    return lambda *options: plugwright(
        "plugin-path", "sync-manifests", "--plugin-location", place, *options
    )


def _asked(engine):
    """The options that are not as they are by default."""
    asked = asdict(engine.options) | {"locations": ()}
    return {name: value for name, value in asked.items() if value not in (False, None, ())}


@pytest.mark.parametrize(("switch", "name"), SWITCHES.items(), ids=SWITCHES)
def test_a_switch_asks_for_one_thing(sync, engine, switch, name):
    """And for nothing else."""
    sync(switch)

    assert _asked(engine) == {name: True}


@pytest.mark.parametrize("name", ["backup_dir", "output_dir"])
def test_directories_are_paths(sync, engine, name):
    """Where copies go."""
    sync(f"--{name.replace('_', '-')}", "some/place")

    assert _asked(engine) == {name: Path("some/place")}


def test_patterns_may_be_repeated(sync, engine):
    """In their order."""
    sync("--exclude", "b*", "--exclude", "a")

    assert _asked(engine) == {"exclude": ("b*", "a")}


def test_locations_are_given_on(sync, engine, package):
    """As the options name them."""
    sync()

    assert [each.name for each in engine.options.locations] == ["shop"]


@pytest.mark.parametrize(
    ("came", "options", "code"),
    [
        ((), (), 0),
        (("needed",), (), 0),
        (("needed",), ("--dry-run",), 0),
        (("needed",), ("--check",), 4),
        ((), ("--check",), 0),
        (("failed", "needed"), (), 2),
        (("failed", "needed"), ("--check",), 2),
    ],
    ids=["nothing", "done", "dry-run", "found", "clean", "failed", "check-failed"],
)
def test_the_status_says_what_came_of_it(sync, engine, came, options, code):
    """As in the table of all commands."""
    vars(engine).update(dict.fromkeys(came, True))

    assert sync(*options)[0] == code


@pytest.mark.parametrize(
    ("options", "out"), [((), "as text\n"), (("--json",), '{\n  "as": "JSON"\n}\n')]
)
def test_the_report_is_text_or_json(sync, options, out):
    """On standard output."""
    assert sync(*options)[1:] == (out, "")


def test_help_is_golden(tool):
    """As the command of its own name shows it."""
    code, out, _ = tool("sync-manifests", "--help")

    assert (code, out) == (0, (GOLDEN / "sync-help.txt").read_text("utf-8"))


def test_help_of_the_tool_is_golden(tool):
    """Its two words, and examples."""
    code, out, _ = tool("--help")

    assert (code, out) == (0, (GOLDEN / "plugin-path-help.txt").read_text("utf-8"))


def test_the_engines_result_has_what_the_command_reads():
    """The replaced one is not made up."""
    assert all(hasattr(SyncResult, name) for name in ("changed", "needed", "failed"))


def _tool(*arguments):
    script = (
        "import sys; sys.argv[0] = 'connect-plugin-path'\n"
        "from plugwright_toolkit.commands.plugin_path import main; main()"
    )
    command = [sys.executable, "-c", script, *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "80"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.mark.slow
def test_the_legacy_sink_gets_a_manifest(tmp_path):
    """From hybrid to service_load, by the tool alone, in processes of its own."""
    path = tmp_path / "plugin-path"
    for bundled in ("file-sink", "file-source", "legacy-sink"):
        shutil.copytree(ROOT / "plugin-path" / bundled, path / bundled)
    name = "legacy_sink.connector.LegacySinkConnector"
    start = f"{name}\tLegacySinkConnector\tLegacySink\t"
    end = f"\tsink\ttrue\t%s\t{path}/legacy-sink"

    before = _tool("list", "--plugin-path", path)
    required = _tool("list", "--plugin-path", path, "--require-mode", "service_load")
    dry = _tool("sync-manifests", "--plugin-path", path, "--dry-run")
    still = _tool("list", "--plugin-path", path)
    real = _tool("sync-manifests", "--plugin-path", path)
    after = _tool("list", "--plugin-path", path, "--require-mode", "service_load")

    assert (before[0], before[1][:1], before[1][3]) == (0, [HEADER], f"{start}0.3.0{end % 'false'}")
    assert before[1][-1] == "Compatible plugins: \t2"
    assert required[0] == 4
    # On a busy machine a line about a slow location may come before it.
    assert "1 plugin would be lost with plugin.discovery=service_load:" in required[2].splitlines()
    assert (dry[0], f"\tAdd\t{name}\tsink" in dry[1], still[1]) == (0, True, before[1])
    assert (real[0], real[1][-1]) == (
        0,
        "All loadable plugins have accurate ServiceLoader manifests.",
    )
    assert (after[0], after[1][0]) == (0, HEADER)
    assert after[1][3] == f"{start}0.3.0{end % 'true'}"
    assert after[1][-3:] == [
        "Total plugins:      \t3",
        "Loadable plugins:   \t3",
        "Compatible plugins: \t3",
    ]


@pytest.mark.slow
def test_a_plugin_keeps_its_version_when_a_shim_declares_it(tmp_path):
    """The version is that of the distribution that has the module."""
    path = tmp_path / "legacy-sink"
    shutil.copytree(ROOT / "plugin-path/legacy-sink", path)
    _tool("sync-manifests", "--plugin-location", path)

    assert _tool("list", "--plugin-location", path)[1][1].split("\t")[3] == "0.3.0"


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("list",)], ids=["no-word", "no-location"])
def test_the_tool_ends_with_status_1_for_wrong_usage(options):
    """Under its own name."""
    code, out, err = _tool(*options)

    assert (code, out, err.startswith("usage: connect-plugin-path ")) == (1, [], True)
