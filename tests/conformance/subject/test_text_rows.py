"""Plugins whose values are rows alone: texts are put into rows, and taken from them."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from plugwright.converters import JsonConverter
from plugwright.record import SinkRecord
from plugwright.schema import STRING_SCHEMA
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.declaration import Declaration
from plugwright_conformance.subject.names import HOME
from plugwright_conformance.subject.row_driver import with_rows
from plugwright_conformance.subject.text_rows import parsed

FIELDS = {"id": "int64", "amount": "decimal(2)", "name": "string", "note": "string?"}
ROW = {"id": 0, "amount": Decimal("0.00"), "name": "a text", "note": ""}


def declared(**capabilities):
    """A declaration with these capabilities."""
    return Declaration("", {}, capabilities, "")


ROWS = declared(fields=FIELDS).text_rows


class Shelf:
    """A driver that keeps rows."""

    def __init__(self, directory):
        self.directory, self.rows = directory, []

    def seed(self, values):
        """Rows alone."""
        self.rows += [{name: value[name] for name in FIELDS} for value in values]

    def read_back(self):
        """Every row."""
        return list(self.rows)

    def deny(self):
        """Something that only some drivers have."""
        return ["denied"]

    def seed_at_once(self, values):
        """The same, of one time."""
        self.seed(values)
        return ()


class TellingShelf(Shelf):
    """One that is given texts, and puts them into rows itself."""

    def seed(self, values):
        """Texts."""
        self.rows += [{**ROW, "note": value} for value in values]

    def seeded(self, value):
        """The text of a row."""
        return value["note"]


@pytest.mark.parametrize(
    ("capabilities", "types"),
    [
        ({}, ("string",)),
        ({"types": ["int64"]}, ("int64",)),
        ({"fields": FIELDS}, ()),
        ({"fields": FIELDS, "types": ["string"]}, ("string",)),
    ],
)
def test_a_value_is_text_unless_rows_are_declared_alone(capabilities, types):
    """With fields, the types of values that are no rows have to be declared."""
    assert declared(**capabilities).types == types


@pytest.mark.parametrize(
    "capabilities",
    [{}, {"fields": FIELDS, "types": ["string"]}, {"fields": {"id": "int64"}}],
    ids=["no rows", "also texts", "no field for a text"],
)
def test_texts_stay_texts(capabilities):
    """Where they are values, and where no field can hold them."""
    made = with_rows(Shelf, declared(**capabilities))(Path())

    assert declared(**capabilities).text_rows is None
    assert isinstance(made, Shelf)


def test_a_driver_gets_rows_and_the_suite_texts():
    """A row that lacks a field has a null there; others stay as they are."""
    driver = with_rows(Shelf, declared(fields=FIELDS))(Path("here"))
    given = {"id": 7, "amount": Decimal("1.50"), "name": "other"}
    driver.seed(["a text", given])

    assert driver.read_rows() == [ROW, {**given, "note": None}]
    assert driver.read_back() == ["a text", "other"]
    assert driver.seed_at_once(["at once"]) == ()
    assert driver.read_rows()[2:] == [{**ROW, "name": "at once"}]
    assert (driver.directory, driver.deny()) == (Path("here"), ["denied"])
    assert not hasattr(driver, "refuse")


def test_a_driver_that_tells_texts_apart_gets_texts():
    """Its method seeded says where they are."""
    driver = with_rows(TellingShelf, declared(fields=FIELDS))(Path())
    driver.seed(["a text"])

    assert driver.read_back() == [{**ROW, "note": "a text"}]


def test_the_text_of_a_struct_or_map_is_reported():
    """A value that is neither, or has other fields, is shown as it is."""
    _, struct = ROWS.struct("a text")

    assert [ROWS.text(value) for value in (struct, ROW)] == ["a text", "a text"]
    assert [ROWS.text(value) for value in ("bare", None, {"id": 1})] == ["bare", None, {"id": 1}]


def test_a_records_text_becomes_a_struct():
    """Once; tombstones and other values stay, and a key is there if one is needed."""
    form = declared(fields=FIELDS, keys="required").record_form
    records = [*sink_records(["a text", None], HOME), SinkRecord(*HOME, None, None, None, 5, 2)]
    for record in (*records, *records):
        form.give(record, HOME, record.kafka_offset)

    assert ROWS.shape.row(records[0].value) == ROW
    assert records[0].value_schema == ROWS.schema
    assert [each.value for each in records[1:]] == [None, 5]
    assert {each.key_schema for each in records} == {STRING_SCHEMA}
    assert len({each.key for each in records}) == len(records)


def test_a_live_sink_is_sent_json_with_a_schema():
    """Which the converter of its settings reads as the same struct."""
    converter = JsonConverter()
    converter.configure({"schemas.enable": "true"}, is_key=False)

    schema, value = converter.to_connect_data("t", ROWS.serialized("a text"))

    assert ROWS.shape.row(value) == ROW
    assert [field.name for field in schema.fields] == list(FIELDS)


@pytest.mark.parametrize("data", ["no JSON", '"text"', "{}", "[1]"])
def test_other_data_is_shown_as_it_is(data):
    """What a source should not have sent."""
    assert parsed(data) == data


def test_a_live_source_is_read_from_json_with_a_schema():
    """Its text is where a struct has it."""
    data = ROWS.serialized("a text").decode()

    assert json.loads(data)["schema"]["type"] == "struct"
    assert ROWS.text(parsed(data)) == "a text"
