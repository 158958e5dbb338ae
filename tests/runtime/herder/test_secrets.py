"""What a config provider supplies appears nowhere, whatever setting it stands in (KIP-297)."""

from __future__ import annotations

import json
import logging

import pytest

from plugwright import ConfigDef, ConfigError, ConfigType, ConnectError, Importance
from plugwright.config import ConfigValue, HiddenTexts, invalid_value
from plugwright.herder import (
    ConfigStore,
    Herder,
    HerderParts,
    HerderSettings,
    MemoryLog,
    OffsetFile,
    SoleOwner,
    SparkWorker,
    StatusStore,
    WorkerConfig,
)
from plugwright.hosts import PluginHosts
from plugwright.logs import log_formatter
from plugwright.rest.failures import failure

WORKER = {"key.converter": "StringConverter", "value.converter": "StringConverter"}
SECRET = "pl4nted-s3cret"  # noqa: S105  # a made-up one


class Rig:
    """A herder over the plugins of the tests, with everything that it says."""

    def __init__(self, world, tmp_path):
        self.world = world
        self.file = tmp_path / "secrets.properties"
        self.file.write_text(f"long={SECRET}\nshort=7\nword=none\nlist=a,{SECRET},b\n")
        self.hidden = HiddenTexts()
        settings = {
            **WORKER,
            "config.providers": "file",
            "config.providers.file.class": (
                "org.apache.kafka.common.config.provider.FileConfigProvider"
            ),
            "config.providers.file.param.allowed.paths": str(tmp_path),
            "plugin.isolation": "none",
        }
        config = WorkerConfig.parse(settings)
        hosts = PluginHosts(world.plugins, isolated=False)
        offsets = OffsetFile(tmp_path / "connect.offsets")
        self.worker = SparkWorker(config, hosts, world.launcher, offsets, hidden=self.hidden)
        self.configs, self.statuses = ConfigStore(MemoryLog()), StatusStore(MemoryLog())
        self.herder = Herder(
            HerderParts(
                self.worker,
                world.plugins,
                self.configs,
                self.statuses,
                SoleOwner(),
                HerderSettings(settle_timeout_s=10.0, hide=self.hidden.hide),
            )
        )
        self.herder.start("http://localhost:8083/")

    def reference(self, key):
        """As it stands in a configuration."""
        return f"${{file:{self.file}:{key}}}"

    def config(self, **changes):
        """One that is valid, changed."""
        return {
            "name": "orders",
            "connector.class": "ShopSource",
            "shop.url": "http://shop",
            **{key.replace("_", "."): value for key, value in changes.items()},
        }

    def shown(self, config):
        """The values of a validation by their names, and its whole text."""
        found = self.herder.validate_connector_config(config)
        values = {
            each["value"]["name"]: each["value"] for each in found["configs"] if each["value"]
        }
        return values, json.dumps(found)

    def refusal(self, config):
        """What REST says to a request for it."""
        with pytest.raises(ConnectError) as caught:
            self.herder.put_connector_config("orders", config)
        return json.dumps(failure(caught.value).body.decode())

    def statuses_text(self):
        """Every status."""
        statuses = [self.statuses.connector("orders"), *self.statuses.tasks("orders").values()]
        return "".join(str(status) for status in statuses)


@pytest.fixture
def rig(world, tmp_path):
    """A herder with a file of secrets."""
    rig = Rig(world, tmp_path)
    yield rig
    rig.herder.close()
    rig.worker.close()


def define(world, *keys, judge=None):
    """Have the connectors of the tests know these settings; ``judge`` looks at their values."""
    definition = ConfigDef()
    for key in keys:
        definition = definition.define(
            key,
            ConfigType.STRING,
            default="",
            importance=Importance.LOW,
            documentation="",
            validator=judge,
        )
    for cls in world.classes.values():
        cls.config = lambda _: definition


@pytest.mark.parametrize(
    "key", ["shop.url", "tasks.max", "errors.tolerance", "transforms", "header.converter"]
)
@pytest.mark.parametrize("form", ["{}", "pre{}post", " {} "])
def test_validation_shows_the_reference_and_never_the_value(rig, key, form):
    """In a setting of any type, valid or not, alone or among other text."""
    config = rig.config()
    config[key] = form.format(rig.reference("long"))

    try:
        values, text = rig.shown(config)
    except ConnectError as error:
        values, text = {}, f"{error} {error.hint} {error.facts}"

    assert SECRET not in text
    assert not values or values[key]["value"] in {config[key], None}


