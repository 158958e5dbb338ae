"""Rows of one structure have one schema; different objects may have different ones."""

from __future__ import annotations

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.mutants import materialise_base

pytestmark = pytest.mark.slow

_BUILT = "return builder.build()"
_COUNTED = """_VERSIONS.append(0)
    return builder.version(len(_VERSIONS)).build()


_VERSIONS = []"""
_OF_ROW = "struct = self.struct(row)"
_COPY = """struct = self.struct(row)
        builder = SchemaBuilder.struct().name(NAME)
        for field in struct.schema.fields:
            builder.field(field.name, field.schema)
        copy = Struct(builder.build())
        for field in struct.schema.fields:
            copy[field.name] = struct.get_without_default(field.name)
        struct = copy"""


@pytest.fixture
def certified(tmp_path, run):
    """Replaces text in the source of rows, and runs the check over it."""

    def certified(old, new):
        location = tmp_path / "changed"
        materialise_base("rows-source", PLUGIN_PATH, location)
        (module,) = location.glob("*/source.py")
        text = module.read_text("utf-8")
        assert text.count(old) == 1
        module.write_text(text.replace(old, new), "utf-8")
        (result,) = run(location, "SRC-SCH-02").results
        return result

    return certified


def test_every_row_counts(run):
    """Rows without nulls, the edges of all types, and the same again."""
    (result,) = run("rows-source", "SRC-SCH-02").results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert result.observations > 50


def test_tables_may_have_schemas_of_their_own(certified):
    """Their names tell them apart."""
    result = certified(_OF_ROW, _COPY.replace("NAME", 'f"rows.{table}"'))

    assert (result.outcome, result.message) == (Outcome.PASS, "")


def test_schema_of_each_row_may_be_an_object_of_its_own(certified):
    """Equal ones are one schema."""
    result = certified(_OF_ROW, _COPY.replace("NAME", '"rows.Row"'))

    assert (result.outcome, result.message) == (Outcome.PASS, "")


def test_version_that_counts_tasks_is_found(certified):
    """A new task makes a new version of an unchanged structure."""
    result = certified(_BUILT, _COUNTED)

    assert result.outcome is Outcome.FAIL
    assert (result.expected, result.observed) == ("version 1, as in the record before", "version 2")


def test_other_order_of_fields_is_found(certified):
    """A registry takes it for another version."""
    turned = _COPY.replace("NAME", '"rows.Row"').replace(
        "in struct.schema.fields:\n            builder",
        "in sorted(struct.schema.fields, key=lambda f: hash((f.name, line))):\n            builder",
    )
    result = certified(_OF_ROW, turned)

    assert result.outcome is Outcome.FAIL
    assert result.expected.startswith("the fields ")
    assert sorted(result.observed.removeprefix("the fields ").split(", ")) == sorted(
        result.expected.removeprefix("the fields ")
        .removesuffix(", as in the record before")
        .split(", ")
    )
