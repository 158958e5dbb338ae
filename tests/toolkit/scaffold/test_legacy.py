"""A project around plugins that never had manifests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from plugwright.errors import AlreadyExistsError, ConfigError, ConnectError, DiscoveryError
from plugwright.plugins import Location, Plugins
from plugwright_toolkit.scaffold import package_legacy

pytestmark = pytest.mark.slow

LEGACY = Path(__file__).parents[3] / "plugin-path" / "legacy-sink"
SINK = """\
from plugwright import SinkConnector

class {name}(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""
SAID = """
## legacy_sink.connector.LegacySinkConnector

**Data model.** Takes records whose values are strings, as
`src/legacy_sink/conformance.toml` declares.

**Delivery.** At-least-once, as declared there: none is lost, and some may come twice.

### `directory`

Existing directory that receives one file for each topic partition.

- Type: string
- Required: yes
- Valid values: `non-null string`
- Importance: high

`plugwright docs legacy_sink.connector.LegacySinkConnector --plugin-path dist`
prints these settings.
"""


@pytest.fixture
def location(tmp_path):
    """A copy of the legacy sink, as a plugin location."""
    compiled = shutil.ignore_patterns("__pycache__")
    copy = shutil.copytree(LEGACY, tmp_path / "old" / "legacy-sink", ignore=compiled)
    return Location(copy)


@pytest.fixture
def output(tmp_path):
    """Where projects are made."""
    made = tmp_path / "new"
    made.mkdir()
    return made


def _project(path):
    return tomllib.loads((path / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_legacy_sink_becomes_a_project(location, output):
    """Its metadata, code, README and licence are carried over; its class is declared."""
    made = package_legacy(location, output)

    project = _project(made.target)
    original = _project(LEGACY)
    same = ("name", "version", "description", "license", "license-files", "requires-python")
    assert {key: project[key] for key in same} == {key: original[key] for key in same}
    assert project["entry-points"] == {
        "plugwright.SinkConnector": {
            "legacy_sink.connector.LegacySinkConnector": "legacy_sink.connector:LegacySinkConnector"
        }
    }
    assert project["dependencies"] == ["plugwright<1,>=0.1"]
    code = made.target / "src/legacy_sink/connector.py"
    assert code.read_bytes() == (LEGACY / "legacy_sink/connector.py").read_bytes()


def test_what_is_left_to_do_is_reported(location, output):
    """In whole clauses, for a person."""
    made = package_legacy(location, output)

    assert (made.target, made.left_out) == (output / "legacy-sink", [])
    assert made.plugins == [
        ("plugwright.SinkConnector", "legacy_sink.connector.LegacySinkConnector")
    ]
    (todo,) = made.todo
    assert todo == (
        "complete src/legacy_sink/testing.py, correct what src/legacy_sink/conformance.toml and "
        "README.md promise, and run: tox -e conformance"
    )


def test_the_readme_says_what_connectors_take_promise_and_have_as_settings(location, output):
    """After what it said before."""
    text = (package_legacy(location, output).target / "README.md").read_text("utf-8")

    before = (LEGACY / "README.md").read_text("utf-8")
    assert text.removeprefix(before) == SAID


def test_what_a_readme_says_is_not_said_again(location, output):
    """Whatever it says."""
    said = "## Data model\n\nLines.\n\n**Delivery.** Exactly-once.\n"
    (location.path / "README.md").write_text(said)

    text = (package_legacy(location, output).target / "README.md").read_text("utf-8")

    assert text.startswith(f"{said}\n## legacy_sink.connector.LegacySinkConnector\n\n### `dir")
    assert "At-least-once" not in text


def test_settings_that_cannot_be_asked_for_are_left_to_the_author(location, output):
    """Though the plugin is one that can be loaded."""
    code = location.path / "legacy_sink" / "connector.py"
    code.write_text(code.read_text().replace("return _CONFIG", "raise OSError"))

    made = package_legacy(location, output)

    name = "legacy_sink.connector.LegacySinkConnector"
    assert f"document in README.md the settings of {name}" in made.todo
    assert "###" not in (made.target / "README.md").read_text("utf-8")


def test_service_load_sees_what_is_built_of_it(location, output, tmp_path):
    """Which it did not before."""
    assert Plugins.service_load([location.path]).descriptors == []
    target = package_legacy(location, output).target

    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist"]
    subprocess.run(build, cwd=target, check=True, capture_output=True)

    found = Plugins.service_load([tmp_path / "dist"]).descriptors
    assert [(p.class_name, p.version) for p in found] == [
        ("legacy_sink.connector.LegacySinkConnector", "0.3.0")
    ]


def test_the_location_stays_as_it_is(location, output, monkeypatch):
    """It may be in use."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    before = sorted(path for path in location.path.rglob("*"))

    package_legacy(location, output)

    assert sorted(path for path in location.path.rglob("*")) == before


def test_the_licence_may_stand_in_the_metadata(location, output):
    """As in a wheel."""
    text = (location.path / "LICENSE").read_bytes()
    (location.path / "LICENSE").unlink()

    made = package_legacy(location, output)

    assert (made.target / "LICENSE").read_bytes() == text
    assert len(made.todo) == 1


def test_code_that_cannot_be_copied_leaves_nothing(location, output):
    """And is named."""
    (location.path / "legacy_sink" / "gone.txt").symlink_to("nowhere")

    with pytest.raises(ConnectError, match=r"legacy-sink cannot be created: .*gone\.txt"):
        package_legacy(location, output)

    assert list(output.iterdir()) == []


def test_bare_modules_become_a_project_too(tmp_path, output):
    """Without any metadata: defaults, and what they leave open."""
    (tmp_path / "shop.py").write_text(SINK.format(name="ShopSink") + "import nothing_such_here\n")
    (tmp_path / "mart.py").write_text(SINK.format(name="MartSink"))
    (tmp_path / "setup.py").write_text("raise SystemExit")

    made = package_legacy(Location(tmp_path), output)

    assert made.target.name == "mart"
    assert made.left_out == [("shop.ShopSink", "import-error")]
    assert sorted(p.name for p in (made.target / "src").iterdir()) == ["mart.py", "shop.py"]
    assert _project(made.target)["dependencies"] == ["plugwright>=0.1,<1"]
    assert made.todo == [
        "turn the module into a package, so that it can contain a conformance.toml",
        "document in README.md the settings of mart.MartSink",
        "state a licence in pyproject.toml, and add its text",
    ]


def test_nothing_that_can_be_loaded_is_an_error(tmp_path, output):
    """With the reason for each class that looked like a plugin."""
    (tmp_path / "shop.py").write_text(SINK.format(name="ShopSink") + "import nothing_such_here\n")

    with pytest.raises(DiscoveryError, match=r"can be loaded: shop\.ShopSink: import-error") as e:
        package_legacy(Location(tmp_path), output)

    assert e.value.code == "new.no-plugin"
    assert list(output.iterdir()) == []


def test_a_declaration_is_begun_for_each_connector(tmp_path, output):
    """Sources receive their topic in another way than sinks; what the author has stays."""
    package = tmp_path / "mart"
    package.mkdir()
    (package / "__init__.py").write_text(SINK.format(name="MartSink"))
    (package / "reading.py").write_text(SINK.format(name="Mart").replace("Sink", "Source"))
    (package / "testing.py").write_text("# own\n")

    code = package_legacy(Location(tmp_path), output).target / "src" / "mart"

    plugins = tomllib.loads((code / "conformance.toml").read_text("utf-8"))["plugin"]
    assert [(plugin["class"], plugin["config"]) for plugin in plugins] == [
        ("mart.MartSink", {"topics": "{topic}"}),
        ("mart.reading.Mart", {"topic": "{topic}"}),
    ]
    assert (code / "testing.py").read_text() == "# own\n"


def test_requirements_are_carried_over(tmp_path, output):
    """Those of extras are not, and the author's API is added where it was forgotten."""
    (tmp_path / "mart.py").write_text(SINK.format(name="MartSink"))
    metadata = tmp_path / "big_mart-2.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(
        'Metadata-Version: 2.1\nName: Big.Mart\nVersion: 2.0\nSummary: A "mart"\n'
        "Requires-Dist: attrs>=21\nRequires-Dist: httpx; extra == 'web'\n"
    )
    (tmp_path / metadata.parent / "RECORD").write_text("mart.py,,\n")

    project = _project(package_legacy(Location(tmp_path), output).target)

    assert project["dependencies"] == ["plugwright>=0.1,<1", "attrs>=21"]
    assert (project["name"], project["version"]) == ("big-mart", "2.0")
    assert project["description"] == 'A "mart"'


def test_of_several_distributions_only_the_plugins_code_is_taken(tmp_path, output):
    """The rest is named, for it may be needed."""
    (tmp_path / "mart.py").write_text(SINK.format(name="MartSink"))
    (tmp_path / "other.py").touch()
    for name in ("mart", "other"):
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "METADATA").write_text(f"Name: {name}\nVersion: 1\n")

    made = package_legacy(Location(tmp_path), output)

    assert [path.name for path in (made.target / "src").iterdir()] == ["mart.py"]
    assert made.todo[-1] == "check whether these are needed as well: other"


def test_the_new_name_is_checked(location, output):
    """And never in the place of something else."""
    with pytest.raises(ConfigError, match="'my sink' is not a valid Python package name"):
        package_legacy(location, output, "my sink")
    (output / "my-sink").mkdir()
    with pytest.raises(AlreadyExistsError):
        package_legacy(location, output, "My.Sink")