def test_a_problem_of_a_resolved_value_names_the_reference_alone(rig, world):
    """Whoever judges a value may quote any part of it, changed in any way."""

    def judge(name, value):
        if value:
            raise invalid_value(name, value[::-1], f"nobody likes {value[3:]}")

    define(world, "shop.key", judge=judge)
    config = rig.config(shop_key=rig.reference("long"))

    values, text = rig.shown(config)
    refusal = rig.refusal(config)

    first = f"Invalid value {config['shop.key']} for configuration shop.key"
    assert values["shop.key"]["errors"] == [f"{first}: what it refers to is not valid"]
    assert SECRET[::-1] not in text + refusal
    assert SECRET[3:] not in text + refusal
    assert config["shop.key"] in refusal


def test_a_short_value_is_hidden_where_it_stands_and_garbles_nothing(rig):
    """``7`` occurs in many a message."""
    reference = rig.reference("short")

    values, _ = rig.shown(rig.config(tasks_max=reference, errors_tolerance="7 of 17"))

    assert values["tasks.max"]["value"] == reference
    assert "7 of 17" in values["errors.tolerance"]["errors"][0]


def test_an_error_about_another_setting_does_not_quote_it(rig, world):
    """As one of a connector that looks at its settings together."""

    def validate(_, props):
        problem = f"does not go with {props['shop.url']}"
        return [ConfigValue("other", None, [f"x{SECRET}"], [problem])]

    for cls in world.classes.values():
        cls.validate = validate

    values, text = rig.shown(rig.config(shop_url=rig.reference("long")))

    assert SECRET not in text
    assert values["other"]["errors"] == ["does not go with [hidden]"]


def test_statuses_and_logs_do_not_tell_what_a_connector_raises(rig, world, caplog):
    """Neither the connector's own failure nor that of a task, causes and notes included."""
    world.fail["start"] = RuntimeError(f"cannot reach http://{SECRET}@shop")
    formatter = log_formatter("text", rig.hidden.hide)

    with caplog.at_level(logging.DEBUG):
        rig.herder.put_connector_config("orders", rig.config(shop_url=rig.reference("long")))

    assert rig.statuses.connector("orders").state == "FAILED"
    assert "http://[hidden]@shop" in rig.statuses_text()
    assert SECRET not in rig.statuses_text()
    lines = "\n".join(formatter.format(record) for record in caplog.records)
    assert "http://[hidden]@shop" in lines
    assert SECRET not in lines


def test_a_task_that_fails_does_not_tell_it(rig, world):
    """Its trace comes from another process, which does not know what is secret."""
    rig.herder.put_connector_config("orders", rig.config(shop_url=rig.reference("long")))
    (status,) = [type("S", (), {"state": "FAILED", "trace": f"Error: {SECRET}", "topics": ()})]

    world.launcher.listeners[0](0, status)
    rig.herder.settle(10.0)

    assert rig.statuses.tasks("orders")[0].trace == "Error: [hidden]"


def test_task_configurations_keep_the_reference_wherever_the_value_went(rig, world):
    """A connector may make another setting of it; the stored and shown one refers as well."""
    reference = rig.reference("long")
    for cls in world.classes.values():
        cls.task_configs = lambda self, _: [
            {**self.props, "dsn": f"db://{self.props['shop.url']}@x"}
        ]

    rig.herder.put_connector_config("orders", rig.config(shop_url=reference))

    (info,) = rig.herder.task_configs("orders")
    assert info.config["shop.url"] == reference
    assert info.config["dsn"] == f"db://{reference}@x"
    (spec,) = world.launcher.launched[0][1]
    assert spec.config["dsn"] == f"db://{SECRET}@x"
    assert SECRET in spec.errors.hidden
    assert SECRET not in repr(spec)


@pytest.mark.parametrize("error", [ConnectError, ConfigError])
def test_requests_about_offsets_do_not_tell_it(rig, world, error):
    """A connector that refuses them may say with what it has been configured."""
    config = rig.config(shop_url=rig.reference("long"))

    def alter_offsets(_, props, __):
        raise error(f"not at {props['shop.url']}")

    for cls in world.classes.values():
        cls.alter_offsets = alter_offsets

    with pytest.raises(ConnectError) as caught:
        rig.worker.alter_offsets("orders", config, [({"p": 1}, {"o": 2})])

    assert type(caught.value) is ConnectError  # what a plugin refuses is no bad request
    assert "not at " in str(caught.value)
    assert SECRET not in str(caught.value)
