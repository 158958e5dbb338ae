"""Transformations do with columns what they do with records, and what Java's do."""

from __future__ import annotations

import pytest
from tests.oracle.golden import golden, golden_files
from tests.oracle.notation import comparable, is_representable, read_record, write_record
from tests.runtime.transforms.comparing import configured
from tests.runtime.transforms.deviations import deviation_of
from tests.runtime.transforms.stages import stage

from plugwright.errors import ConfigError
from plugwright.record import SourceRecord
from plugwright.schema import STRING_SCHEMA
from plugwright.source_columns import SourceColumns
from plugwright.transforms import (
    HoistField,
    RecordIsTombstone,
    ReplaceField,
    TransformationChain,
    TransformationStage,
)

FILES = [name for name in golden_files() if name.startswith("transform.")]
_COPIES = 3


def _columns(record):
    """The record several times, as columns; ``None`` if columns cannot have it."""
    if not isinstance(record, SourceRecord) or record.has_headers or record.topic is None:
        return None
    return SourceColumns(
        record.source_partition,
        lambda _: record.source_offset,
        record.topic,
        [record.value] * _COPIES,
        record.value_schema,
        keys=None if record.key is None else [record.key] * _COPIES,
        key_schema=record.key_schema,
        kafka_partition=record.kafka_partition,
        timestamp=record.timestamp,
    )


def _by_column(case):
    """The records that a case's transformation makes by column; ``None`` if it does not."""
    try:
        made = configured(case)
    except ConfigError:
        return None
    columns = _columns(read_record(case["record"])) if "record" in case else None
    chain = TransformationChain([TransformationStage("x", made, None, made.apply)]).columns
    if columns is None or chain is None:
        return None
    changed = chain.apply(columns)
    return None if changed is None else [*changed]


def test_recordings_of_java_are_the_same_by_column():
    """Whatever is transformed by column is what Java's class made of the record."""
    ours = {}
    for line in (line for name in FILES for line in golden(name)):
        records = _by_column(line.case) if is_representable(line) else None
        if records is not None:
            assert len(records) == _COPIES
            ours[line.id] = [comparable({"record": write_record(each)}) for each in records]
            one_by_one = configured(line.case).apply(read_record(line.case["record"]))
            assert ours[line.id] == [comparable({"record": write_record(one_by_one)})] * _COPIES
    theirs = {
        line.id: comparable(line.result)
        for name in FILES
        for line in golden(name)
        if line.id in ours and "error" not in line.result
    }

    different = [name for name in theirs if ours[name][0] != theirs[name]]
    assert len(theirs) > 300
    assert [name for name in different if deviation_of(name) is None] == []


def _chain(*stages):
    return TransformationChain(stages)


class Twice(HoistField.Value):
    """Transforms records otherwise."""

    def apply(self, record):
        """Hoist twice."""
        return super().apply(super().apply(record))


@pytest.mark.parametrize(
    "unable",
    [stage(HoistField.Value, RecordIsTombstone(), field="a"), stage(Twice, field="a")],
    ids=["predicate", "own apply"],
)
def test_what_takes_records_only_makes_no_chain_for_columns(unable):
    """Some records are not for it, or a subclass has a way of its own."""
    assert _chain(stage(HoistField.Value, field="b"), unable).columns is None


def test_schemas_are_those_of_the_records():
    """The very objects, so that a converter compiles a writer once."""
    chain = _chain(stage(HoistField.Value, field="a"), stage(ReplaceField.Value, renames="a:b"))
    columns = SourceColumns(None, lambda _: None, "t", ["x", "y"], STRING_SCHEMA)

    first, second = chain.columns.apply(columns), chain.columns.apply(columns)

    assert first.value_schema is second.value_schema
    assert [struct["b"] for struct in first.values] == ["x", "y"]
    assert first.values[-1].schema is first.value_schema
    assert [struct["b"] for struct in first.values[1:]] == ["y"]
    with pytest.raises(IndexError):
        first.values[2]
