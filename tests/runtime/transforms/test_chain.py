"""Chains of transformations, compiled from the configuration of a connector."""

from __future__ import annotations

import pytest

from plugwright.config import ConfigDef, ConfigType, import_class
from plugwright.errors import ConfigError, PluginError
from plugwright.record import SourceRecord
from plugwright.transforms import Predicate, Transformation, TransformationChain

RECORD = SourceRecord(None, None, "orders", {"a": 1})
TWO = {
    "transforms": "hoist,route",
    "transforms.hoist.type": "HoistField$Value",
    "transforms.hoist.field": "f",
    "transforms.route.type": "RegexRouter",
    "transforms.route.regex": "(.*)s",
    "transforms.route.replacement": "$1",
}
DEAD = {"predicates": "dead", "predicates.dead.type": "RecordIsTombstone"}


class Noted(Transformation):
    """Notes what happens to it."""

    log: list[str]

    def config(self):
        """One setting."""
        return ConfigDef().define("how", ConfigType.STRING, default="well")

    def configure(self, props):
        """Fails if configured to."""
        self.log.append(f"configure {sorted(props)}")
        if props.get("how") == "badly":
            raise RuntimeError("no")
        if props.get("how") == "wrongly":
            raise ConfigError("wrongly is wrong", facts={"key": "how"})

    def apply(self, record):
        """Nothing."""
        return record

    def close(self):
        """Fails, without consequences."""
        self.log.append("close")
        raise RuntimeError("no")


@pytest.fixture
def noted():
    """A class of its own for each test."""
    return type("Noted", (Noted,), {"log": []})


def _compiled(props, **classes):
    def resolve(name):
        return classes.get(name) or import_class(f"plugwright.transforms:{name}")

    return TransformationChain.compile(props, resolve)


def _problems(props, **classes):
    with pytest.raises(ConfigError) as raised:
        _compiled(props, **classes)
    return dict(raised.value.facts["problems"])


def test_stages_apply_in_the_order_of_their_aliases():
    """The outcome of one is what the next one sees."""
    changed = _compiled(TWO).apply(RECORD)

    assert (changed.topic, changed.value) == ("order", {"f": {"a": 1}})


def test_without_transforms_a_record_stays_itself():
    """No copy is made, and the chain is false."""
    chain = _compiled({"name": "c"})

    assert chain.apply(RECORD) is RECORD
    assert not chain


def test_a_dropped_record_reaches_no_later_stage():
    """A filter ends the chain."""
    props = {**TWO, "transforms": "drop,hoist", "transforms.drop.type": "Filter"}

    assert _compiled(props).apply(RECORD) is None


@pytest.mark.parametrize(
    ("negate", "value", "dropped"),
    [("false", None, True), ("false", 1, False), ("true", None, False), ("true", 1, True)],
)
def test_a_predicate_says_which_records_a_stage_is_for(negate, value, dropped):
    """Or which it is not for, when negated (KIP-585)."""
    props = {
        **DEAD,
        "transforms": "drop",
        "transforms.drop.type": "Filter",
        "transforms.drop.predicate": "dead",
        "transforms.drop.negate": negate,
    }
    record = SourceRecord(None, None, "t", value)

    assert _compiled(props).apply(record) is (None if dropped else record)


def test_stages_tell_their_alias_and_plugins():
    """For error handling that guards each on its own."""
    props = {**TWO, **DEAD, "transforms.route.predicate": "dead"}
    first, second = _compiled(props)

    assert (first.alias, first.predicate) == ("hoist", None)
    assert type(second.predicate).__name__ == "RecordIsTombstone"
    assert isinstance(second.predicate, Predicate)


def test_all_problems_are_named_at_once_with_their_keys():
    """Also those that only the plugins together with their settings know."""
    props = {
        **TWO,
        "transforms": "hoist,route,cast,set,gone",
        "transforms.route.regex": "(",
        "transforms.cast.type": "Cast$Value",
        "transforms.set.type": "SetSchemaMetadata$Key",
        "transforms.gone.type": "Nothing",
    }
    found = _problems(props)

    assert [*found] == [
        "transforms.route.regex",
        "transforms.cast.spec",
        "transforms.set.schema.name",
        "transforms.gone.type",
    ]
    assert found["transforms.cast.spec"] == "Must specify at least one field to cast."
    assert found["transforms.set.schema.name"] == "Neither schema name nor version configured"


def test_a_predicate_that_is_not_listed_is_a_problem_of_its_stage():
    """With the names that there are."""
    found = _problems({**TWO, **DEAD, "transforms.hoist.predicate": "alive"})

    assert found == {
        "transforms.hoist.predicate": "Invalid value alive for configuration "
        "transforms.hoist.predicate: no predicate has this alias; predicates lists dead"
    }


def test_negation_of_nothing_is_refused_in_the_words_of_kafka():
    """The setting would have no effect."""
    found = _problems({**TWO, "transforms.hoist.negate": "true"})

    assert found["transforms.hoist.type"] == (
        "Config 'transforms.hoist.negate' was provided but there is no config "
        "'transforms.hoist.predicate' defining a predicate to be negated."
    )


def test_an_alias_occurs_once():
    """Twice the same stage is a mistake."""
    found = _problems({**TWO, "transforms": "hoist,hoist"})

    assert found["transforms"].endswith("Duplicate alias provided.")


def test_a_plugin_gets_its_own_settings_without_prefix(noted):
    """Predicate and negation are not its business."""
    props = {
        **DEAD,
        "transforms": "n",
        "transforms.n.type": "N",
        "transforms.n.how": "well",
        "transforms.n.predicate": "dead",
        "transforms.n.negate": "true",
    }
    _compiled(props, N=noted)

    assert noted.log == ["configure ['how', 'type']"]


def test_what_was_made_is_closed_when_another_stage_fails(noted):
    """Nothing stays behind, and a failure to close hides nothing."""
    props = {"transforms": "n,m", "transforms.n.type": "N", "transforms.m.type": "Cast$Key"}
    _problems(props, N=noted)

    assert noted.log[-1] == "close"


def test_a_plugin_that_fails_is_named(noted):
    """Its own error is the cause."""
    props = {"transforms": "n", "transforms.n.type": "N", "transforms.n.how": "badly"}
    with pytest.raises(PluginError, match=r"named by transforms\.n\.type") as raised:
        _compiled(props, N=noted)

    assert isinstance(raised.value.__cause__, RuntimeError)
    assert noted.log[-1] == "close"


def test_a_problem_of_a_plugin_gets_the_key_of_the_connector(noted):
    """Users know their settings by the whole key."""
    props = {"transforms": "n", "transforms.n.type": "N", "transforms.n.how": "wrongly"}

    assert _problems(props, N=noted) == {"transforms.n.how": "wrongly is wrong"}


def test_closing_closes_all_stages(noted):
    """Though each of them fails at it."""
    props = {"transforms": "n,m", "transforms.n.type": "N", "transforms.m.type": "N"}
    chain = _compiled(props, N=noted)
    chain.close()

    assert noted.log.count("close") == 2
