"""Names in Avro: of records, of fields, and of the subjects under which schemas are registered."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from plugwright.converters.misfit import MisfitError
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    SubjectStrategy = Callable[[str, bool, str | None], str]

NAMESPACE = "io.confluent.connect.avro"
"""The prefix of generated names for Connect types without a name."""

DEFAULT_NAME = f"{NAMESPACE}.ConnectDefault"
"""The name of the first struct without a name; the following ones append a number."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INVALID = re.compile(r"[^A-Za-z0-9_]")


class AvroNames:
    """Creates names that Avro accepts.

    Args:
        scrub: whether to make other names valid, as Confluent's converter does, or refuse them.
    """

    def __init__(self, *, scrub: bool = False) -> None:
        self._scrub = scrub

    def full_name(self, name: str) -> str:
        """The name of a record, with its namespace before the last dot.

        Raises:
            MisfitError: if Avro does not accept it.
        """
        return ".".join(map(self.simple_name, name.split(".")))

    def simple_name(self, name: str) -> str:
        """The name of a field, or one part of a full name.

        Raises:
            MisfitError: if Avro does not accept it.
        """
        if _NAME.fullmatch(name):
            return name
        if not self._scrub:
            raise MisfitError(
                f"{name!r} is not a valid name in Avro",
                code="data.invalid-schema",
                hint="set scrub.invalid.names=true, or use letters, digits and underscores only",
            )
        encoded = quote_plus(name, safe="*").replace("~", "%7E")
        prefix = "" if re.match("[A-Za-z_]", encoded) else "x"
        return prefix + _INVALID.sub("_", encoded)


def split_name(full_name: str) -> tuple[str | None, str]:
    """Namespace, if there is one, and simple name."""
    namespace, dot, name = full_name.rpartition(".")
    return (namespace if dot else None), name


def _topic_name(topic: str, is_key: bool, _record: str | None) -> str:
    return f"{topic}-{'key' if is_key else 'value'}"


def _record_name(_topic: str, _is_key: bool, record: str | None) -> str:
    if record is None:
        raise MisfitError(
            "RecordNameStrategy needs a record, a struct in Connect",
            code="data.wrong-type",
            hint="use TopicNameStrategy",
        )
    return record


def _topic_record_name(topic: str, is_key: bool, record: str | None) -> str:
    return f"{topic}-{_record_name(topic, is_key, record)}"


SUBJECT_STRATEGIES: Mapping[str, SubjectStrategy] = MappingProxyType(
    {
        "TopicNameStrategy": _topic_name,
        "RecordNameStrategy": _record_name,
        "TopicRecordNameStrategy": _topic_record_name,
    }
)
"""Returns the subject for a topic, whether it is the key, and the record's full name."""


def subject_strategy(key: str, name: str) -> SubjectStrategy:
    """The strategy with that simple name or Java class name.

    Raises:
        ConfigError: if there is none.
    """
    strategy = SUBJECT_STRATEGIES.get(name.rpartition(".")[2])
    if strategy is None:
        raise ConfigError(
            f"{key}: unknown subject name strategy {name}",
            hint="use one of " + ", ".join(SUBJECT_STRATEGIES),
            facts={"key": key, "value": name},
        )
    return strategy
