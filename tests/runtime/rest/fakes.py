"""A herder in memory, and a client that calls the API without a socket."""

# ruff: noqa: D102  # the Protocol being faked says what each method does

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from plugwright.config import NonEmptyStringWithoutControlChars
from plugwright.control_plane import (
    ActiveTopics,
    BadRequestError,
    ConnectorInfo,
    ConnectorOffset,
    ConnectorOffsets,
    ConnectorState,
    ConnectorStatus,
    LoggerLevel,
    Message,
    OperationDisabledError,
    PluginInfo,
    ServerInfo,
    TaskId,
    TaskInfo,
    TaskState,
)
from plugwright.errors import AlreadyExistsError, NotFoundError
from plugwright.rest import RestExtensionContext, RestSettings
from plugwright.rest.serving import api

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILE_SOURCE = {"name": "logs", "connector.class": "FileStreamSource", "file": "${env:FILE}"}
"""The configuration of the connector that the fake herder has from the start."""


class FakeHerder:
    """Keeps one connector named ``logs`` with two tasks, records what it is asked to change.

    Attributes:
        error: raised by every method but the ones that must not block.
        wait: called first by every such method, for tests of time-outs.
    """

    def __init__(self):
        self.configs: dict[str, dict[str, str]] = {"logs": dict(FILE_SOURCE)}
        self.asked: list[tuple] = []
        self.error: Exception | None = None
        self.wait = lambda: None
        self.ready = True
        self.current_stage = None
        self.without_slot: list[str] = []

    def _begin(self, *asked):
        self.wait()
        self.asked.append(asked)
        if self.error is not None:
            raise self.error

    def _known(self, name: str) -> dict[str, str]:
        if name not in self.configs:
            raise NotFoundError(f"Connector {name} not found")
        return self.configs[name]

    def server_info(self) -> ServerInfo:
        return ServerInfo("1.2.3", "abc123", "cluster-1")

    def is_ready(self) -> bool:
        return self.ready

    def tasks_without_slot(self) -> list[str]:
        return self.without_slot

    def health_check(self) -> None:
        self._begin("health_check")

    def stage(self):
        return self.current_stage

    def connectors(self) -> Sequence[str]:
        self._begin("connectors")
        return list(self.configs)

    def connector_info(self, name: str) -> ConnectorInfo:
        self._begin("connector_info", name)
        config = self._known(name)
        return ConnectorInfo(name, config, [TaskId(name, 0), TaskId(name, 1)], "source")

    def connector_config(self, name: str) -> Mapping[str, str]:
        self._begin("connector_config", name)
        return self._known(name)

    def task_configs(self, name: str) -> Sequence[TaskInfo]:
        self._begin("task_configs", name)
        self._known(name)
        return [TaskInfo(TaskId(name, 0), {"task.class": "FileStreamSourceTask"})]

    def put_connector_config(
        self,
        name: str,
        config: Mapping[str, str | None],
        target_state: str | None,
        allow_replace: bool,
    ) -> tuple[bool, ConnectorInfo]:
        self._begin("put_connector_config", name, config, target_state, allow_replace)
        NonEmptyStringWithoutControlChars()("name", name)
        created = name not in self.configs
        if not created and not allow_replace:
            raise AlreadyExistsError(f"Connector {name} already exists")
        self.configs[name] = {key: value for key, value in config.items() if value is not None}
        return created, ConnectorInfo(name, self.configs[name], [], "source")

    def patch_connector_config(
        self, name: str, patch: Mapping[str, str | None]
    ) -> tuple[bool, ConnectorInfo]:
        self._begin("patch_connector_config", name, patch)
        merged = {**self._known(name), **patch}
        self.configs[name] = {key: value for key, value in merged.items() if value is not None}
        return False, ConnectorInfo(name, self.configs[name], [], "source")

    def delete_connector_config(self, name: str) -> None:
        self._begin("delete_connector_config", name)
        self._known(name)
        del self.configs[name]

    def connector_status(self, name: str) -> ConnectorStatus:
        self._begin("connector_status", name)
        self._known(name)
        tasks = [TaskState(0, "RUNNING", "w:8083"), self.task_status(TaskId(name, 1))]
        return ConnectorStatus(name, ConnectorState("RUNNING", "w:8083"), tasks, "source")

    def task_status(self, task: TaskId) -> TaskState:
        self._begin("task_status", task)
        self._known(task.connector)
        if task.task > 1:
            raise NotFoundError(f"No status found for task {task}")
        return TaskState(task.task, "FAILED", "w:8083", "boom")

    def restart_connector(self, name: str) -> None:
        self._begin("restart_connector", name)
        self._known(name)

    def restart_connector_and_tasks(self, request) -> ConnectorStatus:
        self._begin("restart_connector_and_tasks", request)
        return self.connector_status(request.connector)

    def restart_task(self, task: TaskId) -> None:
        self._begin("restart_task", task)
        self._known(task.connector)

    def pause_connector(self, name: str) -> None:
        self._begin("pause_connector", name)
        self._known(name)

    def resume_connector(self, name: str) -> None:
        self._begin("resume_connector", name)
        self._known(name)

    def refuse_internal(self, what, *, signed=False):
        self._begin("refuse_internal", what, signed)
        if signed:
            raise OperationDisabledError("Internal request contained invalid signature")
        raise BadRequestError("Internal request missing required signature")

    def stop_connector(self, name: str) -> None:
        self._begin("stop_connector", name)
        self._known(name)

    def connector_offsets(self, name: str) -> ConnectorOffsets:
        self._begin("connector_offsets", name)
        self._known(name)
        return ConnectorOffsets([ConnectorOffset({"filename": "ä.txt"}, {"position": 30})])

    def alter_connector_offsets(
        self, name: str, offsets: Sequence[ConnectorOffset] | None
    ) -> Message:
        self._begin("alter_connector_offsets", name, offsets)
        self._known(name)
        done = "reset" if offsets is None else "altered"
        return Message(f"The offsets for this connector have been {done} successfully")

    def connector_active_topics(self, name: str) -> ActiveTopics:
        self._begin("connector_active_topics", name)
        return ActiveTopics(name, ["lines"])

    def reset_connector_active_topics(self, name: str) -> None:
        self._begin("reset_connector_active_topics", name)

    def validate_connector_config(self, config: Mapping[str, str | None]) -> Mapping:
        self._begin("validate_connector_config", config)
        return {
            "name": config["connector.class"],
            "error_count": 0,
            "groups": [],
            "configs": [],
        }

    def connector_plugins(self) -> Sequence[PluginInfo]:
        self._begin("connector_plugins")
        return [
            PluginInfo("file.FileStreamSinkConnector", "sink", "1.0"),
            PluginInfo("file.FileStreamSourceConnector", "source", "1.0"),
            PluginInfo("plugwright.transforms.Filter", "transformation", None),
        ]

    def connector_plugin_config(self, name: str, version: str | None = None) -> Sequence[Mapping]:
        self._begin("connector_plugin_config", name, version)
        if name != "FileStreamSource":
            raise NotFoundError(f"Unknown plugin {name}.")
        return [{"name": "file", "type": "STRING", "default_value": None}]

    def all_logger_levels(self) -> Mapping[str, LoggerLevel]:
        self._begin("all_logger_levels")
        return {"root": LoggerLevel("INFO"), "plugwright": LoggerLevel("DEBUG", 1732212000000)}

    def logger_level(self, name: str) -> LoggerLevel | None:
        self._begin("logger_level", name)
        return self.all_logger_levels().get(name)

    def set_worker_logger_level(self, namespace: str, level: str) -> Sequence[str]:
        self._begin("set_worker_logger_level", namespace, level)
        return [namespace, f"{namespace}.worker"]

    def set_cluster_logger_level(self, namespace: str, level: str) -> None:
        self._begin("set_cluster_logger_level", namespace, level)


