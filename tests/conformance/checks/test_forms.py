"""What the checks of forms leave alone, and what they find."""

from __future__ import annotations

import pytest
from tests.conformance.conftest import check_of

from plugwright.config import ConfigDef, ConfigType, NonEmptyString, Range
from plugwright.errors import ConfigError
from plugwright_conformance.evidence.outcome import CheckFailedError, NotApplicableError

PLACES, PROPOSALS = check_of("CON-CFG-11"), check_of("CON-CFG-12")


class Proposing:
    """A recommender that proposes what a test specifies, or raises it."""

    def __init__(self, proposed):
        self.proposed = proposed
        self.seen = []

    def valid_values(self, name, parsed):
        """Remember what is asked, and answer."""
        self.seen.append(parsed)
        if isinstance(self.proposed, Exception):
            raise self.proposed
        return self.proposed

    def visible(self, name, parsed):
        """Always."""
        return True


@pytest.fixture
def judged(bench, monkeypatch):
    """Runs a check over a definition."""

    def judged(check, definition):
        connector = bench.connector()
        monkeypatch.setattr(type(connector), "config", lambda _: definition)
        return check().run(bench)

    return judged


def grouped(*places):
    """A definition with settings at these places, each a group and an order."""
    definition = ConfigDef()
    for number, (group, order) in enumerate(places):
        definition.define(f"s{number}", ConfigType.INT, 1, group=group, order_in_group=order)
    return definition


@pytest.mark.parametrize(
    "places",
    [
        [("a", 1), ("a", 2), ("b", 1)],
        [("a", 1), ("a", -1), ("a", -1)],
        [("a", 1), (None, 1), (None, 1)],
    ],
    ids=["unique", "no-order-given", "no-group-given"],
)
def test_group_and_order_are_no_obligation(judged, places):
    """Only where both are given can two settings be in one place."""
    assert judged(PLACES, grouped(*places)).observations > 0


def test_settings_in_one_place_are_named(judged):
    """With their group."""
    with pytest.raises(CheckFailedError) as caught:
        judged(PLACES, grouped(("a", 1), ("a", 2), ("a", 2)))

    assert caught.value.observed == "s1, s2"
    assert caught.value.expected == "one setting with order 2 in group a"


@pytest.mark.parametrize("places", [[], [(None, 1)], [("a", -1), ("a", -1)]])
def test_definition_without_places_is_not_judged(judged, places):
    """There is nothing to compare."""
    with pytest.raises(NotApplicableError):
        judged(PLACES, grouped(*places))


def recommending(proposed, kind=ConfigType.INT, **more):
    """A definition with a required setting, and one that has a recommender."""
    definition = ConfigDef().define("needed", ConfigType.STRING, validator=NonEmptyString())
    return definition.define("a", kind, recommender=Proposing(proposed), **more)


@pytest.mark.parametrize(
    "definition",
    [
        recommending([1, 2], validator=Range(1, 2)),
        recommending(["1"]),
        recommending([]),
        recommending(["t1", "t2"], ConfigType.LIST),
        recommending([["t1", "t2"]], ConfigType.LIST),
        recommending([True, "false"], ConfigType.BOOLEAN),
        recommending([NonEmptyString], ConfigType.CLASS),
    ],
    ids=["numbers", "text-of-a-number", "none", "elements", "lists", "truth", "classes"],
)
def test_proposals_that_fit_their_setting_pass(judged, definition):
    """As text or as a value of the setting's type."""
    assert judged(PROPOSALS, definition).observations >= 2


@pytest.mark.parametrize(
    ("definition", "observed"),
    [
        (recommending([0, 1], validator=Range(1, 2)), "Invalid value 0"),
        (recommending(["many"]), "Invalid value many"),
        (recommending(None), "TypeError"),
        (recommending(KeyError("table")), "KeyError"),
        (recommending(ConfigError("no such host")), "ConfigError: no such host"),
    ],
    ids=["out-of-range", "wrong-type", "null", "error", "refusal-of-the-example"],
)
def test_proposals_that_end_a_form_fail(judged, definition, observed):
    """With the setting that they are made for."""
    with pytest.raises(CheckFailedError) as caught:
        judged(PROPOSALS, definition)

    assert observed in caught.value.observed
    assert " a" in caught.value.expected


def test_recommender_sees_null_for_what_is_missing(judged):
    """As in a form that somebody begins to fill in, where a message is no error."""

    class Needing(Proposing):
        def valid_values(self, name, parsed):
            self.seen.append(parsed)
            if parsed["file"] is None:
                raise ConfigError("name a file first")
            return []

    needing = Needing([])
    definition = ConfigDef().define("file", ConfigType.STRING)
    judged(PROPOSALS, definition.define("a", ConfigType.INT, 1, recommender=needing))

    example, nothing = needing.seen
    assert example["file"]
    assert nothing == {"file": None, "a": 1}


def test_definition_without_recommender_is_not_judged(judged):
    """Most have none."""
    with pytest.raises(NotApplicableError):
        judged(PROPOSALS, ConfigDef().define("a", ConfigType.INT, 1))
