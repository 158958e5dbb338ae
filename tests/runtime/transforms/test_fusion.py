"""Fused stages do what the stages do one after the other."""

from __future__ import annotations

import pytest
from tests.oracle.golden import golden
from tests.oracle.notation import NotRepresentableError, read_record
from tests.runtime.transforms.comparing import plugin
from tests.runtime.transforms.stages import stage

from plugwright.errors import DataError
from plugwright.record import SourceRecord
from plugwright.schema import (
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    SchemaBuilder,
    Struct,
)
from plugwright.transforms import (
    Cast,
    ExtractField,
    HoistField,
    InsertField,
    RegexRouter,
    ReplaceField,
    TransformationChain,
    TransformationStage,
)


def record(schema, value):
    """A source record of that value."""
    return SourceRecord({"file": "a"}, {"position": 1}, "lines", value, schema, timestamp=5)


def stepwise(stages, given):
    """What the stages make of a record one after the other."""
    for each in stages:
        given = each.apply(given)
        if given is None:
            return None
    return given


def three():
    """Stages of one side, then one that changes the topic."""
    return [
        stage(HoistField.Value, field="line"),
        stage(InsertField.Value, topic_field="topic", static_field="origin", static_value="x"),
        stage(ReplaceField.Value, exclude="topic", renames="line:text"),
        stage(RegexRouter, regex="lines", replacement="texts"),
    ]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param(STRING_SCHEMA, "one", id="with a schema"),
        pytest.param(None, "one", id="schemaless"),
        pytest.param(OPTIONAL_STRING_SCHEMA, None, id="null with a schema"),
        pytest.param(None, None, id="tombstone"),
    ],
)
def test_a_chain_gives_what_its_stages_give(schema, value):
    """The outcome, topic included, does not tell whether stages were fused."""
    stages = three()

    assert TransformationChain(stages).apply(record(schema, value)) == stepwise(
        stages, record(schema, value)
    )


def test_stages_of_one_side_are_one_step():
    """Three conversions of the value cost one copy; the router stays a step of its own."""
    chain = TransformationChain(three())

    assert len(chain.stages) == 4
    assert len(chain._steps) == 2


def test_a_value_that_becomes_null_in_the_middle_goes_on_as_null():
    """The stage after an extraction of null lets it pass, with the schema it has then."""
    schema = SchemaBuilder.struct().field("a", OPTIONAL_STRING_SCHEMA).build()
    stages = [
        stage(ExtractField.Value, field="a"),
        stage(ReplaceField.Value, exclude="b"),
    ]

    found = TransformationChain(stages).apply(record(schema, Struct(schema)))

    assert (found.value_schema, found.value) == (OPTIONAL_STRING_SCHEMA, None)


def test_the_stage_that_fails_is_named():
    """An error out of fused stages tells which transformation and which field it was."""
    schema = SchemaBuilder.struct().field("n", STRING_SCHEMA).build()
    stages = [
        stage(ReplaceField.Value, renames="n:number"),
        stage(Cast.Value, spec="number:int64"),
    ]

    with pytest.raises(DataError, match=r"in Cast\$Value") as caught:
        TransformationChain(stages).apply(record(schema, Struct(schema).put("n", "many")))

    assert caught.value.facts["field"] == "number"


def test_records_of_several_schemas_take_their_own_routes():
    """A second schema is not converted by the plan of the first."""
    chain = TransformationChain(three())

    found = [chain.apply(record(s, v)).value for s, v in ((STRING_SCHEMA, "a"), (INT64_SCHEMA, 7))]

    assert [struct["text"] for struct in found] == ["a", 7]


PAIRED = [
    line
    for name in ("transform.Cast", "transform.Flatten", "transform.ReplaceField")
    for line in golden(name)
    if line.case["class"].endswith("$Value") and "error" not in line.result
]


@pytest.mark.slow
def test_golden_records_do_not_tell_a_pair_from_a_fused_pair():
    """Java's own inputs through a transformation and a second, inert one, fused and not."""
    differing = []
    for line in PAIRED:
        try:
            given = read_record(line.case["record"])
        except NotRepresentableError:
            continue
        first = plugin(line.case["class"])
        first.configure(line.case.get("settings", {}))
        stages = [
            TransformationStage("first", first, None, first.apply),
            stage(ReplaceField.Value, exclude="no such field"),
        ]
        if _outcome(lambda s=stages, g=given: stepwise(s, g)) != _outcome(
            lambda s=stages, g=given: TransformationChain(s).apply(g)
        ):
            differing.append(line.id)

    assert differing == []
    assert len(PAIRED) > 100


def _outcome(call):
    try:
        return repr(call())
    except DataError as error:
        return str(error)
