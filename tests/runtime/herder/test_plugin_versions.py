"""The version settings of KIP-891: what they accept, choose, and say when nothing fits."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.runtime.herder.conftest import WORKER, FakeLauncher, ShopTask, World, _Shop

from plugwright import ConfigDef, ConfigType, Converter, HeaderConverter, Transformation
from plugwright.errors import ConfigError
from plugwright.herder import CONNECTOR_CONFIG, WORKER_CONFIG, EmbeddedHerder, WorkerConfig
from plugwright.plugins import (
    CONVERTER,
    HEADER_CONVERTER,
    SINK,
    SOURCE,
    TRANSFORMATION,
    Location,
    PluginDescriptor,
    Plugins,
)

OLD, NEW = Location(Path("/p/old")), Location(Path("/p/new"))
KINDS = {
    "ShopSourceConnector": SOURCE,
    "ShopSinkConnector": SINK,
    "ShopConverter": CONVERTER,
    "ShopHeaderConverter": HEADER_CONVERTER,
    "Shorten": TRANSFORMATION,
}


class _Plain:
    """A converter or transformation, of which the old version has a setting."""

    def config(self):
        definition = ConfigDef()
        return definition.define("size", ConfigType.INT, 1) if self.made == "1.0" else definition

    def configure(self, *args, **kwargs):
        type(self).seen.append((args, kwargs))

    def close(self):
        """Nothing is open."""


def _plain(base, version):
    methods = {name: lambda self, *_, **__: None for name in base.__abstractmethods__}
    space = {**methods, **vars(_Plain), "seen": [], "made": version, "__module__": "shop"}
    return type(f"Made{version.replace('.', '')}", (base,), space)


class Versions(World):
    """A world in which every plugin is there as 1.0 and 2.0, in two locations."""

    def __init__(self):
        super().__init__()
        found, classes = [], {}
        bases = {CONVERTER: Converter, HEADER_CONVERTER: HeaderConverter}
        for name, kind in KINDS.items():
            for version, place in (("1.0", OLD), ("2.0", NEW)):
                plugin = PluginDescriptor(kind, "shop", name, name, "shop", version, place)
                found.append(plugin)
                made = self.classes.get(plugin.class_name)
                classes[plugin] = made or _plain(bases.get(kind, Transformation), version)
        self.plugins = Plugins([], found, [])
        inherited = self.plugins.load
        self.plugins.load = lambda plugin: classes.get(plugin) or inherited(plugin)
        self.herder = self.make(**{"plugin.isolation": "none"})

    def refused(self, **settings):
        """The problems of a configuration, by key."""
        with pytest.raises(ConfigError) as caught:
            self.start(**settings)
        return dict(caught.value.facts["problems"])

    def launched(self, **settings):
        """The specification of the first task."""
        self.start(**settings)
        return self.launcher.launched[-1][1][0]


@pytest.fixture
def versions():
    """Every plugin twice."""
    return Versions()


KEYS = [
    "connector.plugin.version",
    "key.converter.plugin.version",
    "value.converter.plugin.version",
    "header.converter.plugin.version",
    "transforms.cut.plugin.version",
    "predicates.is.plugin.version",
]


def test_a_range_that_cannot_be_read_is_refused_before_the_connector_is_looked_for(versions):
    """As Kafka Connect does."""
    with pytest.raises(ConfigError, match="a range is not closed"):
        versions.start(**{"connector.plugin.version": "[1.0"})


@pytest.mark.parametrize("key", KEYS[1:])
def test_what_is_no_version_is_a_problem_of_its_key(versions, key):
    """Whatever it is for."""
    chain = {
        "transforms": "cut",
        "transforms.cut.type": "Shorten",
        "predicates": "is",
        "predicates.is.type": "RecordIsTombstone",
    }
    found = versions.refused(**chain, **{key: "[1.0"})
    prefix = key.removesuffix(".plugin.version")
    named = "connector.class" if prefix == "connector" else f"{prefix}.type"
    assert set(found) <= {key, named}
    assert found[key].startswith(
        f"Invalid value [1.0 for configuration {key}: a range is not closed, or something stands "
        "between two ranges; expected an exact version such as 1.9; "
    )


def test_all_problems_with_versions_come_at_once(versions):
    """Unreadable ones, ones that nothing fits, and a missing setting."""
    found = versions.refused(
        **{
            "connector.plugin.version": "2.0",
            "key.converter.plugin.version": ">=",
            "value.converter": "ShopConverter",
            "value.converter.plugin.version": "3.0",
            "transforms": "cut",
            "transforms.cut.type": "Shorten",
            "transforms.cut.plugin.version": "(,1.0)",
            "shop.url": None,
        }
    )
    assert list(found) == [
        "key.converter.plugin.version",
        "value.converter",
        "value.converter.plugin.version",
        "transforms.cut.plugin.version",
        "transforms.cut.type",
        "shop.url",
    ]
    assert found["value.converter.plugin.version"] == (
        "Plugin shop.ShopConverter not found that matches the version range 3.0, "
        "available versions: [1.0 (/p/old), 2.0 (/p/new)]"
    )


def test_a_connector_that_is_not_there_in_its_version_hides_no_other_problem(versions):
    """Its own settings cannot be asked for."""
    found = versions.refused(
        **{"connector.plugin.version": "3.0", "tasks.max": "none", "shop.url": None}
    )
    assert list(found) == ["connector.class", "connector.plugin.version", "tasks.max"]
    assert "available versions: [1.0 (/p/old), 2.0 (/p/new)]" in found["connector.plugin.version"]


@pytest.mark.parametrize(
    ("wanted", "version", "location"),
    [(None, "2.0", "/p/new"), ("latest", "2.0", "/p/new"), ("[1.0,2.0)", "1.0", "/p/old")],
)
def test_the_connector_runs_in_the_version_that_it_asks_for(versions, wanted, version, location):
    """And from its location."""
    spec = versions.launched(**{"connector.plugin.version": wanted})
    assert (spec.version, spec.location) == (version, location)


def test_the_connector_sees_the_versions_in_its_configuration(versions):
    """As in Kafka, where they are part of the original settings."""
    keys = {"connector.plugin.version": "1.0", "value.converter.plugin.version": "latest"}
    spec = versions.launched(**keys)
    assert {key: spec.config[key] for key in keys} == keys


@pytest.mark.parametrize(
    ("settings", "made"),
    [
        ({"connector.plugin.version": "1.0"}, "Made10"),
        ({"connector.plugin.version": "2.0"}, "Made20"),
        ({"connector.plugin.version": "2.0", "CONVERTER.plugin.version": "1.0"}, "Made10"),
        ({"connector.plugin.version": "1.0", "CONVERTER.plugin.version": "latest"}, "Made20"),
    ],
    ids=["own-old", "own-new", "asked-old", "asked-latest"],
)
@pytest.mark.parametrize("key", ["key.converter", "value.converter", "header.converter"])
def test_a_converter_comes_from_the_connectors_location_or_as_asked_for(
    versions, key, settings, made
):
    """Case 80: apache/kafka#7236."""
    name = "ShopHeaderConverter" if key.startswith("header") else "ShopConverter"
    settings = {k.replace("CONVERTER", key): v for k, v in settings.items()}
    spec = versions.launched(**{key: name, f"{key}.size": "5", **settings})
    reference = getattr(spec, key.replace(".", "_"))
    reported = {"converter.type": "header"} if key.startswith("header") else {}
    assert (reference.qualname, dict(reference.settings)) == (made, {"size": "5", **reported})


