"""``plugwright explain``: the chain, and the one thing to do, over a table of broken plugins."""

from __future__ import annotations

import json
import platform
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parents[2] / "golden" / "cli"
GROUP = "[plugwright.SinkConnector]\n"
SINK = "from plugwright import SinkConnector\nclass Sink(SinkConnector):\n    pass\n"
GOOD = SINK.replace(
    "    pass", "    version = config = start = stop = task_class = task_configs = None"
)
SYNC = "→ run: connect-plugin-path sync-manifests --plugin-location "
NEEDY = GOOD + "    def __init__(self, place): ...\n"
PROVIDER = "from plugwright import ConfigProvider\nclass Sink(ConfigProvider):\n    get = 0\n"
PYTHON = "Requires-Python: >=4\n"


def _last(answer):
    return answer[0], answer[1].splitlines()[-1]


def _states(text):
    """The links that do not hold, and the first that was not reached."""
    rows = [(line[:13].strip(), line[13:26].strip()) for line in text.splitlines()[1:-1]]
    return [name for state, name in rows if state == "broken"]


@pytest.fixture
def explain(plugwright, tmp_path):
    """Explains a name on the path of the test's packages."""
    path = tmp_path / "path"
    return lambda name, *options: plugwright("explain", name, "--plugin-path", path, *options)


STATIC = {
    "the plugin path does not exist": (
        lambda package: None,
        "plugin path",
        "→ correct the plugin path: {path}",
    ),
    "the location is no archive": (
        lambda package: (package().path.parent / "shop.whl").write_bytes(b"PK"),
        "location",
        "→ put a sound copy there, or take it off the plugin path",
    ),
    "no location has it": (
        lambda package: package().module("mart.py", "class Other: ...\n"),
        "metadata",
        "→ install its package into a location of the plugin path",
    ),
    "the name is misspelt": (
        lambda package: package().metadata(f"{GROUP}s = shop:Zink\n").module("shop.py", "Zink = 1"),
        "metadata",
        "→ is Zink meant? write that name",
    ),
}


@pytest.mark.parametrize("case", STATIC.values(), ids=STATIC)
def test_a_name_that_is_nowhere_ends_with_one_thing_to_do(explain, package, tmp_path, case):
    """Nothing has to be imported to tell."""
    make, link, last = case
    make(package)
    answer = explain("Sink")

    assert _last(answer) == (4, last.format(path=tmp_path / "path"))
    assert _states(answer[1]) == [link]


@pytest.mark.parametrize(
    ("name", "near"), [("shop.Sink", "shopping.Sink"), ("RegexRooter", "RegexRouter")]
)
def test_a_name_that_is_nearly_one_is_asked_for(explain, package, name, near):
    """Of a location or of the runtime."""
    package().metadata(f"{GROUP}s = shopping:Sink\n").module("shopping.py", GOOD)

    assert _last(explain(name)) == (4, f"→ is {near} meant? write that name")


