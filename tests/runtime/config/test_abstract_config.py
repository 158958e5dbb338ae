"""Parsed configurations: typed access, views, use, providers, logging (reference §4.5)."""

from __future__ import annotations

import pickle

import pytest

from plugwright.config import (
    AbstractConfig,
    ConfigData,
    ConfigDef,
    ConfigProvider,
    ConfigType,
    NonNullValidator,
    Password,
)
from plugwright.errors import ConfigError, PluginError


def definition():
    """A few settings as Kafka clients have them."""
    return (
        ConfigDef()
        .define("sasl.mechanism", ConfigType.STRING, "GSSAPI")
        .define("kinit.cmd", ConfigType.STRING, "/usr/bin/kinit")
        .define("service.name", ConfigType.STRING, None)
        .define("relogin.ms", ConfigType.LONG, 60000)
        .define("jaas.config", ConfigType.PASSWORD, None)
    )


def config(**originals):
    """A configuration; double underscores in names are dots."""
    props = {key.replace("__", "."): value for key, value in originals.items()}
    return AbstractConfig(definition(), props)


def test_typed_getters():
    """One for each type."""
    types = ConfigDef()
    for kind in ConfigType:
        types.define(kind.value, kind)
    raw = {
        "boolean": "true", "string": "s", "int": "1", "short": "2", "long": "3", "double": "4",
        "list": "a,b", "class": "json.JSONDecoder", "password": "p",
    }  # fmt: skip

    parsed = AbstractConfig(types, raw)

    assert parsed.get_boolean("boolean") is True
    assert parsed.get_string("string") == "s"
    assert [parsed.get_int("int"), parsed.get_short("short"), parsed.get_long("long")] == [1, 2, 3]
    assert (parsed.get_double("double"), parsed.get_list("list")) == (4.0, ["a", "b"])
    assert parsed.get_class("class").__name__ == "JSONDecoder"
    assert parsed.get_password("password") == Password("p")


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda c: c["nope"], "Unknown configuration 'nope'"),
        (lambda c: c.get("nope"), "Unknown configuration 'nope'"),
        (lambda c: c.get_string("service.name"), "Configuration 'service.name' is null"),
        (
            lambda c: c.get_int("sasl.mechanism"),
            "Configuration 'sasl.mechanism' is of type str, not int",
        ),
        (
            lambda c: c.get_boolean("relogin.ms"),
            "Configuration 'relogin.ms' is of type int, not bool",
        ),
    ],
    ids=["unknown-item", "unknown", "null", "text-as-int", "int-as-boolean"],
)
def test_reading_what_is_not_there(read, message):
    """The key is named, and what was found."""
    with pytest.raises(ConfigError) as caught:
        read(config())

    assert str(caught.value) == message


def test_boolean_is_no_int():
    """A typed getter does not mistake one for the other."""
    flags = AbstractConfig(ConfigDef().define("a", ConfigType.BOOLEAN, True), {})

    with pytest.raises(ConfigError, match="of type bool, not int"):
        flags.get_int("a")


def test_null_is_read_without_a_type():
    """``config[key]`` gives whatever the value is."""
    assert config()["service.name"] is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, []), ({"a": ""}, []), ({"a": "b,c,d"}, ["b", "c", "d"])],
    ids=["default", "empty", "elements"],
)
def test_empty_list(given, expected):
    """Kafka's testEmptyList."""
    lists = ConfigDef().define("a", ConfigType.LIST, "", validator=NonNullValidator())

    assert AbstractConfig(lists, given).get_list("a") == expected


def test_invalid_value_fails_to_construct():
    """A configuration that exists is valid."""
    with pytest.raises(ConfigError, match="Not a number of type LONG"):
        config(relogin__ms="x")


def test_keys_must_be_strings():
    """The value of another key stays hidden."""
    with pytest.raises(ConfigError) as caught:
        AbstractConfig(definition(), {7: "hunter2"})

    assert str(caught.value) == "Invalid value [hidden] for configuration 7: Key must be a string."


