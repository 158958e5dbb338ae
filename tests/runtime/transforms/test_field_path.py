"""Paths to fields (KIP-821)."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError, DataError
from plugwright.schema import INT8_SCHEMA, SchemaBuilder, Struct
from plugwright.transforms.field_path import FieldPath

INNER = SchemaBuilder.struct().optional().field("b.c", SchemaBuilder.int8().default(3)).build()
OUTER = SchemaBuilder.struct().field("a", INNER).field("n", INT8_SCHEMA).build()

STEPS = {
    "one": ("a", ("a",)),
    "two": ("a.b", ("a", "b")),
    "quoted": ("a.`b.c`.d", ("a", "b.c", "d")),
    "quoted-alone": ("`a.b`", ("a.b",)),
    "backtick-inside": ("a`b.c", ("a`b", "c")),
    "backtick-inside-quotes": ("`a`b`.c", ("a`b", "c")),
    "escaped-before-a-dot": (r"`a\`.b`", ("a`.b",)),
    "escaped-elsewhere": (r"`a\`b`", (r"a\`b",)),
    "empty-quotes": ("``", ("",)),
    "two-dots": ("..", ("", "", "")),
    "dot-at-the-end": ("a.", ("a", "")),
    "nothing": ("", ()),
}


@pytest.mark.parametrize(("path", "steps"), STEPS.values(), ids=STEPS)
def test_a_path_of_version_2_consists_of_steps(path, steps):
    """Dots separate, backticks hold together."""
    assert FieldPath(path, "V2").steps == steps


def test_a_path_of_version_1_is_a_name():
    """Whatever is in it."""
    assert FieldPath("a.`b", "v1").steps == ("a.`b",)


@pytest.mark.parametrize(("path", "at"), [("`a", 0), ("a.`b", 2), (r"`a\`", 0), ("`", 0)])
def test_an_open_backtick_is_refused_with_its_place(path, at):
    """And the remedy, in Kafka's words."""
    with pytest.raises(ConfigError, match=f"backtick at position {at} to escape it"):
        FieldPath(path, "V2")


def test_a_path_leads_into_structs():
    """The default stands in for the last field, not for structs on the way."""
    path = FieldPath("a.`b.c`")
    full = Struct(OUTER).put("a", Struct(INNER).put("b.c", 7))
    bare = Struct(OUTER).put("a", Struct(INNER))
    found = [path.getter(defaults=True)(value) for value in (full, bare, Struct(OUTER), None)]

    assert found == [7, 3, None, None]
    assert path.getter(defaults=False)(bare) is None


def test_a_path_leads_into_schemas():
    """Unknown names lead nowhere, names behind a number are an error."""
    assert FieldPath("a.`b.c`").field_in(OUTER).schema.default == 3
    assert FieldPath("a.x").field_in(OUTER) is None
    with pytest.raises(DataError, match="Cannot look up fields on non-struct type"):
        FieldPath("n.x").field_in(OUTER)


@pytest.mark.parametrize(
    ("path", "found"), [("a.b", 1), ("a.c", None), ("x.y", None), ("z.y", None), ("a", {"b": 1})]
)
def test_a_path_leads_into_maps(path, found):
    """What is not there is null."""
    assert FieldPath(path).value_in_map({"a": {"b": 1}, "z": None}) == found


def test_a_path_through_a_number_is_an_error_in_maps():
    """Named after what was looked for."""
    with pytest.raises(DataError, match=r"\[nested field access\], found: int"):
        FieldPath("a.b").value_in_map({"a": 1})
