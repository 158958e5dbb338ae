"""What the README shows works as shown, and the first plugin that its page shows, too."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


DATAFRAMES = (ROOT / "docs/how-to/dataframes.md").read_text(encoding="utf-8")
FIRST_PLUGIN = (ROOT / "docs/how-to/first-plugin.md").read_text(encoding="utf-8")


def blocks(language: str, text: str = README) -> list[str]:
    """The fenced blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


COMMANDS = re.findall(r"^\$ (.+)$", "".join(blocks("console")), re.MULTILINE)


def test_the_readme_can_be_read_at_a_sitting():
    """What is longer has a page of its own."""
    assert len(README.splitlines()) <= 120


def test_the_readme_shows_commands():
    """The two commands and the first steps are there to be tested at all."""
    assert COMMANDS[:2] == ["make certify", "make test"]
    assert len(COMMANDS) == 9


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in COMMANDS if not c.startswith("make")])
def test_a_shown_command_works(command):
    """Every command of the README but make exits with 0 in the root of a checkout."""
    name, *arguments = shlex.split(command)
    words = [Path(sys.executable).with_name(name), *arguments]

    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_the_make_targets_exist():
    """Every make target that the README names is one."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`?make ([a-z]+)", README))
    assert {"certify", "test", "fast"} <= named
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in named)


def test_the_kill_figures_are_those_of_the_shipped_matrix():
    """What the README says of the suite is what was computed."""
    file = ROOT / "conformance/plugwright_conformance/kill_matrix.json"
    matrix = json.loads(file.read_text(encoding="utf-8"))
    killed = sum(row["killed"] is True for row in matrix["mutants"])
    alarms = sum(len(row["false_alarms"]) for row in matrix["benign"])
    reported = f"| {len(matrix['mutants'])} | {killed} | none, and {alarms} false alarms on "

    assert f"{reported}{len(matrix['benign'])} unusual but correct connectors |" in README


def test_the_counts_of_checks_are_those_of_the_suite():
    """The first lines of a certification are shown as they are printed now."""
    from plugwright_conformance.catalogue.profile import WHOLE_CATALOGUE  # noqa: PLC0415  # slow
    from plugwright_conformance.catalogue.selection import select_checks  # noqa: PLC0415
    from plugwright_conformance.checks import CHECKS, MUST_CHECKS  # noqa: PLC0415
    from plugwright_conformance.controls.every_run import sentinels  # noqa: PLC0415

    checks, broken = len(select_checks(CHECKS, "source", (), ("resident",))), len(sentinels())
    must, whole = MUST_CHECKS["source"]["C5"], WHOLE_CATALOGUE["source"]["C5"]
    shown = " ".join(README.split())

    assert f"plugwright-file-source: {checks} checks [ 1/{checks}] passed" in shown
    assert must == whole
    assert f"all {whole} must-checks in the catalogue up to C5" in shown
    assert f"{broken} of {broken} broken connectors were found" in shown


@pytest.fixture
def counter():
    """The classes of the first plugin that the documentation shows."""
    module: dict[str, object] = {}
    exec(blocks("python", FIRST_PLUGIN)[0], module)  # noqa: S102  # the page's own code
    return SimpleNamespace(**{name: module[name] for name in module if name.startswith("Counter")})


def test_the_first_plugin_counts_on_from_its_stored_offset(counter):
    """The task goes on after the record whose offset was stored."""
    reader = SimpleNamespace(offset=lambda partition: {"next": 3})
    connector = counter.CounterSourceConnector()
    connector.start({"topic": "numbers", "last": "4"})
    task = connector.task_class()()
    task.initialize(SimpleNamespace(offset_storage_reader=reader))
    task.start(connector.task_configs(1)[0])

    polled = [task.poll(), task.poll(), task.poll()]

    assert [records and records[0].value for records in polled] == ["3", "4", None]
    assert polled[0][0].source_offset == {"next": 4}


def test_the_first_plugin_reports_wrong_settings(counter):
    """Both problems are named at once."""
    values = counter.CounterSourceConnector().validate({"last": "0"})

    assert {v.name: v.error_messages for v in values if v.error_messages} == {
        "topic": ('Missing required configuration "topic" which has no default value.',),
        "last": ("Invalid value 0 for configuration last: Value must be at least 1",),
    }


def test_the_shown_entry_point_is_in_a_known_group():
    """The TOML parses, and its group is one of discovery's."""
    from plugwright.plugins import SOURCE  # noqa: PLC0415  # this test only

    (groups,) = [tomllib.loads(block) for block in blocks("toml", FIRST_PLUGIN)]

    assert groups["project"]["entry-points"] == {
        SOURCE.group: {"counter.CounterSourceConnector": "counter:CounterSourceConnector"}
    }


@pytest.mark.spark
@pytest.mark.parametrize(
    ("text", "language", "written"),
    [(README, "python", None), (DATAFRAMES, "py", ["", "coffee 2", "tea 7"])],
    ids=["readme", "page"],
)
def test_the_shown_dataframes_are_read_and_written(  # noqa: PLR0913, PLR0917  # two texts, one test
    text, language, written, spark_session, tmp_path, capsys
):
    """Each example prints what is shown below it, and the sink's file has what the page says."""
    (tmp_path / "orders.txt").write_text("tea 3\ncoffee 2\ntea 4\n")
    totals = tmp_path / "totals.txt"
    (code,) = blocks(language, text)
    for name, place in {
        "orders.txt": tmp_path / "orders.txt",
        "totals.txt": totals,
        "plugin-path": ROOT / "plugin-path",
    }.items():
        code = code.replace(f'"{name}"', f'"{place}"')
    code = code.replace('open_session("orders", master="local[2]")', "session")

    exec(code, {"session": spark_session})  # noqa: S102  # the example as it stands

    assert capsys.readouterr().out.strip() in {block.strip() for block in blocks("text", text)}
    assert (sorted(totals.read_text().split("\n")) if written else None) == written