def test_originals_with_prefix_record_use():
    """Kafka's testOriginalsWithPrefix."""
    parsed = config(foo__bar="abc", setting="def")

    found = parsed.originals_with_prefix("foo.")
    before = parsed.unused()
    value = found["bar"]

    assert (found, value) == ({"bar": "abc"}, "abc")
    assert (before, parsed.unused()) == (("foo.bar", "setting"), ("setting",))


def test_originals_with_prefix_can_keep_it():
    """The prefix itself is no key under the prefix."""
    parsed = AbstractConfig(definition(), {"foo.": "x", "foo.bar": "abc"})

    assert parsed.originals_with_prefix("foo.", strip=False) == {"foo.bar": "abc"}


@pytest.mark.parametrize(
    ("key", "value", "unused"),
    [
        pytest.param("sasl.mechanism", "PLAIN", ("p.kinit.cmd", "service.name"), id="over-global"),
        pytest.param(
            "kinit.cmd",
            "/bin/k2",
            ("sasl.mechanism", "p.sasl.mechanism", "service.name"),
            id="default",
        ),
        pytest.param(
            "service.name",
            "svc",
            ("sasl.mechanism", "p.sasl.mechanism", "p.kinit.cmd"),
            id="global",
        ),
        pytest.param(
            "relogin.ms",
            60000,
            ("sasl.mechanism", "p.sasl.mechanism", "p.kinit.cmd", "service.name"),
            id="unset",
        ),
    ],
)
def test_values_with_prefix_override(key, value, unused):
    """Kafka's testValuesWithPrefixOverride: who wins, and what counts as used."""
    parsed = config(
        sasl__mechanism="X",
        p__sasl__mechanism="PLAIN",
        p__kinit__cmd="/bin/k2",
        service__name="svc",
    )

    assert parsed.values_with_prefix_override("p.")[key] == value
    assert parsed.unused() == unused


def test_values_with_secondary_prefix():
    """Kafka's testValuesWithSecondaryPrefix: parsed by the last part's definition."""
    parsed = config(
        l__plain__jaas__config="s3cret", l__plain__relogin__ms="5", jaas__config="other"
    )

    values = parsed.values_with_prefix_override("l.")

    assert values["plain.jaas.config"] == Password("s3cret")
    assert values["plain.relogin.ms"] == 5
    assert values["jaas.config"] == Password("other")


def test_values_with_prefix_all_or_nothing():
    """Kafka's testValuesWithPrefixAllOrNothing: prefixed ones alone, or all."""
    parsed = config(p__sasl__mechanism="PLAIN", p__unknown="x", service__name="svc")

    assert parsed.values_with_prefix_all_or_nothing("p.") == {"sasl.mechanism": "PLAIN"}
    assert parsed.values_with_prefix_all_or_nothing("q.") == parsed.values()


def test_unused_and_unknown_keys():
    """Reading marks as used; the definition decides about known."""
    parsed = config(sasl__mechanism="PLAIN", strange="x", relogin__ms="5")

    parsed.get("relogin.ms")
    parsed.originals()["strange"]
    parsed.ignore("nothing")

    assert parsed.unused() == ("sasl.mechanism",)
    assert parsed.unknown_keys() == ("strange",)


def test_looking_over_the_originals_is_no_use():
    """Only looking a key up counts."""
    parsed = config(strange="x")

    dict(parsed.originals().items())

    assert parsed.unused() == ("strange",)


def test_originals_made_from_another_configuration_mark_there():
    """A definition that reads a view of other originals counts as their use."""
    outer = config(sasl__mechanism="PLAIN", strange="x")

    AbstractConfig(definition(), outer.originals())

    assert outer.unused() == ("strange",)


def test_unused_settings_are_logged(caplog):
    """One line, in the order given; nothing when all are used."""
    caplog.set_level("INFO")
    parsed = AbstractConfig(definition(), {"b": "1", "a": "2"}, log_values=False)

    parsed.log_unused()
    parsed.ignore("a")
    parsed.ignore("b")
    parsed.log_unused()

    assert caplog.messages == ["These configurations '[b, a]' were supplied but are not used yet."]


