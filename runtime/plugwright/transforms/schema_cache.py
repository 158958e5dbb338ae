"""A cache of results for recently used schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.schema import Schema

T = TypeVar("T")

_SIZE = 16
"""The cache size of Kafka's transformations."""


class SchemaCache(Generic[T]):
    """Caches the results of a function for the 16 most recently used schemas.

    Most topics have one schema, so the one of the last call is compared by identity first: a hit
    costs one comparison. Hot path.
    """

    __slots__ = ("_entries", "_last", "_last_made", "_make")

    _last: Schema | None
    _last_made: T

    def __init__(self, make: Callable[[Schema], T]) -> None:
        self._make = make
        self._entries: dict[Schema, T] = {}
        self._last = None

    def __call__(self, schema: Schema) -> T:
        """The function's result for the schema; exceptions are not cached."""
        if schema is self._last:
            return self._last_made
        made = self._entries.pop(schema) if schema in self._entries else self._make(schema)
        self._entries[schema] = made
        if len(self._entries) > _SIZE:
            del self._entries[next(iter(self._entries))]
        self._last = schema
        self._last_made = made
        return made
