"""Values of every type on their way from database to database, through Kafka's bytes."""

from __future__ import annotations

import math
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.plugin_path.sql.driving import Reporter, copied, record, rows_of, sink, source
from tests.plugin_path.sql.typed_values import EDGES, VALUES

from plugwright import SchemaBuilder, SinkRecord, Struct
from plugwright.converters import AvroConverter, JsonConverter

pytestmark = pytest.mark.slow

MOST_DIGITS = 65
REFUSED = {
    ("postgresql", "string"): lambda value: "\x00" in value,
    ("mariadb", "float32"): math.isinf,
    ("mariadb", "float64"): math.isinf,
}
"""What a database has no place for; all else comes back as it was."""
KINDS = {("mariadb", "boolean"): lambda value: type(value) if value is None else int}
"""What comes back as an equal value of another type: MariaDB's BOOLEAN is a TINYINT."""


def converter(kind):
    """A converter that keeps schemas."""
    if kind is AvroConverter:
        made, configs = AvroConverter(), {"schema.registry.url": "mock://round-trip"}
    else:
        made, configs = JsonConverter(), {"schemas.enable": "true"}
    made.configure(configs, is_key=False)
    return made


@pytest.fixture
def url(request, tmp_path):
    """A database."""
    if request.param == "sqlite":
        return f"jdbc:sqlite:{tmp_path / 'shop.sqlite'}"
    name = {"postgresql": "postgres", "mariadb": "maria"}[request.param]
    return request.getfixturevalue(name).plugwright_url


def stored(url, table, records):
    """What the source reads after the sink has written these, and the records that it refused."""
    reporter = Reporter()
    chosen = {"auto_create": "true", "pk_mode": "kafka", "offsets_table_name": ""}
    with sink(url, reporter=reporter, table_name_format=table, **chosen) as task:
        task.put(records)
    with source(
        url, mode="incrementing", incrementing_column_name="__connect_offset", table_whitelist=table
    ) as task:
        return copied(task), reporter.reported


@pytest.mark.parametrize("kind", [JsonConverter, AvroConverter])
@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("url", ["sqlite", "postgresql", "mariadb"], indirect=True, ids=str)
def test_values_pass_through_kafka_from_table_to_table(request, url, name, kind):
    """Equal, of the same type; or refused by the first sink, for a reason that names the column."""
    database = request.node.callspec.params["url"]
    builder, strategy = VALUES[name]
    schema = SchemaBuilder.struct().field("v", builder().optional()).build()
    through, numbers = converter(kind), count()

    @settings(
        max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(st.lists(strategy, max_size=6))
    def check(drawn):
        values = [*EDGES.get(name, ()), *drawn, None]
        tables = [f"t{next(numbers)}" for _ in range(2)]
        sent = [record(Struct(schema).put("v", v), n) for n, v in enumerate(values)]
        found, refused = stored(url, tables[0], sent)

        data = [
            (each.topic, through.from_connect_data(each.topic, each.value_schema, each.value))
            for each in found
        ]
        read = [through.to_connect_data(topic, each) for topic, each in data]
        again = [
            SinkRecord("t", 0, None, None, each.schema, each.value, n)
            for n, each in enumerate(read)
        ]
        found, refused_again = stored(url, tables[1], again)

        is_refused = REFUSED.get((database, name), lambda _: False)
        expected = [v for v in values if v is None or not is_refused(v)]
        rows = [row["v"] for row in rows_of(found)]
        assert rows == expected
        kinds = KINDS.get((database, name), type)
        assert [type(each) for each in rows] == [kinds(each) for each in expected]
        assert len(refused) == len(values) - len(expected)
        assert all("column v" in str(error) for _, error in refused)
        assert refused_again == []

    check()
