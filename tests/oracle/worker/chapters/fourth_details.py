"""What a drawing with other seeds found: nulls, versions, unexpected types of bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle.worker.steps import Chapter, Step, ask, put

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CHAPTERS"]

_CONVERTERS = "org.apache.kafka.connect.converters"
_JSON = "org.apache.kafka.connect.json.JsonConverter"
_ROUTER = "org.apache.kafka.connect.transforms.TimestampRouter"
_SINK = {"name": "fourth", "connector.class": "TrialSink", "topics": "t"}
_SOURCE = {"name": "fourth", "connector.class": "FileStreamSource", "file": "f", "topic": "t"}
_STAGE = {**_SINK, "transforms": "b", "transforms.b.type": _ROUTER}
_TYPES = ("application/octet-stream", "text/html", "text/plain", "application/xml", "a/b; c=d")
_NULLS = (
    {"topics": None},
    {"topics": None, "topics.regex": "a.*"},
    {"topics": None, "topics.regex": None},
    {
        "header.converter": f"{_CONVERTERS}.BooleanConverter",
        "header.converter.encoding": None,
        "header.converter.converter.type": None,
    },
    {"header.converter": _JSON, "header.converter.schemas.cache.size": None},
    {"value.converter": _JSON, "value.converter.schemas.enable": None},
    {"key.converter": _JSON, "key.converter.decimal.format": None, "key.converter.odd": None},
    {"value.converter.schemas.enable": None},
)
_VERSIONS = ("LATEST", "Latest", " latest", "latest ", "latest")


def _validated(config: dict[str, object]) -> Step:
    kind = str(config["connector.class"])
    return put(f"/connector-plugins/{kind}/config/validate", config)


def _steps() -> Iterator[Step]:
    yield from (_validated({**_SINK, **each}) for each in _NULLS)
    yield from (_validated({**_SOURCE, "connector.plugin.version": each}) for each in _VERSIONS)
    for negate in ({}, {"transforms.b.negate": "true"}):
        for version in (" ", "9", "latest"):
            yield _validated({**_STAGE, **negate, "transforms.b.plugin.version": version})
    for each in _TYPES:
        headers = {"Content-Type": each}
        yield ask("POST", "/connectors/none/tasks", [{"a": "b"}], headers=headers)
        yield ask("PUT", "/connectors/none/fence", headers=headers)
        yield ask("POST", "/connectors/none/restart", {"a": "b"}, headers=headers)


CHAPTERS = (Chapter("fourth-details", list(_steps())),)