def test_originals_are_copies_with_overrides():
    """Changing a view changes no configuration."""
    parsed = config(a="1")

    view = parsed.originals({"b": 2})
    view["c"] = 3

    assert view == {"a": "1", "b": 2, "c": 3}
    assert parsed.originals() == {"a": "1"}


def test_views_can_be_pickled():
    """A view becomes a plain dictionary on the way to another process."""
    view = pickle.loads(pickle.dumps(config(a="1").originals()))  # noqa: S301  # own data

    assert (type(view), view) == (dict, {"a": "1"})


def test_originals_strings():
    """All must be strings; the type found is named, not the value."""
    assert config(a="1").originals_strings() == {"a": "1"}
    with pytest.raises(ConfigError) as caught:
        config(a=5).originals_strings()

    assert str(caught.value) == "Non-string value found in original settings for key a: int"


def test_internal_values_can_be_left_out():
    """Kafka's nonInternalValues."""
    both = ConfigDef().define("a", ConfigType.INT, 1).define("b", ConfigType.INT, 2, internal=True)

    assert AbstractConfig(both, {}).non_internal_values() == {"a": 1}


class Derived(AbstractConfig):
    """Derives one value from another."""

    def post_process_parsed_config(self, parsed):
        """The service is named after the mechanism."""
        return {"service.name": f"svc-{parsed['sasl.mechanism']}"}


def test_derived_values_replace_parsed_ones():
    """Secondary defaults see what was parsed."""
    assert Derived(definition(), {"sasl.mechanism": "X"})["service.name"] == "svc-X"


def test_equal_originals_make_equal_configurations():
    """Of the same class only."""
    assert config(a="1") == config(a="1")
    assert hash(config(a="1")) == hash(config(a="1"))
    assert config(a="1") != config(a="2")
    assert config() != Derived(definition(), {})


def test_values_are_logged_sorted_with_passwords_hidden(caplog):
    """Kafka's format, defaults included."""
    caplog.set_level("INFO")

    config(jaas__config="s3cret", relogin__ms="5", unknown="x")

    [message] = caplog.messages
    assert message == (
        "AbstractConfig values: \n"
        "\tjaas.config = [hidden]\n"
        "\tkinit.cmd = /usr/bin/kinit\n"
        "\trelogin.ms = 5\n"
        "\tsasl.mechanism = GSSAPI\n"
        "\tservice.name = null\n"
    )


def test_logging_can_be_turned_off(caplog):
    """Parsing the same settings again need not fill the log."""
    caplog.set_level("INFO")

    AbstractConfig(definition(), {}, log_values=False)

    assert caplog.messages == []


class Vault(ConfigProvider):
    """Knows one secret, and whether it is open."""

    open = False

    def configure(self, props):
        """Take the key."""
        self.key = props.get("key", "k")
        Vault.open = True

    def get(self, path, keys=None):  # the contract
        """The secret."""
        return ConfigData({self.key: "hunter2"})

    def close(self):
        """Close."""
        Vault.open = False


DECLARED = {
    "config.providers": "vault",
    "config.providers.vault.class": "Vault",
    "config.providers.vault.param.key": "user",
}


def resolved(originals, **arguments):
    """A configuration with a class loader that knows the vault."""
    return AbstractConfig(
        definition(), originals, class_loader={"Vault": Vault}.__getitem__, **arguments
    )


def test_declared_providers_resolve_and_are_closed():
    """Kafka's testAutoConfigResolution."""
    parsed = resolved({**DECLARED, "service.name": "${vault:p:user}", "x": "${vault:p:other}"})

    assert parsed["service.name"] == "hunter2"
    assert parsed.originals()["x"] == "${vault:p:other}"
    assert Vault.open is False