class _Watched(ConfigDef):
    """Remembers the keys that it was asked to judge."""

    seen: list

    def validate(self, props):
        """As its base, and remember."""
        self.seen.append(sorted(props))
        return super().validate(props)


def test_a_converter_is_not_asked_about_its_own_version(versions, monkeypatch):
    """One that refuses unknown settings would have to know it."""
    watched = _Watched()
    watched.seen = []
    converter = versions.plugins.load(versions.plugins.find("ShopConverter", CONVERTER))
    monkeypatch.setattr(converter, "config", lambda _: watched)
    versions.launched(**{"key.converter": "ShopConverter", "key.converter.plugin.version": "2.0"})
    assert watched.seen == [["converter.type"]]


@pytest.mark.parametrize(
    ("version", "wanted", "keys"),
    [
        ("1.0", None, ["key.converter.size"]),
        ("2.0", "1.0", ["key.converter.size"]),
        ("2.0", None, []),
        ("1.0", "2.0", []),
    ],
)
def test_settings_are_checked_against_the_version_that_will_run(versions, version, wanted, keys):
    """Only the old converter has a size, which must be a number."""
    found = versions.refused(
        **{
            "connector.plugin.version": version,
            "key.converter": "ShopConverter",
            "key.converter.size": "large",
            "key.converter.plugin.version": wanted,
            "tasks.max": "none",
        }
    )
    assert list(found) == ["tasks.max", *keys]


