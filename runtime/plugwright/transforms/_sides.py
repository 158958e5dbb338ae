"""Transformations of either the key or the value of a record.

Kafka writes each of them once, abstract, with two nested classes ``Key`` and ``Value`` that say
where it works. So does this package: a direct subclass of ``KeyOrValueTransformation`` gets both.
"""

from __future__ import annotations

from abc import abstractmethod
from operator import attrgetter
from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from plugwright.errors import DataError
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation, located
from plugwright.transforms._schema_cache import SchemaCache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.record import ConnectRecord
    from plugwright.schema import Schema


class FieldPlan(NamedTuple):
    """The computation of the result's field values.

    Attributes:
        read: the values to begin with, of the data of a record.
        change: the values of the outcome, of those that ``read`` gave or of those that a struct of
            the same schema has; called with the values and the record. ``None`` if what ``read``
            gives is the outcome already and needs the data itself.
    """

    read: Callable[[Any], Sequence[Any]]
    change: Callable[[Sequence[Any], Any], Sequence[Any]] | None


class SchemaPlan(NamedTuple):
    """The computation for data of one schema, prepared once.

    Attributes:
        schema: the schema of the outcome.
        convert: makes the outcome of a value; called with the value and its record.
        fields: the same in two steps, where the outcome is a struct; lets neighbours hand on the
            fields' values without a struct between them.
    """

    schema: Schema | None
    convert: Callable[[Any, Any], Any]
    fields: FieldPlan | None = None


class KeyOrValueTransformation(BuiltinTransformation[R]):
    """Base of transformations with a ``Key`` and a ``Value`` form.

    Subclasses say how schemaless data changes and, once for each schema, what the plan for data of
    that schema is; errors get the name of the transformation here.
    """

    Key: ClassVar[type[KeyOrValueTransformation[Any]]]
    Value: ClassVar[type[KeyOrValueTransformation[Any]]]

    NULL_PASSES: ClassVar[bool] = True
    """Whether a record without data on this side goes through as it is."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Give a transformation that is of neither side its two forms."""
        super().__init_subclass__(**kwargs)
        if hasattr(cls, "_side_of"):
            return
        cls.Key = _form(cls, "Key", "key_schema", "key", _with_key)
        cls.Value = _form(cls, "Value", "value_schema", "value", _with_value)

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
            updated, convert, _ = self._plans(schema)
            changed: R = self._with(record, updated, convert(value, record))
        except DataError as error:
            raise located(error, type(self)) from error
        return changed

    def configure(self, props: Mapping[str, Any]) -> None:
        """Take the settings; plans made with others are forgotten.

        Raises:
            ConfigError: if one is missing or wrong, or they do not go together.
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

    @abstractmethod
    def _schemaless(self, value: Any, record: R) -> Any:
        """Transform data without a schema."""

    @abstractmethod
    def _plan(self, schema: Schema) -> SchemaPlan:
        """Prepare the transformation for data of that schema; cached for later records."""


def _form(
    base: type[KeyOrValueTransformation[Any]],
    name: str,
    schema_attribute: str,
    attribute: str,
    with_: Callable[[Any, Schema | None, Any], Any],
) -> type[KeyOrValueTransformation[Any]]:
    namespace = {
        "__module__": base.__module__,
        "__qualname__": f"{base.__qualname__}.{name}",
        "__doc__": f"{base.__name__} for the {attribute} of a record.",
        "_side_of": base,
        "_data": staticmethod(attrgetter(schema_attribute, attribute)),
        "_with": staticmethod(with_),
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
