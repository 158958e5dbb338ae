"""ReplaceField: removes, keeps or renames fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, LambdaValidator, not_null
from plugwright.schema import Schema, SchemaBuilder, Type
from plugwright.transforms._base import R
from plugwright.transforms._requirements import refused, require_map, require_struct
from plugwright.transforms._settings import (
    REPLACE_NULL_WITH_DEFAULT,
    NonEmptyNames,
    mapping_pairs,
    with_null_replacement,
)
from plugwright.transforms._sides import KeyOrValueTransformation, SchemaPlan
from plugwright.transforms._structs import completeness, picker, struct_plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EXCLUDE = "exclude"
_INCLUDE = "include"
_RENAMES = "renames"
_PURPOSE = "field replacement"


def _check_renames(name: str, value: object) -> None:
    if isinstance(value, list):
        mapping_pairs(value, name)


class ReplaceField(KeyOrValueTransformation[R]):
    """Keeps the included fields that are not excluded, and renames some of them.

    Two fields with the same resulting name are an error; for schemaless data Kafka loses one of
    them.
    """

    DEFINITION = with_null_replacement(
        ConfigDef()
        .define(
            _EXCLUDE,
            ConfigType.LIST,
            default="",
            importance=Importance.MEDIUM,
            documentation="The fields to remove, even if they are included.",
            validator=NonEmptyNames(or_none=True),
        )
        .define(
            _INCLUDE,
            ConfigType.LIST,
            default="",
            importance=Importance.MEDIUM,
            documentation="The fields to keep; all if empty.",
            validator=NonEmptyNames(or_none=True),
        )
        .define(
            _RENAMES,
            ConfigType.LIST,
            default="",
            importance=Importance.MEDIUM,
            documentation="New names for fields, as pairs old:new.",
            validator=LambdaValidator.with_(
                _check_renames,
                lambda: "list of colon-delimited pairs, e.g. <code>foo:bar,abc:xyz</code>",
            ),
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._exclude = frozenset(settings[_EXCLUDE])
        self._include = frozenset(settings[_INCLUDE])
        self._renames = mapping_pairs(not_null(settings, _RENAMES), _RENAMES)
        self._defaults: bool = not_null(settings, REPLACE_NULL_WITH_DEFAULT)

    def _schemaless(self, value: Any, record: R) -> Any:  # noqa: ARG002  # for others
        data = require_map(value, _PURPOSE)
        new_name = self._renames.get
        kept = [(new_name(name, name), item) for name, item in data.items() if self._keeps(name)]
        updated = dict(kept)
        if len(updated) != len(kept):
            raise _collision([name for name, _ in kept])
        return updated

    def _keeps(self, name: str) -> bool:
        return name not in self._exclude and (not self._include or name in self._include)

    def _plan(self, schema: Schema) -> SchemaPlan:
        if schema.type is not Type.STRUCT:
            return SchemaPlan(schema, lambda value, _record: require_struct(value, _PURPOSE))
        kept = [field for field in schema.fields if self._keeps(field.name)]
        builder = SchemaBuilder.like(schema)
        for field in kept:
            builder.field(self._renames.get(field.name, field.name), field.schema)
        updated = builder.build()
        complete = completeness(updated)
        places = [field.index for field in kept]
        pick = picker(places)

        def change(values: Sequence[Any], _record: object) -> Sequence[Any]:
            return complete(pick(values))

        return struct_plan(
            schema,
            updated,
            _PURPOSE,
            change,
            defaults=self._defaults,
            change_columns=lambda fields, _columns: [fields[place] for place in places],
        )


def _collision(names: list[str]) -> Exception:
    twice = next(name for name in names if names.count(name) > 1)
    return refused(f"Cannot create field because of field name duplication {twice}", twice)
