"""The options of the data source: their names, their values, and what is refused."""

from __future__ import annotations

import pytest

from plugwright.config import require_valid
from plugwright.errors import ConfigError
from plugwright.spark.datasource.options import (
    RowsOptions,
    cased,
    connector_properties,
    judged,
)
from plugwright.spark.rows import RowsMode
from plugwright.worker import ErrorSettings

VALID = {"connector.class": "x"}


def test_the_case_of_names_is_found_again():
    """Aliases are as in their list, settings as they are defined, others as Spark has them."""
    given = {
        "transforms": "addKey, Drop",
        "transforms.addkey.type": "A",
        "transforms.drop.predicate": "isOld",
        "predicates": "isOld",
        "predicates.isold.type": "P",
        "batchsize": "3",
        "other": "x",
    }

    assert cased(given, ["batchSize"]) == {
        "transforms": "addKey, Drop",
        "transforms.addKey.type": "A",
        "transforms.Drop.predicate": "isOld",
        "predicates": "isOld",
        "predicates.isOld.type": "P",
        "batchSize": "3",
        "other": "x",
    }


def test_settings_in_json_keep_their_names():
    """Numbers and truth values become the text that a configuration has."""
    found = cased({"rows.config": '{"queueName": "q", "max": 3, "on": true}'})

    assert found.items() >= {"queueName": "q", "max": "3", "on": "true"}.items()


@pytest.mark.parametrize("text", ["{", "[1]"])
def test_settings_that_are_no_json_object_are_refused(text):
    """The error names the option."""
    with pytest.raises(
        ConfigError, match=r"rows\.config (is not valid JSON|must be a JSON object)"
    ):
        cased({"rows.config": text})


def test_the_plugin_is_given_its_own_settings_and_a_name():
    """As in a worker it sees connector.class, tasks.max and topics as well."""
    given = {
        **VALID,
        "tasks.max": "2",
        "topics": "t",
        "file": "f",
        "rows": "records",
        "rows.limit": "1",
        "plugin.path": "p",
        "checkpointlocation": "c",
    }

    assert connector_properties(given) == {
        **VALID,
        "name": "rows",
        "tasks.max": "2",
        "topics": "t",
        "file": "f",
    }


def test_all_that_is_wrong_is_reported_at_once():
    """With what cannot be obeyed, and near matches."""
    given = {
        **VALID,
        "rows": "row",
        "rows.offsets": "{}",
        "rows.limmit": "3",
        "value.converter.schemas.enable": "false",
        "errors.deadletterqueue.topic.name": "q",
        "topics.regex": "t.*",
    }

    with pytest.raises(ConfigError) as caught:
        require_valid(judged(given))

    assert str(caught.value).split(" · ") == [
        "6 problems",
        (
            "rows: Invalid value row for configuration rows: String must be one of (case "
            "insensitive): VALUES, RECORDS"
        ),
        (
            "rows.offsets: Invalid value for configuration rows.offsets: expected "
            '{"offsets": [{"partition": {…}, "offset": {…}}, …]}'
        ),
        "rows.limmit: there is no such option; did you mean rows.limit?",
        (
            "value.converter.schemas.enable: is not supported here: rows contain the values "
            "themselves, so nothing is converted; remove it, or run a worker"
        ),
        (
            "errors.deadletterqueue.topic.name: is not supported here: a data source does not use "
            "Kafka; remove it, or run a worker"
        ),
        (
            "topics.regex: is not supported here: the rows for a sink have exactly one topic; "
            "remove it, or run a worker"
        ),
    ]


def test_options_are_parsed_with_times_in_seconds():
    """Those of errors as a worker has them."""
    found = RowsOptions.parse({
        **VALID,
        "rows": "Records",
        "rows.idle.timeout.ms": "250",
        "rows.offsets": '[{"partition": {"b": 1, "a": 2}, "offset": {"p": 3}}]',
        "errors.tolerance": "all",
        "errors.retry.timeout": "1500",
    })  # fmt: skip

    assert (found.mode, found.idle_s, found.limit) == (RowsMode.RECORDS, 0.25, 0)
    assert found.offsets.offset({"a": 2, "b": 1}) == {"p": 3}
    assert found.errors == ErrorSettings(tolerate_all=True, retry_timeout_s=1.5)
