"""Maps Java class names in existing configurations to our classes."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONVERTERS = {
    "io.confluent.connect.avro": ("AvroConverter",),
    "org.apache.kafka.connect.converters": (
        "BooleanConverter",
        "ByteArrayConverter",
        "DoubleConverter",
        "FloatConverter",
        "IntegerConverter",
        "LongConverter",
        "ShortConverter",
    ),
    "org.apache.kafka.connect.json": ("JsonConverter",),
    "org.apache.kafka.connect.storage": ("SimpleHeaderConverter", "StringConverter"),
}
_SIDED = (
    "Cast",
    "ExtractField",
    "Flatten",
    "HeaderFrom",
    "HoistField",
    "InsertField",
    "MaskField",
    "ReplaceField",
    "SetSchemaMetadata",
    "TimestampConverter",
)
_WHOLE = ("DropHeaders", "Filter", "InsertHeader", "RegexRouter", "TimestampRouter", "ValueToKey")
_PREDICATES = ("HasHeaderKey", "RecordIsTombstone", "TopicNameMatches")
_PROVIDERS = ("DirectoryConfigProvider", "EnvVarConfigProvider", "FileConfigProvider")
_POLICIES = ("All", "Allowlist", "None", "Principal")
_TRANSFORMS = "org.apache.kafka.connect.transforms"


def _table() -> dict[str, str]:
    converters = {
        f"{package}.{name}": f"plugwright.converters.{name}"
        for package, names in _CONVERTERS.items()
        for name in names
    }
    sided = {
        f"{_TRANSFORMS}.{name}${side}": f"plugwright.transforms.{name}.{side}"
        for name in _SIDED
        for side in ("Key", "Value")
    }
    whole = {f"{_TRANSFORMS}.{name}": f"plugwright.transforms.{name}" for name in _WHOLE}
    predicates = {
        f"{_TRANSFORMS}.predicates.{name}": f"plugwright.transforms.{name}" for name in _PREDICATES
    }
    providers = {
        f"org.apache.kafka.common.config.provider.{name}": f"plugwright.config.{name}"
        for name in _PROVIDERS
    }
    policies = {
        f"org.apache.kafka.connect.connector.policy.{name}": f"plugwright.override_policy.{name}"
        for name in (f"{each}ConnectorClientConfigOverridePolicy" for each in _POLICIES)
    }
    extensions = {
        "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension": (
            "plugwright.rest.BasicAuthSecurityRestExtension"
        ),
    }
    files = {
        f"org.apache.kafka.connect.file.FileStream{side}{kind}": (
            f"plugwright_file_{side.lower()}{module}.FileStream{side}{kind}"
        )
        for side in ("Sink", "Source")
        for module, kind in (("", "Connector"), (".task", "Task"))
    }
    return converters | sided | whole | predicates | providers | policies | extensions | files


JAVA_NAMES: Mapping[str, str] = MappingProxyType(_table())
"""Java class names of Kafka's own plugins and their tasks, with our counterparts."""

_BACK = MappingProxyType({ours: java for java, ours in JAVA_NAMES.items()})


def java_name_of(class_name: str) -> str:
    """The corresponding Java class, or an empty string."""
    return _BACK.get(class_name, "")
