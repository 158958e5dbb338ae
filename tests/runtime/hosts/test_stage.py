"""Transformations of a stage host, given batches in this process."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright import SchemaBuilder, SourceRecord, Struct
from plugwright.hosts.columns import columns_of, rows_of
from plugwright.hosts.stage import StageService
from plugwright.plugins import ClassReference
from plugwright.schema import STRING_SCHEMA

USER = SchemaBuilder.struct().field("name", STRING_SCHEMA).build()


def transformed(apply, *names):
    """What comes back of records whose values are structs with these names."""
    rows = rows_of([SourceRecord({}, {}, "t", Struct(USER).put("name", name)) for name in names])
    service = StageService([(SimpleNamespace(apply=apply), None)])
    return service.transform(0, 1, columns_of(zip(*rows, strict=True), len(rows)), tested=False)


def test_structs_that_pass_beside_dropped_ones_do_not_come_back():
    """The task has them."""
    dropped, failed, changed = transformed(
        lambda record: None if record.value["name"] == "b" else record, "a", "b", "c"
    )
    assert (dropped, failed) == ([1], {})
    assert not changed


def test_a_struct_that_was_changed_in_its_place_comes_back():
    """With those beside it."""

    def apply(record):
        if record.value["name"] == "b":
            return None
        if record.value["name"] == "c":
            record.value["name"] = "d"
        return record

    _, _, changed = transformed(apply, "a", "b", "c")
    assert [struct["name"] for struct in changed.column(5)] == ["a", "d"]


SHOP = ClassReference("shop", "Mark", version="1.4", location="/plugins/shop")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SystemExit(3), "plugin.failed"),
        (KeyboardInterrupt(), "plugin.failed"),
        (GeneratorExit(), "plugin.failed"),
        (MemoryError(), "plugin.out-of-memory"),
    ],
    ids=repr,
)
def test_whatever_a_transformation_raises_is_the_failure_of_one_record(error, code):
    """Named with its version, location and phase."""

    def apply(record):
        if record.value == "b":
            raise error
        return record

    records = [SourceRecord({}, {}, "t", value) for value in "abc"]
    service = StageService([(SimpleNamespace(apply=apply), SHOP)])
    batch = columns_of(zip(*rows_of(records), strict=True), 3)
    dropped, failed, _ = service.transform(0, 1, batch, tested=False)

    assert (dropped, list(failed), failed[1].code) == ([], [1], code)
    assert "plugin shop.Mark, version 1.4, location /plugins/shop, phase apply" in failed[1].trace
