"""Keys, values and headers as text; headers with an inferred type."""

from __future__ import annotations

import codecs
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, Width
from plugwright.converters._base import HeaderConverter
from plugwright.converters._data_converter import DataConverter, converter_config
from plugwright.converters._java_text import java_text
from plugwright.converters.misfit import MisfitError, too_deep
from plugwright.errors import ConfigError, DataError
from plugwright.schema import BYTES_SCHEMA, OPTIONAL_STRING_SCHEMA, Schema, SchemaAndValue, Values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_NO_VALUE = SchemaAndValue(None, None)


class SimpleHeaderConverter(HeaderConverter):
    """Writes ``Values.convert_to_string``, reads ``Values.parse_string``; Kafka's default.

    So the header ``12`` is read as INT8 and ``[1,2]`` as an array. It keeps data that Kafka loses:
    see ``Values.parse_string``. Bytes that are not UTF-8 are read as BYTES; Java replaces them
    with replacement characters.
    """

    def from_connect_header(
        self, topic: str, name: str, schema: Schema | None, value: Any
    ) -> bytes | None:
        """The header's text as UTF-8; ``None`` stays ``None``.

        Raises:
            DataError: if the value, or one inside it, has no text form.
        """
        try:
            text = Values.convert_to_string(schema, value)
            return None if text is None else text.encode()
        except (DataError, UnicodeEncodeError) as error:
            misfit = MisfitError(f"header {name}: {error}", code="data.not-encodable")
            raise misfit.as_data_error(topic) from error

    def to_connect_header(self, topic: str, name: str, data: bytes | None) -> SchemaAndValue:  # noqa: ARG002  # the bytes decide
        """The value inferred from the text of a header; bytes that are not text stay bytes."""
        if data is None:
            return _NO_VALUE
        try:
            return Values.parse_string(data.decode())
        except UnicodeDecodeError:
            return SchemaAndValue(BYTES_SCHEMA, data)


_MARKS: Mapping[str, tuple[bytes, ...]] = MappingProxyType(
    {
        "utf-16": (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE),
        "utf-32": (codecs.BOM_UTF32_BE, codecs.BOM_UTF32_LE),
    }
)
"""The byte order marks of encodings that allow both byte orders."""

_TEXTS = frozenset({str, NoneType})
_NOTHING = SchemaAndValue(OPTIONAL_STRING_SCHEMA, None)


class StringConverter(DataConverter):
    """Writes the text form of any value, reads optional strings.

    The text form is Java's ``toString``, except for values that Java prints without content: bytes
    are refused, and dates, times and timestamps have their ISO form at UTC. Bytes that are not text
    in the encoding are refused as well; Java replaces them.

    Settings: ``converter.encoding`` (UTF-8).
    """

    def __init__(self) -> None:
        self._encoding = "utf-8"
        self._mark = b""
        self._marks: tuple[bytes, ...] = ()

    def config(self) -> ConfigDef:
        """The settings that the converter takes, without their prefix."""
        return converter_config().define(
            "converter.encoding",
            ConfigType.STRING,
            default="UTF-8",
            importance=Importance.HIGH,
            documentation="The encoding of the text.",
            width=Width.MEDIUM,
            display_name="Encoding",
        )

    def _apply(self, settings: dict[str, Any]) -> None:
        named = settings["converter.encoding"]
        encoding = "UTF-8" if named is None else named  # a null is ignored, as by Java's serializer
        try:
            name = codecs.lookup(encoding).name
            "".encode(name)
        except (LookupError, ValueError) as error:
            raise ConfigError(
                f"converter.encoding: unknown text encoding {encoding!r}",
                hint="use UTF-8, or another encoding that Python supports",
                facts={"key": "converter.encoding", "value": encoding},
            ) from error
        # Without a mark UTF-16 and UTF-32 are big-endian in Java; it writes one for UTF-16 only.
        self._encoding = f"{name}-be" if name in _MARKS else name
        self._mark = codecs.BOM_UTF16_BE if name == "utf-16" else b""
        self._marks = _MARKS.get(name, ())

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """The value's text, encoded; ``None`` stays ``None``. Hot path.

        Raises:
            DataError: if there is no text for it, or the encoding lacks a character.
        """
        if value is None:
            return None
        try:
            text = value if value.__class__ is str else java_text(schema, value)
            return self._mark + text.encode(self._encoding)
        except UnicodeEncodeError as error:
            misfit = MisfitError(
                f"a string cannot be written as {self._encoding}: {error}",
                code="data.not-encodable",
            )
            raise misfit.as_data_error(topic) from error
        except MisfitError as error:
            raise error.as_data_error(topic) from error.__cause__
        except RecursionError as error:
            raise too_deep().as_data_error(topic) from error

    def write_column(
        self,
        topic: str,  # noqa: ARG002  # strings are the same everywhere
        schema: Schema | None,  # noqa: ARG002  # strings need none
        values: Sequence[Any],
    ) -> list[bytes | None] | None:
        """Many values at once; ``None`` if one is no string. Hot path.

        Raises:
            UnicodeEncodeError: if the encoding lacks a character of any of them.
        """
        if not {*map(type, values)} <= _TEXTS:
            return None
        mark, encoding = self._mark, self._encoding
        return [None if each is None else mark + each.encode(encoding) for each in values]

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The bytes as an optional string. Hot path.

        Raises:
            DataError: if they are not text in the encoding.
        """
        if data is None:
            return _NOTHING
        encoding = self._encoding
        if self._marks and data.startswith(self._marks):
            encoding = encoding.removesuffix("-be")
        try:
            # What SchemaAndValue(…) does, in a third of the time.
            return tuple.__new__(SchemaAndValue, (OPTIONAL_STRING_SCHEMA, data.decode(encoding)))
        except UnicodeDecodeError as error:
            misfit = MisfitError(
                f"the bytes are not {self._encoding} text: {error}", code="data.not-decodable"
            )
            raise misfit.as_data_error(topic) from error

    def read_column(self, data: Sequence[bytes | None]) -> tuple[Schema, list[str | None]] | None:
        """Many values at once, under the schema of all; ``None`` if that is not possible. Hot path.

        Raises:
            UnicodeDecodeError: if any of them is not text in the encoding.
        """
        if self._marks:
            return None
        encoding = self._encoding
        return OPTIONAL_STRING_SCHEMA, [
            None if each is None else each.decode(encoding) for each in data
        ]
