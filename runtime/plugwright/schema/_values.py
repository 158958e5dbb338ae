"""Values: parses, infers and converts values, as in Kafka Connect."""

from __future__ import annotations

from plugwright.schema import _conversion, _inference, _moments, _parsing, _text


class Values:
    """Static methods that parse, infer and convert values.

    >>> Values.parse_string("[1, 2.5]").value
    [1.0, 2.5]
    >>> Values.convert_to_long(None, "42")
    42
    >>> Values.convert_to_string(None, {"a": [1, None]})
    '{"a":[1,null]}'
    """

    parse_string = staticmethod(_parsing.parse_string)
    infer_schema = staticmethod(_inference.infer_schema)
    convert_to_boolean = staticmethod(_conversion.convert_to_boolean)
    convert_to_byte = staticmethod(_conversion.convert_to_byte)
    convert_to_short = staticmethod(_conversion.convert_to_short)
    convert_to_integer = staticmethod(_conversion.convert_to_integer)
    convert_to_long = staticmethod(_conversion.convert_to_long)
    convert_to_float = staticmethod(_conversion.convert_to_float)
    convert_to_double = staticmethod(_conversion.convert_to_double)
    convert_to_decimal = staticmethod(_conversion.convert_to_decimal)
    convert_to_list = staticmethod(_conversion.convert_to_list)
    convert_to_map = staticmethod(_conversion.convert_to_map)
    convert_to_struct = staticmethod(_conversion.convert_to_struct)
    convert_to_date = staticmethod(_moments.convert_to_date)
    convert_to_time = staticmethod(_moments.convert_to_time)
    convert_to_timestamp = staticmethod(_moments.convert_to_timestamp)
    convert_to_string = staticmethod(_text.convert_to_string)