@pytest.mark.parametrize(
    ("wanted", "made"), [(None, "Made20"), ("1.0", "Made10"), ("<2.0", "Made10")]
)
def test_the_workers_converter_comes_in_the_workers_version(versions, wanted, made):
    """Whatever the version and location of the connector."""
    worker = {"value.converter": "ShopConverter"}
    worker |= {"value.converter.plugin.version": wanted} if wanted else {}
    versions.herder = versions.make(**worker, **{"plugin.isolation": "none"})
    spec = versions.launched(
        **{"connector.plugin.version": "1.0", "value.converter.plugin.version": "2.0"}
    )
    assert (spec.value_converter.qualname, dict(spec.value_converter.settings)) == (made, {})


def test_two_transformations_of_one_class_come_in_two_versions(versions):
    """Their names in the specification differ, and neither is given its version as a setting."""
    spec = versions.launched(
        **{
            "connector.plugin.version": "1.0",
            "transforms": "a,b,c",
            "transforms.a.type": "Shorten",
            "transforms.a.plugin.version": "2.0",
            "transforms.b.type": "shop.Shorten",
            "transforms.b.plugin.version": "[1.0]",
            "transforms.c.type": "Shorten",
        }
    )
    made = [
        spec.transform_classes[spec.transforms[f"transforms.{alias}.type"]].qualname
        for alias in "abc"
    ]
    assert made == ["Made20", "Made10", "Made10"]
    assert [key for key in spec.transforms if key.endswith("plugin.version")] == []


def test_an_unknown_transformation_with_a_version_is_a_problem_of_its_type(versions):
    """As one without."""
    found = versions.refused(
        **{
            "transforms": "a",
            "transforms.a.type": "Shrink",
            "transforms.a.plugin.version": "1.0",
        }
    )
    assert list(found) == ["transforms.a.type"]


def test_a_worker_with_a_wrong_version_does_not_start():
    """With its key."""
    with pytest.raises(ConfigError, match=r"key\.converter\.plugin\.version: Invalid value \[1"):
        WorkerConfig.parse({**WORKER, "key.converter.plugin.version": "[1"})


@pytest.mark.parametrize("key", KEYS[1:4])
@pytest.mark.parametrize("definition", [CONNECTOR_CONFIG, WORKER_CONFIG], ids=["conn", "worker"])
def test_version_settings_are_defined_and_documented(definition, key):
    """For documentation and validation through REST."""
    found = definition.keys[key]
    assert found.default_value is None
    assert str(found.validator).startswith("an exact version")
    assert key.removesuffix(".plugin.version") in found.documentation


def test_the_setting_follows_the_class_that_it_is_for():
    """In the order of definition, which is that of reports."""
    names = list(CONNECTOR_CONFIG.names)
    for key in KEYS[1:4]:
        assert names[names.index(key) - 1] == key.removesuffix(".plugin.version")
    assert names[names.index(KEYS[0]) - 1] == "connector.class"


def test_the_fakes_are_what_they_stand_for(versions):
    """A control: without versions, the newest of everything."""
    assert isinstance(versions.launcher, FakeLauncher)
    assert isinstance(versions.herder, EmbeddedHerder)
    assert versions.launched().task_class.qualname == ShopTask.__qualname__
    assert issubclass(versions.classes["shop.ShopSourceConnector"], _Shop)
