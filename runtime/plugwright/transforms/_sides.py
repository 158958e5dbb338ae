"""Transformations of either the key or the value of a record.

Kafka writes each of them once, abstract, with two nested classes ``Key`` and ``Value`` that select
the side. So does this package: a direct subclass of ``KeyOrValueTransformation`` gets both.
"""

from __future__ import annotations

from abc import abstractmethod
from operator import attrgetter
from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from plugwright.errors import DataError
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation, located
from plugwright.transforms.schema_cache import SchemaCache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.record import ConnectRecord
    from plugwright.schema import Schema
    from plugwright.source_columns import SourceColumns


class NotByColumnError(Exception):
    """Records have to be changed one by one."""


class FieldPlan(NamedTuple):
    """The computation of the result's field values.

    Attributes:
        read: returns the field values of the data.
        change: returns the resulting values, from those of ``read`` or of a struct with the same
            schema, and the record. ``None`` if the values of ``read`` are the result.
    """

    read: Callable[[Any], Sequence[Any]]
    change: Callable[[Sequence[Any], Any], Sequence[Any]] | None


class SchemaPlan(NamedTuple):
    """The computation for data of one schema, prepared once.

    Attributes:
        schema: the schema of the result.
        convert: converts a value; called with the value and its record.
        fields: the same in two steps, if the result is a struct; lets fused stages pass on field
            values without a struct in between.
        column: converts many values at once; called with those values, none of which is ``None``,
            and the columns that they are of. Raises an exception if one cannot be converted.
    """

    schema: Schema | None
    convert: Callable[[Any, Any], Any]
    fields: FieldPlan | None = None
    column: Callable[[Sequence[Any], SourceColumns], Sequence[Any]] | None = None


class KeyOrValueTransformation(BuiltinTransformation[R]):
    """Base of transformations with a ``Key`` and a ``Value`` form.

    Subclasses transform schemaless data, and create a plan for each schema; this class adds the
    name of the transformation to errors.
    """

    Key: ClassVar[type[KeyOrValueTransformation[Any]]]
    Value: ClassVar[type[KeyOrValueTransformation[Any]]]

    NULL_PASSES: ClassVar[bool] = True
    """Whether records with null on this side pass unchanged."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Create the two forms of a transformation."""
        super().__init_subclass__(**kwargs)
        if hasattr(cls, "_side_of"):
            return
        cls.Key = _form(cls, "Key", "key", _with_key)
        cls.Value = _form(cls, "Value", "value", _with_value)

    def __init__(self) -> None:
        self._plans = SchemaCache(self._plan)

    def apply(self, record: R) -> R | None:
        """The record with its key or value changed. Hot path.

        Raises:
            DataError: if the data is not what the transformation works on.
        """
        schema, value = self._data(record)
        if value is None and self.NULL_PASSES:
            return record
        try:
            if schema is None:
                bare: R = self._with(record, None, self._schemaless(value, record))
                return bare
            updated, convert, _, _ = self._plans(schema)
            changed: R = self._with(record, updated, convert(value, record))
        except DataError as error:
            raise located(error, type(self)) from error
        return changed

    def apply_to_columns(self, columns: SourceColumns) -> SourceColumns:
        """Columns with all keys or values changed. Hot path, by batch.

        Raises:
            NotByColumnError: if records have to be changed one by one, because there is no schema,
                or some of the data is null.
            Exception: if some of the data cannot be changed.
        """
        schema, data = self._column(columns)
        if data is None and self.NULL_PASSES:
            return columns
        if schema is None or data is None or None in data:
            raise NotByColumnError
        plan = self._plans(schema)
        if plan.column is not None:
            return self._with_column(columns, plan.schema, plan.column(data, columns))
        changed = [plan.convert(each, columns) for each in data]
        return self._with_column(columns, plan.schema, changed)

    def configure(self, props: Mapping[str, Any]) -> None:
        """Take the settings, and discard the plans for earlier ones.

        Raises:
            ConfigError: if one is missing or wrong, or they conflict.
        """
        super().configure(props)
        self._plans = SchemaCache(self._plan)

    @staticmethod
    @abstractmethod
    def _data(record: ConnectRecord) -> tuple[Schema | None, Any]:
        """The schema and the data of this side."""

    @staticmethod
    @abstractmethod
    def _with(record: Any, schema: Schema | None, value: Any) -> Any:
        """A copy of the record with other data on this side."""

    @staticmethod
    @abstractmethod
    def _column(columns: SourceColumns) -> tuple[Schema | None, Sequence[Any] | None]:
        """The schema and the data of this side, of all records."""

    @staticmethod
    @abstractmethod
    def _with_column(
        columns: SourceColumns, schema: Schema | None, data: Sequence[Any]
    ) -> SourceColumns:
        """The columns with other data on this side."""

    @abstractmethod
    def _schemaless(self, value: Any, record: R) -> Any:
        """Transform data without a schema."""

    @abstractmethod
    def _plan(self, schema: Schema) -> SchemaPlan:
        """Prepare the transformation for data of that schema; cached for later records."""


def _form(
    base: type[KeyOrValueTransformation[Any]],
    name: str,
    side: str,
    with_: Callable[[Any, Schema | None, Any], Any],
) -> type[KeyOrValueTransformation[Any]]:
    def with_column(
        columns: SourceColumns, schema: Schema | None, data: Sequence[Any]
    ) -> SourceColumns:
        return columns.replace(**{f"{side}_schema": schema, f"{side}s": data})

    namespace = {
        "__module__": base.__module__,
        "__qualname__": f"{base.__qualname__}.{name}",
        "__doc__": f"{base.__name__} for the {side} of a record.",
        "_side_of": base,
        "_data": staticmethod(attrgetter(f"{side}_schema", side)),
        "_with": staticmethod(with_),
        "_column": staticmethod(attrgetter(f"{side}_schema", f"{side}s")),
        "_with_column": staticmethod(with_column),
    }
    form: Any = new_class(name, (base,), exec_body=lambda body: body.update(namespace))
    return cast("type[KeyOrValueTransformation[Any]]", form)


def _with_key(record: ConnectRecord, schema: Schema | None, key: Any) -> ConnectRecord:
    copy = record.duplicate()
    copy.key_schema = schema
    copy.key = key
    return copy


def _with_value(record: ConnectRecord, schema: Schema | None, value: Any) -> ConnectRecord:
    copy = record.duplicate()
    copy.value_schema = schema
    copy.value = value
    return copy
