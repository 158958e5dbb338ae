"""What is answered to a configuration that is wrong."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError
from plugwright.herder.validity import require_no_errors, warn_of_misspellings


def test_a_misspelt_setting_is_named_beside_kafkas_words():
    """Kafka's text stays as it is."""
    value = {"name": "shop.url", "errors": ["it is missing"]}

    with pytest.raises(ConfigError, match="contains the following 1 error") as caught:
        require_no_errors({"configs": [{"value": value}]}, ["name", "shop.ulr"])

    assert caught.value.hint == "shop.ulr is not a setting; did you mean shop.url?"


def test_a_misspelt_optional_setting_is_a_warning(caplog):
    """It has its default, and nothing else would tell; keys that look like nothing are let be."""
    entries = [{"definition": {"name": name}} for name in ("name", "file", "batch.size")]
    given = ["name", "file", "bath.size", "colour", "producer.override.acks"]

    warn_of_misspellings("orders", {"configs": [*entries, {"definition": None}]}, given)

    assert caplog.messages == ['orders: unknown setting "bath.size"; did you mean "batch.size"?']
