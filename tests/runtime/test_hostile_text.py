"""Long text that is nearly a number, or nearly JSON, is read in one pass.

With a pattern that backtracks, some of these take hours; pytest's time limit ends the test then.
"""

from __future__ import annotations

import pytest

from plugwright import ConfigDef, ConfigType, DataError, Values
from plugwright.converters import JsonConverter

DIGITS = "1" * 1_000_000
NEARLY_NUMBERS = {
    "digits": f"{DIGITS}x",
    "hexadecimal": f"0x{DIGITS}",
    "fraction": f"1.{DIGITS}x",
    "point-first": f".{DIGITS}x",
    "exponent": f"1e{DIGITS}x",
    "two-points": f"{DIGITS}.{DIGITS}.",
}
NEARLY_JSON = {
    "escaped-quotes": b"01" + b'"\\' * 500_000,
    "quotes": b"01" + b'"' * 1_000_001,
    "escapes": b'01"' + b"\\a" * 500_000,
}


@pytest.mark.parametrize("text", NEARLY_NUMBERS.values(), ids=NEARLY_NUMBERS)
def test_a_setting_that_is_nearly_a_number_is_refused(text):
    """With one error."""
    definition = ConfigDef().define("rate", ConfigType.DOUBLE, documentation="")

    (found,) = definition.validate({"rate": text})

    assert len(found.error_messages) == 1


@pytest.mark.parametrize("text", NEARLY_NUMBERS.values(), ids=NEARLY_NUMBERS)
def test_text_that_is_nearly_a_number_is_text(text):
    """As any other text."""
    assert Values.parse_string(text).value == text


@pytest.mark.parametrize("data", NEARLY_JSON.values(), ids=NEARLY_JSON)
def test_bytes_that_are_no_json_are_refused(data):
    """With an error about the data."""
    converter = JsonConverter()
    converter.configure({"schemas.enable": "false", "converter.type": "value"})

    with pytest.raises(DataError):
        converter.to_connect_data("topic", data)