BROKEN = {
    "no entry point": (
        lambda p: p.metadata().module(text=GOOD),
        ["entry point"],
        SYNC + "{path}/shop",
    ),
    "a group that is not read": (
        lambda p: p.metadata("[plugwright.SinkConnectr]\ns = shop:Sink\n").module(text=GOOD),
        ["entry point"],
        "→ rename the group to [plugwright.SinkConnector], and install again",
    ),
    "a misspelt group of another kind": (
        lambda p: p.metadata("[plugwright.SourceConnectr]\ns = shop:Sink\n").module(text=GOOD),
        ["entry point"],
        "→ rename the group to [plugwright.SinkConnector], and install again",
    ),
    "a config provider": (
        lambda p: p.metadata().module(text=PROVIDER),
        ["entry point"],
        "→ declare it: Sink = shop:Sink in [plugwright.ConfigProvider], and install again",
    ),
    "the group of another kind": (
        lambda p: p.metadata("[plugwright.Converter]\ns = shop:Sink\n").module(text=GOOD),
        ["entry point"],
        "→ move the entry to [plugwright.SinkConnector], and install again",
    ),
    "a line that cannot be read": (
        lambda p: p.metadata(f"{GROUP}s = shop.Sink\n").module(text=GOOD),
        ["entry point"],
        "→ write line 2 of shop-1.0.dist-info/entry_points.txt as 'name = module:Class'",
    ),
    "an entry with a misspelt class": (
        lambda p: p.metadata(f"{GROUP}s = shop:Sinc\n").module(text=GOOD),
        ["entry point"],
        "→ correct the entry: s = shop:Sink",
    ),
    "a manifest in UTF-16": (
        lambda p: p.metadata(f"{GROUP}s = shop:Sink\n".encode("utf-16")).module(text=GOOD),
        ["metadata", "entry point"],
        "→ write shop-1.0.dist-info/entry_points.txt anew in UTF-8: install the package again",
    ),
    "no file of the module": (
        lambda p: p.metadata(f"{GROUP}Sink = shop.sinc:Sink\n").module(
            "shop/sink.py", "class A: 0"
        ),
        ["module"],
        "→ correct the entry: Sink = shop.sink:Sink",
    ),
    "a module of Python's own": (
        lambda p: p.metadata(f"{GROUP}Sink = json:JSONDecoder\n"),
        ["class"],
        "→ rename the module, and correct its entry",
    ),
    "no file at all": (
        lambda p: p.metadata(f"{GROUP}Sink = shop:Sink\n"),
        ["module"],
        "→ install the package again, its files are missing",
    ),
    "a dependency is missing": (
        lambda p: p.metadata(f"{GROUP}s = shop:Sink\n").module(text=f"import no_such\n{GOOD}"),
        ["import"],
        "→ install no_such into the location",
    ),
    "the import ends the process": (
        lambda p: p.metadata(f"{GROUP}s = shop:Sink\n").module(text=f"{GOOD}raise SystemExit(3)\n"),
        ["import"],
        "→ fix the module, or remove it from the location",
    ),
    "Python cannot parse it": (
        lambda p: p.metadata().module(text=f"{GOOD}def\n"),
        ["entry point", "import"],
        "→ correct shop.py, line 4",
    ),
    "the class is not there": (
        lambda p: p.metadata(f"{GROUP}Sink = shop:Sink\n").module(
            text=GOOD.replace(" Sink(", " Sank(")
        ),
        ["class"],
        "→ correct the entry: Sink = shop:Sank",
    ),
    "no class": (
        lambda p: p.metadata(f"{GROUP}Sink = shop:Sink\n").module(text="def Sink(): ...\n"),
        ["class"],
        "→ name a class in the entry",
    ),
    "another base class": (
        lambda p: p.metadata(f"{GROUP}s = shop:Sink\n").module(text="class Sink: ...\n"),
        ["class"],
        "→ extend plugwright.SinkConnector, or move the entry to the group of its base class",
    ),
    "no base class, undeclared": (
        lambda p: p.metadata().module(text="class Sink: ...\n"),
        ["entry point", "class"],
        "→ extend a base class of plugwright, such as plugwright.SinkConnector",
    ),
    "abstract methods": (
        lambda p: p.metadata(f"{GROUP}s = shop:Sink\n").module(text=SINK),
        ["class"],
        "→ define every abstract method of plugwright.SinkConnector",
    ),
    "abstract methods, undeclared": (
        lambda p: p.metadata().module(text=SINK),
        ["entry point", "class"],
        "→ define every abstract method of plugwright.SinkConnector",
    ),
    "arguments": (
        lambda p: p.metadata(f"{GROUP}s = shop:Sink\n").module(text=NEEDY),
        ["class"],
        "→ give every parameter of its constructor a default, and read settings in start()",
    ),
    "arguments, undeclared": (
        lambda p: p.metadata().module(text=NEEDY),
        ["entry point", "class"],
        "→ give every parameter of its constructor a default, and read settings in start()",
    ),
    "another Python": (
        lambda p: p.metadata(f"{GROUP}s = shop:Sink\n", extra=PYTHON).module(text=GOOD),
        ["version"],
        "→ install a release for this Python, or run the worker on one that fits",
    ),
    "another Python, as eggs say it": (
        lambda p: (
            p.metadata(f"{GROUP}s = shop:Sink\n", extra=PYTHON)
            .module(text=GOOD)
            .path.joinpath("shop-1.0.dist-info/METADATA")
            .rename(p.path / "shop-1.0.dist-info/PKG-INFO")
        ),
        ["version"],
        "→ install a release for this Python, or run the worker on one that fits",
    ),
    "another Python, undeclared": (
        lambda p: p.metadata(extra=PYTHON).module(text=GOOD),
        ["entry point", "version"],
        "→ install a release for this Python, or run the worker on one that fits",
    ),
}
USABLE = ("entry point", "metadata")


