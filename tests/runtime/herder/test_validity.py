"""What is answered to a configuration that is wrong."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError
from plugwright.herder._validity import require_no_errors


def test_a_misspelt_setting_is_named_beside_kafkas_words():
    """Kafka's text stays as it is."""
    value = {"name": "shop.url", "errors": ["it is missing"]}

    with pytest.raises(ConfigError, match="contains the following 1 error") as caught:
        require_no_errors({"configs": [{"value": value}]}, ["name", "shop.ulr"])

    assert caught.value.hint == "shop.ulr is not a setting; did you mean shop.url?"
