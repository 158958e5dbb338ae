"""``plugwright new``: what it says, its exit statuses, and what it never does."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from tests.toolkit.commands.conftest import SINK

GOLDEN = Path(__file__).parents[2] / "golden" / "cli" / "new-help.txt"
MADE = """\
orders-sink is a sink connector that works
next:
  cd orders-sink
  tox
  plugwright certify dist/*.whl
then replace src/orders_sink/journal.py by what you want it to do
"""
DESCRIBED = ("--description", "Orders", "--json")
TAKEN = """\
new.target-exists: orders exists already and was not changed
  → choose another name, or another directory with --output-dir
"""


@pytest.fixture
def new(plugwright, tmp_path, monkeypatch):
    """Runs the command in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: plugwright("new", *arguments)


@pytest.mark.slow
def test_a_project_is_made_and_the_next_steps_are_reported(new, tmp_path):
    """Nothing is asked."""
    assert new("orders-sink", "--kind", "sink", "--no-input", "--author", "Ada") == (0, MADE, "")
    assert [path.name for path in tmp_path.iterdir()] == ["orders-sink"]


@pytest.mark.slow
def test_a_sink_that_delivers_exactly_once_has_a_ledger(new, tmp_path):
    """Which is the part to replace first."""
    exactly = ("--kind", "sink", "--delivery", "exactly-once")

    code, out, err = new("orders-sink", *exactly, "--no-input", "--author", "Ada")

    assert (code, err) == (0, "")
    assert out.endswith("then replace src/orders_sink/ledger.py by what you want it to do\n")
    declared = (tmp_path / "orders-sink/src/orders_sink/conformance.toml").read_text("utf-8")
    assert 'delivery = "exactly-once"' in declared


def test_a_wrong_delivery_is_explained(new):
    """With the near match."""
    code, out, err = new("orders", "--delivery", "exactly once", "--no-input")

    assert (code, out) == (2, "")
    assert err.startswith(
        "new.invalid-answer: delivery 'exactly once' is not one of at-least-once, exactly-once; "
        "did you mean exactly-once?"
    )


@pytest.mark.slow
def test_json_says_where_the_project_is(new, monkeypatch):
    """What is asked goes to standard error, for standard output holds the document alone."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("orders-sink\n"))

    code, out, err = new("--kind", "sink", "--author", "Ada", "--license", "MIT", *DESCRIBED)

    assert (code, json.loads(out)) == (
        0,
        {
            "format": "plugwright-new/1",
            "kind": "sink",
            "name": "orders-sink",
            "target": "orders-sink",
        },
    )
    assert err == "Name of the project, such as orders-source: "


def test_an_error_is_json_too(new, tmp_path):
    """With the same status, and its facts."""
    (tmp_path / "orders").mkdir()

    code, out, err = new("orders", "--no-input", "--author", "Ada", "--json")

    assert (code, err) == (2, TAKEN)
    assert json.loads(out)["error"]["facts"] == {"target": "orders"}


@pytest.mark.slow
def test_the_next_step_can_be_pasted(new, tmp_path):
    """Whatever the directory is called."""
    (tmp_path / "my work").mkdir()

    _, out, _ = new("orders", "--no-input", "--author", "Ada", "--output-dir", "my work")

    assert "  cd 'my work/orders'\n" in out


@pytest.mark.slow
def test_other_kinds_are_not_sent_to_the_conformance_suite(new):
    """It has no checks for them yet."""
    _, out, _ = new("trim", "--kind", "transformation", "--no-input", "--author", "Ada")

    assert out.startswith("trim is a transformation that works\n")
    assert "certify" not in out
    assert out.endswith("then replace src/trim/transformation.py by what you want it to do\n")


@pytest.mark.slow
def test_options_come_before_a_file_of_answers(new, tmp_path):
    """The file may serve several projects."""
    (tmp_path / "a.toml").write_text('name = "orders"\nkind = "both"\nauthor = "Ada"\n')

    code, out, _ = new("--answers", "a.toml", "--kind", "source", "--no-input")

    assert (code, out.splitlines()[0]) == (0, "orders is a source connector that works")


@pytest.mark.slow
def test_what_is_missing_is_asked(new, monkeypatch):
    """From standard input; complaints go to standard error."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("class\norders\n\n\n\n"))

    code, out, err = new("--kind", "source", "--author", "Ada")

    assert (code, err) == (0, "'class' would be imported as class, which is a keyword of Python\n")
    assert "orders is a source connector that works\n" in out


def test_an_existing_directory_is_an_explained_failure(new, tmp_path):
    """It is left as it is."""
    (tmp_path / "orders").mkdir()

    assert new("orders", "--no-input", "--author", "Ada") == (2, "", TAKEN)


def test_an_interrupt_at_a_question_leaves_nothing(new, tmp_path, monkeypatch):
    """Status 130, as everywhere."""

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)

    assert new("--kind", "sink") == (130, "", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_no_input_needs_a_name(new):
    """Wrong usage."""
    code, _, err = new("--no-input")

    assert code == 1
    assert err.endswith("plugwright new: with --no-input a NAME is needed\n")


@pytest.mark.parametrize("more", [["--kind", "sink"], ["--answers", "a.toml"]])
def test_from_legacy_takes_no_answers(new, more):
    """They would say something that nothing is made of."""
    code, _, err = new("--from-legacy", ".", *more)

    assert code == 1
    assert err.endswith(f"plugwright new: not with --from-legacy: {more[0]}\n")


def test_the_template_is_reported(new):
    """For cookiecutter itself."""
    code, out, _ = new("--print-template")

    assert code == 0
    assert (Path(out.strip()) / "cookiecutter.json").is_file()
    assert json.loads(new("--print-template", "--json")[1])["template"] == out.strip()


def test_help_is_as_recorded(new):
    """Texts that users meet change knowingly."""
    code, out, _ = new("--help")

    assert (code, out) == (0, GOLDEN.read_text("utf-8"))


@pytest.mark.slow
def test_a_legacy_location_is_reported(new, package):
    """What is declared now, what is left out, what is next."""
    location = package().module().module("mart.py", name="Mart", text=None)
    location.module("broken.py", "import nothing_such\n" + SINK.format(name="Broken"))

    code, out, _ = new("--from-legacy", location.path)

    assert code == 0
    assert out == (
        "mart is a project that declares\n"
        "  plugwright.SinkConnector  mart.Mart\n"
        "  plugwright.SinkConnector  shop.Sink\n"
        "left out: broken.Broken (import-error)\n"
        "next:\n"
        "  cd mart\n"
        "  tox\n"
        "then turn the module into a package, so that it can contain a conformance.toml\n"
        "then document in README.md the settings of mart.Mart, shop.Sink\n"
        "then state a licence in pyproject.toml, and add its text\n"
    )


@pytest.mark.slow
def test_a_legacy_location_is_reported_as_json(new, package):
    """The same parts, by name."""
    location = package().module().module("broken.py", "import no_such\n" + SINK.format(name="B"))

    _, out, _ = new("--from-legacy", location.path, "--json")

    assert json.loads(out) == {
        "format": "plugwright-new/1",
        "left_out": [{"class": "broken.B", "reason": "import-error"}],
        "plugins": [{"class": "shop.Sink", "group": "plugwright.SinkConnector"}],
        "target": "shop",
        "todo": [
            "turn the module into a package, so that it can contain a conformance.toml",
            "document in README.md the settings of shop.Sink",
            "state a licence in pyproject.toml, and add its text",
        ],
    }


def test_a_directory_of_locations_is_refused(new, tmp_path):
    """One project is made of one of them."""
    for name in ("shop", "mart"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").touch()

    code, _, err = new("--from-legacy", tmp_path)

    assert code == 2
    assert err == (
        f"new.no-plugin: {tmp_path} contains no plugin that can be loaded: no class extends a base "
        "class of plugwright\n  → name the directory that contains the plugin's package\n"
    )


def test_a_legacy_location_has_to_exist(new, tmp_path):
    """A wrong path is reported as everywhere."""
    code, _, err = new("--from-legacy", tmp_path / "none")

    assert code == 2
    place = tmp_path / "none"
    assert err.startswith(f"discovery.no-such-location: plugin location {place} does not exist\n")
