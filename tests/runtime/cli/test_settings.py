"""What is said of a worker's settings that nothing reads."""

from __future__ import annotations

import pytest

from plugwright.cli import worker_misspellings


@pytest.mark.parametrize(
    ("key", "reported"),
    [
        ("plugin.pth", ['unknown setting "plugin.pth"; did you mean "plugin.path"?']),
        (
            "offset.storage.topc",
            ['unknown setting "offset.storage.topc"; did you mean "offset.storage.topic"?'],
        ),
        ("listners", ['unknown setting "listners"; did you mean "listeners"?']),
        ("request.timeout.ms", []),
        ("retry.backoff.max.ms", []),
        ("internal.value.converter", []),
        ("key.converter.schemas.enable", []),
        ("rest.port", []),
        ("ssl.truststore.type", []),
    ],
)
def test_a_key_that_looks_like_a_setting_is_reported(key, reported):
    """Settings of Kafka's that are not read here, or by others, are no misspellings."""
    assert worker_misspellings([key, "bootstrap.servers"]) == reported


def test_a_setting_that_is_given_is_not_meant_again():
    """Whoever gives both has a reason."""
    assert worker_misspellings(["plugin.pth", "plugin.path"]) == []