def test_providers_may_be_declared_elsewhere():
    """Provider settings in the originals do not count then."""
    originals = {"config.providers": "nonsense", "service.name": "${vault:p:user}"}

    parsed = resolved(originals, provider_props=DECLARED)

    assert parsed["service.name"] == "hunter2"


def test_ready_providers_are_used_and_left_open():
    """Who made them closes them."""
    vault = Vault()
    vault.configure({})

    parsed = AbstractConfig(definition(), {"service.name": "${v:k}"}, providers={"v": vault})

    assert (parsed["service.name"], Vault.open) == ("hunter2", True)


def test_without_providers_references_stay():
    """A reference is just text then."""
    assert resolved({"service.name": "${vault:p:user}"})["service.name"] == "${vault:p:user}"


def test_values_from_providers_are_logged_as_references(caplog):
    """What a provider keeps secret is secret, whatever the type of the setting."""
    caplog.set_level("INFO")

    resolved({**DECLARED, "service.name": "${vault:p:user}", "jaas.config": "${vault:p:user}"})

    assert "\tservice.name = ${vault:p:user}\n" in caplog.text
    assert "\tjaas.config = [hidden]\n" in caplog.text
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize(
    "read",
    [
        lambda: resolved({**DECLARED, "relogin.ms": "${vault:p:user}"}),
        lambda: resolved(
            {**DECLARED, "x.relogin.ms": "${vault:p:user}"}
        ).values_with_prefix_override("x."),
    ],
    ids=["setting", "prefixed"],
)
def test_invalid_value_from_a_provider_is_not_shown(read):
    """The message shows the reference."""
    with pytest.raises(ConfigError) as caught:
        read()

    assert "Invalid value ${vault:p:user} for configuration" in str(caught.value)
    assert caught.value.__suppress_context__
    assert "hunter2" not in str(caught.value) + repr(caught.value.facts)


class Reporter:
    """Something that settings name by class."""

    closed = 0

    def configure(self, props):
        """Take the settings."""
        self.extra = props["extra"]

    def close(self):
        """Count."""
        Reporter.closed += 1


class Silent(Reporter):
    """Needs no settings but fails with them."""

    def configure(self, props):
        """Fail."""
        raise ValueError(str(props))


def instances(value, **originals):
    """The instances that a LIST setting names, and the configuration."""
    classes = {"Reporter": Reporter, "Silent": Silent, "dict": dict}
    listed = ConfigDef(resolver=classes.__getitem__).define("reporters", ConfigType.LIST, None)
    parsed = AbstractConfig(listed, {"reporters": value, **originals})
    return parsed.get_configured_instances("reporters", Reporter), parsed


@pytest.mark.parametrize(
    ("value", "count"), [("", 0), (None, 0), ("Reporter", 1), ("Reporter, Reporter", 2)]
)
def test_configured_instances(value, count):
    """Kafka's testConfiguredInstances: made and configured with the originals."""
    made, parsed = instances(value, extra="e")

    assert [one.extra for one in made] == ["e"] * count
    assert parsed.unused() == (() if count else ("extra",))


@pytest.mark.parametrize("value", [",", "unknown", "Reporter,", "dict"])
def test_classes_that_cannot_be_used(value):
    """Unknown, empty and unfitting names."""
    with pytest.raises(ConfigError, match="for configuration reporters"):
        instances(value, extra="e")


def test_instances_made_before_a_failure_are_closed():
    """Nothing is left open when one of them fails."""
    Reporter.closed = 0

    with pytest.raises(PluginError, match=r"failed with ValueError \(phase configure\)"):
        instances("Reporter,Silent", extra="hunter2")

    assert Reporter.closed == 2


def test_one_configured_instance():
    """A CLASS setting names one, or none."""
    single = ConfigDef().define("c", ConfigType.CLASS, Reporter).define("n", ConfigType.CLASS, None)
    parsed = AbstractConfig(single, {})

    made = parsed.get_configured_instance("c", Reporter, {"extra": 1})

    assert made.extra == 1
    assert parsed.get_configured_instance("n", Reporter) is None
