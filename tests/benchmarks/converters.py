"""How many records a second each converter writes and reads, on one core.

Run it: ``python tests/benchmarks/converters.py [seconds per figure]``. Each figure is the best of
five rounds; the spread is between the best and the worst. The A/A control measures one thing twice
under two names: a difference between two converters means something only if it is larger.
"""

from __future__ import annotations

import datetime as dt
import platform
import sys
import time
from dataclasses import dataclass
from decimal import Decimal as PythonDecimal
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from plugwright.converters import (
    AvroConverter,
    ByteArrayConverter,
    JsonConverter,
    LongConverter,
    SimpleHeaderConverter,
    StringConverter,
)
from plugwright.converters.json_engine import PlainEngine
from plugwright.schema import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT64_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Decimal,
    Schema,
    SchemaBuilder,
    Struct,
    Timestamp,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 5
PACKAGES = ("orjson", "fastavro", "confluent-kafka", "plugwright")

ROW = (
    SchemaBuilder.struct()
    .name("bench.Row")
    .field("id", INT64_SCHEMA)
    .field("name", STRING_SCHEMA)
    .field("city", OPTIONAL_STRING_SCHEMA)
    .field("count", INT32_SCHEMA)
    .field("ratio", FLOAT64_SCHEMA)
    .field("active", BOOLEAN_SCHEMA)
    .field("tags", SchemaBuilder.array(STRING_SCHEMA))
    .field("note", OPTIONAL_STRING_SCHEMA)
    .build()
)
ROW_VALUE = (
    Struct(ROW)
    .put("id", 1_234_567)
    .put("name", "Ada Lovelace")
    .put("city", "London")
    .put("count", 42)
    .put("ratio", 0.125)
    .put("active", True)
    .put("tags", ["a", "bb", "ccc"])
)
ORDER = (
    SchemaBuilder.struct()
    .name("bench.Order")
    .field("row", ROW)
    .field("price", Decimal.schema(2))
    .field("at", Timestamp.SCHEMA)
    .build()
)
ORDER_VALUE = (
    Struct(ORDER)
    .put("row", ROW_VALUE)
    .put("price", PythonDecimal("19.90"))
    .put("at", dt.datetime(2024, 5, 6, 7, 8, 9, tzinfo=dt.UTC))
)
PLAIN = {name: ROW_VALUE[name] for name in ROW_VALUE}
TEXT = "x" * 100


@dataclass(frozen=True, slots=True)
class Case:
    """One converter with one payload."""

    name: str
    converter: Any
    schema: Schema | None
    value: Any

    def directions(self) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Writing and reading, ready to be called."""
        if isinstance(self.converter, SimpleHeaderConverter):
            write, read = self.converter.from_connect_header, self.converter.to_connect_header
            data = write("t", "h", self.schema, self.value)
            yield "write", lambda: write("t", "h", self.schema, self.value)
            yield "read", lambda: read("t", "h", data)
            return
        write, read = self.converter.from_connect_data, self.converter.to_connect_data
        data = write("t", self.schema, self.value)
        yield f"write {len(data):>4} B", lambda: write("t", self.schema, self.value)
        yield f"read  {len(data):>4} B", lambda: read("t", data)


def _configured(converter: Any, **configs: Any) -> Any:
    settings = {name.replace("_", "."): value for name, value in configs.items()}
    converter.configure(settings, is_key=False)
    return converter


def _cases() -> list[Case]:
    schemas_off = _configured(JsonConverter(), schemas_enable="false")
    avro = _configured(AvroConverter(), schema_registry_url="mock://bench")
    return [
        Case("JSON, schema, 8 fields (A)", JsonConverter(), ROW, ROW_VALUE),
        Case("JSON, schema, 8 fields (A again)", JsonConverter(), ROW, ROW_VALUE),
        Case("JSON, schema, nested + logical", JsonConverter(), ORDER, ORDER_VALUE),
        Case("JSON, schema, without orjson", JsonConverter(PlainEngine()), ROW, ROW_VALUE),
        Case("JSON, schema, string of 100", JsonConverter(), STRING_SCHEMA, TEXT),
        Case("JSON, no schema, 8 fields", schemas_off, None, PLAIN),
        Case("Avro, 8 fields", avro, ROW, ROW_VALUE),
        Case("Avro, nested + logical", avro, ORDER, ORDER_VALUE),
        Case("string of 100", StringConverter(), STRING_SCHEMA, TEXT),
        Case("bytes, 100", ByteArrayConverter(), BYTES_SCHEMA, TEXT.encode()),
        Case("long", LongConverter(), INT64_SCHEMA, 1_234_567),
        Case("simple header, 12", SimpleHeaderConverter(), INT32_SCHEMA, 12),
    ]


def _rate(call: Callable[[], Any], seconds: float) -> float:
    calls, started = 0, time.perf_counter()
    while (passed := time.perf_counter() - started) < seconds:
        for _ in range(200):
            call()
        calls += 200
    return calls / passed


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"


def main(seconds: float = 0.2) -> None:
    """Measure and print everything."""
    out = sys.stdout.write
    out(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, ")
    out(f"{', '.join(map(_version, PACKAGES))}; best of {ROUNDS} rounds in {seconds} s\n\n")
    for case in _cases():
        for direction, call in case.directions():
            rates = sorted(_rate(call, seconds / ROUNDS) for _ in range(ROUNDS))
            spread = 1 - rates[0] / rates[-1]
            out(f"{case.name:<34} {direction:<13} {rates[-1]:>12,.0f}/s  spread {spread:4.0%}\n")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
