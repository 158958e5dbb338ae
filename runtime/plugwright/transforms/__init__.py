"""Single message transformations and predicates: interfaces, bundled ones, and chains."""

from __future__ import annotations

from plugwright.transforms._base import Predicate, Transformation
from plugwright.transforms._cast import Cast
from plugwright.transforms._catalogue import PREDICATES, TRANSFORMATIONS
from plugwright.transforms._chain import TransformationChain
from plugwright.transforms._chain_config import chain_config_def
from plugwright.transforms._drop_headers import DropHeaders
from plugwright.transforms._extract_field import ExtractField
from plugwright.transforms._filter import Filter
from plugwright.transforms._flatten import Flatten
from plugwright.transforms._fusion import Step
from plugwright.transforms._has_header_key import HasHeaderKey
from plugwright.transforms._header_from import HeaderFrom
from plugwright.transforms._hoist_field import HoistField
from plugwright.transforms._insert_field import InsertField
from plugwright.transforms._insert_header import InsertHeader
from plugwright.transforms._java_regex import java_pattern
from plugwright.transforms._mask_field import MaskField
from plugwright.transforms._record_is_tombstone import RecordIsTombstone
from plugwright.transforms._regex_router import RegexRouter
from plugwright.transforms._replace_field import ReplaceField
from plugwright.transforms._set_schema_metadata import SetSchemaMetadata
from plugwright.transforms._stage import TransformationStage
from plugwright.transforms._timestamp_converter import TimestampConverter
from plugwright.transforms._timestamp_router import TimestampRouter
from plugwright.transforms._topic_name_matches import TopicNameMatches
from plugwright.transforms._value_to_key import ValueToKey

__all__ = [
    "PREDICATES",
    "TRANSFORMATIONS",
    "Cast",
    "DropHeaders",
    "ExtractField",
    "Filter",
    "Flatten",
    "HasHeaderKey",
    "HeaderFrom",
    "HoistField",
    "InsertField",
    "InsertHeader",
    "MaskField",
    "Predicate",
    "RecordIsTombstone",
    "RegexRouter",
    "ReplaceField",
    "SetSchemaMetadata",
    "Step",
    "TimestampConverter",
    "TimestampRouter",
    "TopicNameMatches",
    "Transformation",
    "TransformationChain",
    "TransformationStage",
    "ValueToKey",
    "chain_config_def",
    "java_pattern",
]
