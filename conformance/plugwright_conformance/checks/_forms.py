"""Checks of what user interfaces make of a definition: the order of fields, and their proposals."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright.config import ConfigType
from plugwright.errors import ConfigError
from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.config import ConfigDef, ConfigKey, Recommender
    from plugwright_conformance.catalogue.bench import Bench

_EMPTY_FORM = "a form in which nothing is filled in"


@registered
class PlacesInGroupsAreUnique(Check):
    """Each setting of a group has a place of its own in it."""

    id = "CON-CFG-11"
    severity = Severity.SHOULD
    level = Level.C1
    wave = 2
    title = "No two settings of a group have the same order"
    why = "Forms and documentation sort by it; settings with equal order change places."
    mend = "Count order_in_group upwards from 1 in each group."
    origin = "G-Cfg; CAT test_duplicate_order; apache/kafka#1721"

    def run(self, bench: Bench) -> Evidence:
        """Look at the settings that name a group and an order; neither is an obligation."""
        places: dict[tuple[str, int], list[str]] = defaultdict(list)
        for key in bench.connector().config().keys.values():
            if key.group is not None and key.order_in_group >= 0:
                places[key.group, key.order_in_group].append(key.name)
        if not places:
            raise NotApplicableError("no setting has both a group and an order in it")
        for (group, order), names in places.items():
            if len(names) > 1:
                raise CheckFailedError(
                    expected=f"one setting with order {order} in group {group}",
                    observed=", ".join(names),
                )
        return Evidence(len(places))


@registered
class RecommendationsAreValid(Check):
    """What a recommender proposes is accepted."""

    id = "CON-CFG-12"
    severity = Severity.SHOULD
    level = Level.C2
    wave = 2
    title = "Recommenders return acceptable values and never raise"
    why = "Forms offer these values; one that is rejected, or an error, ends in a form without use."
    mend = "Propose what the validator accepts, and nothing, as an empty list, if nothing is known."
    origin = "G-Cfg; kafka-connect-scylladb#64"

    def run(self, bench: Bench) -> Evidence:
        """Ask for proposals with and without values of other settings; parse and validate them."""
        definition = bench.connector().config()
        if not any(key.recommender for key in definition.keys.values()):
            raise NotApplicableError("no setting has a recommender")
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            found = _accepted(definition, config, "the example configuration")
        return Evidence(found + _accepted(definition, {}, _EMPTY_FORM))


def _accepted(definition: ConfigDef, given: Mapping[str, str], scenario: str) -> int:
    """How many proposals were asked for or accepted.

    Raises:
        CheckFailedError: if there are none, or one is not accepted by its own setting.
    """
    count, parsed = 0, _parsed(definition, given)
    for key in definition.keys.values():
        if key.recommender is not None:
            proposed = _proposed(key, key.recommender, parsed, scenario)
            for value in proposed:
                _require_valid(definition, key, value, scenario)
            count += 1 + len(proposed)
    return count


def _parsed(definition: ConfigDef, given: Mapping[str, str]) -> dict[str, object]:
    """What a recommender is given: a setting that is missing or wrong is null."""
    values: dict[str, object] = dict.fromkeys(definition.keys)
    for key in definition.keys.values():
        with suppress(ConfigError):
            values[key.name] = key.parse(given, definition.resolver)
    return values


def _proposed(
    key: ConfigKey, recommender: Recommender, parsed: Mapping[str, object], scenario: str
) -> Sequence[object]:
    try:
        recommender.visible(key.name, dict(parsed))
        return list(recommender.valid_values(key.name, dict(parsed)))
    except Exception as error:
        if isinstance(error, ConfigError) and scenario == _EMPTY_FORM:
            return ()  # which validation shows as a message on the setting
        raise CheckFailedError(
            expected=f"a list of recommended values for {key.name}, or an empty one",
            observed=f"{type(error).__name__}: {error}",
            scenario=scenario,
            likely="null instead of an empty list, or a setting that is not given yet",
        ) from error


def _require_valid(definition: ConfigDef, key: ConfigKey, value: object, scenario: str) -> None:
    """Other settings are no matter here: they may exclude a value that is right by itself."""
    secret = key.type is ConfigType.PASSWORD
    given = value if secret else definition.convert_to_string(value, key.type)
    try:
        definition.parse_value(key.name, given)
    except ConfigError as error:
        raise CheckFailedError(
            expected=f"recommended values of {key.name} that are accepted",
            observed="one that is not" if secret else str(error),
            scenario=scenario,
        ) from error
