"""All transformations and predicates that the runtime contains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.transforms._cast import Cast
from plugwright.transforms._drop_headers import DropHeaders
from plugwright.transforms._extract_field import ExtractField
from plugwright.transforms._filter import Filter
from plugwright.transforms._flatten import Flatten
from plugwright.transforms._has_header_key import HasHeaderKey
from plugwright.transforms._header_from import HeaderFrom
from plugwright.transforms._hoist_field import HoistField
from plugwright.transforms._insert_field import InsertField
from plugwright.transforms._insert_header import InsertHeader
from plugwright.transforms._mask_field import MaskField
from plugwright.transforms._record_is_tombstone import RecordIsTombstone
from plugwright.transforms._regex_router import RegexRouter
from plugwright.transforms._replace_field import ReplaceField
from plugwright.transforms._set_schema_metadata import SetSchemaMetadata
from plugwright.transforms._timestamp_converter import TimestampConverter
from plugwright.transforms._timestamp_router import TimestampRouter
from plugwright.transforms._topic_name_matches import TopicNameMatches
from plugwright.transforms._value_to_key import ValueToKey

if TYPE_CHECKING:
    from plugwright.transforms._base import Predicate, Transformation

_EITHER_SIDE = (
    Cast,
    ExtractField,
    Flatten,
    HeaderFrom,
    HoistField,
    InsertField,
    MaskField,
    ReplaceField,
    SetSchemaMetadata,
    TimestampConverter,
)

TRANSFORMATIONS: tuple[type[Transformation[Any]], ...] = (
    *(form for both in _EITHER_SIDE for form in (both.Key, both.Value)),
    DropHeaders,
    Filter,
    InsertHeader,
    RegexRouter,
    TimestampRouter,
    ValueToKey,
)
"""Every class that a configuration can name; ``Key`` and ``Value`` forms separately."""

PREDICATES: tuple[type[Predicate[Any]], ...] = (HasHeaderKey, RecordIsTombstone, TopicNameMatches)
"""Every predicate that a configuration can name."""
