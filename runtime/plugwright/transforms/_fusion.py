"""Runs consecutive transformations of the same key or value as one step.

Each stage of a chain copies the record. Consecutive stages that change only the key, or only the
value, are fused: the data passes through all of their conversions, and the record is copied once
at the end. The conversions depend only on the schema of the data, so they are prepared once.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.errors import DataError
from plugwright.schema import Struct
from plugwright.transforms._sides import KeyOrValueTransformation
from plugwright.transforms.schema_cache import SchemaCache

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.schema import Schema
    from plugwright.transforms._sides import SchemaPlan
    from plugwright.transforms._stage import TransformationStage


class _Route(NamedTuple):
    """The conversions of fused stages for data of one schema, and the resulting schema."""

    schema: Schema | None
    converts: tuple[Callable[[Any, Any], Any], ...]

    @classmethod
    def of(cls, plans: Sequence[SchemaPlan]) -> _Route:
        """Combine plans; works on the fields' values if all of them support it."""
        end = plans[-1].schema
        changes = [plan.fields.change for plan in plans[1:] if plan.fields is not None]
        first = plans[0].fields
        if first is None or end is None or len(changes) < len(plans) - 1 or None in changes:
            return cls(end, tuple(plan.convert for plan in plans))
        steps = tuple(change for change in (first.change, *changes) if change is not None)
        return cls(end, (_by_fields(end, first.read, steps),))


def _by_fields(
    end: Schema,
    read: Callable[[Any], Sequence[Any]],
    changes: Sequence[Callable[[Sequence[Any], Any], Sequence[Any]]],
) -> Callable[[Any, Any], Struct]:
    def convert(value: Any, record: Any) -> Struct:
        values = read(value)
        for change in changes:
            values = change(values, record)
        return Struct.adopt(end, list(values))

    return convert


class Step(NamedTuple):
    """One function to call for a record.

    Attributes:
        apply: the function.
        stages: the stages that it runs; several stages affect nothing except the record.
    """

    apply: Callable[[Any], Any]
    stages: tuple[TransformationStage, ...]


def fused_steps(stages: Sequence[TransformationStage]) -> tuple[Step, ...]:
    """The functions to call for a record, in order: as few as are equivalent to the stages."""
    steps: list[Step] = []
    for side, run in groupby(stages, _side):
        members = tuple(run)
        if side is None or len(members) == 1:
            steps += [Step(stage.apply, (stage,)) for stage in members]
        else:
            fused = _Fused([stage.transformation for stage in members])
            steps.append(Step(fused.apply, members))
    return tuple(steps)


def _side(stage: TransformationStage) -> str | None:
    """The side of the record that a stage changes exclusively, or ``None``."""
    kind = type(stage.transformation)
    plain = stage.predicate is None and isinstance(stage.transformation, KeyOrValueTransformation)
    if not plain or kind.apply is not KeyOrValueTransformation.apply:
        return None
    return kind.__name__


class _Fused:
    """A run of stages on one side."""

    def __init__(self, members: Sequence[Any]) -> None:
        self._members: Sequence[KeyOrValueTransformation[Any]] = members
        self._data = members[0]._data  # noqa: SLF001  # of the same package
        self._with = members[0]._with  # noqa: SLF001
        self._routes = SchemaCache(self._route)

    def apply(self, record: Any) -> Any:
        """Transform a record. Hot path: one look-up and one copy for any number of stages."""
        schema, value = self._data(record)
        if schema is None or value is None:
            return self._one_by_one(record)
        try:
            end, converts = self._routes(schema)
            for convert in converts:
                value = convert(value, record)
                if value is None:  # each stage has its own rule for null
                    return self._one_by_one(record)
        except (DataError, _UnroutableError):
            return self._one_by_one(record)  # reports the stage that failed
        return self._with(record, end, value)

    def _route(self, schema: Schema) -> _Route:
        end: Schema | None = schema
        plans = []
        for member in self._members:
            if end is None:
                raise _UnroutableError
            plans.append(member._plan(end))  # noqa: SLF001  # of the same package
            end = plans[-1].schema
        return _Route.of(plans)

    def _one_by_one(self, record: Any) -> Any:
        for member in self._members:
            record = member.apply(record)
        return record


class _UnroutableError(Exception):
    """A stage returns schemaless data, for which there is no plan."""