@pytest.mark.slow
@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_a_broken_plugin_ends_with_one_thing_to_do(explain, package, tmp_path, case):
    """Usable plugins, which some modes do not see, are status 0."""
    make, links, last = case
    make(package())
    answer = explain("Sink")

    usable = "is a sink" in answer[1] and set(links) <= set(USABLE)
    assert _last(answer) == (0 if usable else 4, last.format(path=tmp_path / "path"))
    assert _states(answer[1]) == links


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Sink", "s", "shop.Sink", "shop:Sink"])
def test_a_usable_plugin_ends_with_how_to_use_it(explain, package, name):
    """By whatever name it was asked for."""
    package().metadata(f"{GROUP}s = shop:Sink\n").module(text=GOOD)
    answer = explain(name)

    assert _last(answer) == (0, f"→ use it: connector.class={name.replace(':', '.')}")
    assert _states(answer[1]) == []


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("org.apache.kafka.connect.transforms.RegexRouter", "transforms.<name>.type"),
        ("FileConfigProvider", "config.providers.<name>.class"),
        ("SimpleHeaderConverter", "header.converter"),
        (
            "AllConnectorClientConfigOverridePolicy",
            "connector.client.config.override.policy",
        ),
    ],
)
def test_a_plugin_of_the_runtime_needs_no_location(plugwright, name, setting):
    """Nor a plugin path."""
    answer = plugwright("explain", name)

    assert _last(answer) == (0, f"→ use it: {setting}={name}")


@pytest.mark.slow
def test_the_chain_is_golden(plugwright, monkeypatch):
    """The bundled plugin without a manifest."""
    monkeypatch.chdir(ROOT)
    code, out, err = plugwright("explain", "LegacySink", "--plugin-path", "plugin-path")

    assert (code, err) == (0, "")
    assert out == (GOLDEN / "explain.txt").read_text("utf-8")


@pytest.mark.slow
def test_the_mode_of_the_worker_decides_the_status(explain, package, tmp_path):
    """What hybrid_warn sees, service_load does not; a misspelt setting is reported in addition."""
    package().metadata().module(text=GOOD)
    worker = tmp_path / "worker.properties"
    worker.write_text("plugin.discovery=SERVICE_LOAD\nplugin.isolaton=none\n")
    code, out, err = explain("Sink", "--worker-config", worker)

    assert err == 'warning: unknown setting "plugin.isolaton"; did you mean "plugin.isolation"?\n'
    assert (code, _states(out)) == (4, ["entry point", "modes"])
    assert (
        "usable in only_scan, hybrid_warn; not in hybrid_fail, service_load, and the worker uses "
        "service_load\n"
    ) in out


@pytest.mark.slow
def test_an_alias_of_two_classes_is_broken(explain, package):
    """Their full names are not."""
    for name in ("mart", "shop"):
        entry = f"{GROUP}{name} = {name}:Sink\n"
        package(name).metadata(entry, name=name).module(f"{name}.py", GOOD)
    answer = explain("Sink")

    assert _last(answer) == (4, "→ use the full class name: mart.Sink")
    assert (_states(answer[1]), "Sink could mean mart.Sink, shop.Sink" in answer[1]) == (
        ["alias"],
        True,
    )
    assert explain("shop.Sink")[0] == 0


@pytest.mark.slow
def test_a_source_and_a_sink_share_their_names(explain, package):
    """Both are meant by connector.class."""
    source = GOOD.replace("SinkConnector", "SourceConnector")
    place = package("mart").metadata("[plugwright.SourceConnector]\nm = mart:Sink\n", name="mart")
    place.module("mart.py", source)
    package("shop").metadata(f"{GROUP}s = shop:Sink\n").module(text=GOOD)

    assert _states(explain("Sink")[1]) == ["alias"]