@dataclass(frozen=True)
class Answer:
    """What a client sees."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        """The body, parsed by the standard library."""
        return json.loads(self.body)

    @property
    def message(self) -> str:
        """The text of an error, after checking that the body has Kafka's form."""
        assert set(self.json) == {"error_code", "message"}
        assert self.json["error_code"] == self.status
        return self.json["message"]


class Client:
    """Calls an ASGI application as a server would, targets and headers untouched."""

    def __init__(self, app):
        self._app = app

    def __call__(self, method, target, body=None, headers=None) -> Answer:
        """Send one request; a body that is no bytes is sent as JSON."""
        return asyncio.run(self._typed(method, target, body, headers))

    def all(self, requests) -> list[Answer]:
        """Send many requests at once; they are arguments of single ones."""

        async def gathered():
            return await asyncio.gather(*(self._typed(*request) for request in requests))

        return asyncio.run(gathered())

    def receiving(self, receive, method="POST", target="/connectors") -> Answer | None:
        """Send one request whose body comes as `receive` says; no answer is ``None``."""
        return asyncio.run(self._call(method, target, b"", {}, receive))

    async def _typed(self, method, target, body=None, headers=None):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        content = b"" if body is None else content
        typed = {"content-type": "application/json"} if content else {}
        return await self._call(method, target, content, {**typed, **(headers or {})})

    async def _call(self, method, target, content, headers, receive=None) -> Answer | None:
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode("latin-1"),
            "query_string": query.encode("latin-1"),
            "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
        }
        sent = []

        async def whole():
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message):
            sent.append(message)

        await self._app(scope, receive or whole, send)
        if not sent:
            return None
        found = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
        return Answer(sent[0]["status"], found, b"".join(m.get("body", b"") for m in sent[1:]))


def client_of(  # noqa: PLR0913  # what a server is made of, each with a default
    herder, properties=None, *, metrics=None, figures=None, plugins=None, extensions=(), admin=False
) -> Client:
    """A client of the API over a herder, with some of the worker's properties."""
    settings = _settings(tuple((properties or {}).items()))
    context = RestExtensionContext(herder)
    for extension in extensions:
        extension.register(context)
    app = api(herder, settings, context, metrics, figures, plugins=plugins, admin=admin)
    return Client(app)


@cache
def _settings(properties) -> RestSettings:
    """Parsed once: settings are values, and reading them costs more than a request."""
    return RestSettings.parse({"listeners": "http://127.0.0.1:0", **dict(properties)})