@pytest.mark.slow
def test_a_broken_copy_that_nothing_declares_hides_no_other(explain, package):
    """No mode sees it."""
    package("a").metadata(f"{GROUP}s = shop:Sink\n").module(text=GOOD)
    package("b").metadata(version="2.0").module(text=f"{GOOD}import no_such\n")
    answer = explain("Sink")

    assert (answer[0], _states(answer[1])) == (0, [])


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [f"{GOOD}Sink = type('Sink', (Sink,), {{}})\n".replace("class Sink(", "class _Base(").replace(
        "(Sink,)", "(_Base,)"), GOOD],
    ids=["made", "linked"],
)  # fmt: skip
def test_classes_of_calls_and_of_linked_packages_are_found(explain, package, tmp_path, text):
    """And links that lead back do not hang."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "part.py").write_text(text)
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "elsewhere")
    (package().metadata().path / "shop").symlink_to(tmp_path / "elsewhere")

    assert explain("Sink")[1].startswith("Sink is shop.part.Sink\n")


@pytest.mark.slow
def test_the_manifest_of_another_distribution_does_not_matter(explain, package):
    """Where this one can be read."""
    place = package().metadata(f"{GROUP}s = shop:Sink\n").module(text=GOOD)
    place.metadata(GROUP.encode("utf-16"), name="other")

    assert _states(explain("Sink")[1]) == []


@pytest.mark.slow
def test_the_highest_version_is_explained(explain, package, tmp_path):
    """With the copies that it hides; another one can be asked for."""
    for version in ("1.9", "1.10"):
        place = package(f"shop-{version}").metadata(f"{GROUP}s = shop:Sink\n", version=version)
        place.module(text=GOOD)
    path = tmp_path / "path"

    assert f"copies       used before 1.9 in {path}/shop-1.9\n" in explain("Sink")[1]
    assert (
        f"copies       used before 1.10 in {path}/shop-1.10\n"
        in (explain("Sink", "--plugin-version", "[1.0,1.10)")[1])
    )
    answer = explain("Sink", "--plugin-version", "3.0")
    assert (answer[0], _states(answer[1])) == (4, ["version"])
    assert answer[1].count("matches the version range 3.0, available versions: [1.10 (") == 1


@pytest.mark.slow
def test_a_copy_of_the_host_hides_the_locations(explain, package):
    """As packages that are installed beside the worker do."""
    text = f"import packaging\n{GOOD}"
    package().metadata().module("packaging/tags.py", text)
    answer = explain("Sink")

    assert _last(answer) == (
        4,
        "→ remove it from the worker's own environment, or from the location",
    )
    assert _states(answer[1]) == ["entry point", "copies"]


@pytest.mark.slow
def test_json_has_every_link(explain, package):
    """With a format and sorted keys."""
    package().metadata(f"{GROUP}s = shop:Sink\n", extra=PYTHON).module(text=GOOD)
    code, out, _ = explain("Sink", "--json")
    document = json.loads(out)

    assert (code, document["format"], document["usable"]) == (4, "plugwright-explain/1", False)
    assert json.dumps(document, indent=2, sort_keys=True) + "\n" == out
    assert document["links"][7] == {
        "link": "version",
        "state": "broken",
        "found": f"1.0 requires Python >=4, and this is {platform.python_version()}",
        "hint": "install a release for this Python, or run the worker on one that fits",
    }


def test_no_location_at_all_is_no_error(plugwright):
    """The plugin path is what is wrong then."""
    assert _last(plugwright("explain", "Sink")) == (
        4,
        "→ put the package's directory on the plugin path",
    )


@pytest.mark.slow
def test_names_of_plugins_cannot_steer_the_terminal(explain, package, tmp_path):
    """A directory with an escape sequence."""
    package("a\x1b[1m").metadata(f"{GROUP}s = shop:Sink\n").module(text=GOOD)
    out = explain("Sink")[1]

    assert ("\x1b" in out, "a\\x1b[1m exists" in out) == (False, True)
    shutil.rmtree(tmp_path / "path")
