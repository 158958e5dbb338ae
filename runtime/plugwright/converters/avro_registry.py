"""The client of the schema registry; no other module of this package talks to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright.converters.misfit import MisfitError
from plugwright.errors import ConfigError, ConnectError, DataError, RetriableError, SetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    _T = TypeVar("_T")

RegisteredSchema = tuple[int, str]
"""Id and text of a schema."""

_URL = "schema.registry.url"
_PREFIX = "schema.registry."
_PASSED = ("basic.auth.user.info", "bearer.auth.", "ssl.", "max.retries", "timeout")
_SERVER_ERROR = 500
_TOO_MANY_REQUESTS = 429
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404


class SchemaRegistry:
    """Finds and registers Avro schemas; the client caches the responses.

    Args:
        client: Confluent's client.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    @classmethod
    def connect(cls, configs: Mapping[str, Any]) -> SchemaRegistry:
        """The registry at ``schema.registry.url``; ``mock://`` is one in memory.

        Raises:
            ConfigError: if the client does not accept the settings.
            SetupError: if the client is not installed.
        """
        try:
            from confluent_kafka.schema_registry import SchemaRegistryClient  # noqa: PLC0415  # an extra
        except ImportError as error:
            raise SetupError(
                f"AvroConverter requires a package that is not installed: {error}",
                code="environment.package-missing",
                hint="install plugwright[avro]",
            ) from error
        try:
            return cls(SchemaRegistryClient.new_client(_client_settings(configs)))
        except (TypeError, ValueError) as error:
            raise ConfigError(
                f"the schema registry client does not accept its settings: {error}",
                facts={"key": _URL},
            ) from error

    def register(self, subject: str, text: str, *, normalize: bool) -> RegisteredSchema:
        """Register a schema under a subject, unless it is registered already.

        Raises:
            DataError: if the registry refuses it, with the registry's message.
            RetriableError: if the registry cannot be reached.
        """
        schema = _avro_schema(text)
        id_ = _asked(
            f"register the schema of {subject}",
            lambda: self._client.register_schema(subject, schema, normalize),
        )
        return int(id_), text

    def find(self, subject: str, text: str, *, normalize: bool) -> RegisteredSchema:
        """The schema as it is registered under a subject.

        Raises:
            DataError: if it is not registered.
            RetriableError: if the registry cannot be reached.
        """
        schema = _avro_schema(text)
        found = _asked(
            f"find the schema of {subject}",
            lambda: self._client.lookup_schema(subject, schema, normalize),
        )
        return int(found.schema_id), text

    def latest(self, subject: str) -> RegisteredSchema:
        """The newest schema of a subject.

        Raises:
            DataError: if the subject has none.
            RetriableError: if the registry cannot be reached.
        """
        found = _asked(
            f"find the newest schema of {subject}",
            lambda: self._client.get_latest_version(subject),
        )
        return int(found.schema_id), self._whole(found.schema)

    def by_id(self, id_: int) -> str:
        """The text of the schema with that id.

        Raises:
            DataError: if there is none.
            RetriableError: if the registry cannot be reached.
        """
        found = _asked(f"find the schema with id {id_}", lambda: self._client.get_schema(id_))
        return self._whole(found)

    def version(self, subject: str, text: str) -> int | None:
        """The version of a schema in the subject; ``None`` if it has none.

        Raises:
            RetriableError: if the registry cannot be reached.
        """
        schema = _avro_schema(text)
        try:
            found = _asked(
                f"find the schema of {subject}",
                lambda: self._client.lookup_schema(subject, schema),
            )
        except DataError:
            return None
        return None if found.version is None else int(found.version)

    def _whole(self, schema: Any) -> str:
        """The text of a union of the schemas that a schema refers to and the schema itself."""
        named: dict[str, Any] = {}
        self._collect(schema, named)
        if not named:
            return str(schema.schema_str)
        return json.dumps(
            {"references": list(named.values()), "schema": json.loads(schema.schema_str)}
        )

    def _collect(self, schema: Any, named: dict[str, Any]) -> None:
        for reference in schema.references or ():
            if reference.name not in named:
                found = self._referred(reference.subject, reference.version)
                self._collect(found.schema, named)
                named[reference.name] = json.loads(found.schema.schema_str)

    def _referred(self, subject: str, version: int) -> Any:
        return _asked(
            f"find version {version} of {subject}",
            lambda: self._client.get_version(subject, version),
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _avro_schema(text: str) -> Any:
    from confluent_kafka.schema_registry import Schema  # noqa: PLC0415  # an extra

    return Schema(text, "AVRO")


def _client_settings(configs: Mapping[str, Any]) -> dict[str, Any]:
    plain = {str(key).removeprefix(_PREFIX): value for key, value in configs.items()}
    settings = {key: value for key, value in plain.items() if key.startswith(_PASSED)}
    return {**settings, "url": ",".join(configs[_URL])}


def _asked(purpose: str, ask: Callable[[], _T]) -> _T:
    from confluent_kafka.schema_registry import SchemaRegistryError  # noqa: PLC0415  # an extra

    try:
        return ask()
    except SchemaRegistryError as error:
        raise _answer(purpose, error) from error
    except (ConnectError, MisfitError):
        raise
    except Exception as error:
        # The exception classes for a lost connection depend on the client's version.
        raise RetriableError(
            f"the schema registry is not reachable to {purpose}: {error}",
            code="registry.unreachable",
            hint="check schema.registry.url and that the registry runs",
        ) from error


def _answer(purpose: str, error: Any) -> ConnectError:
    status = int(error.http_status_code)
    message = f"the schema registry refused to {purpose}: {error.error_message}"
    facts = {"status": status, "registry_code": error.error_code}
    if status >= _SERVER_ERROR or status == _TOO_MANY_REQUESTS:
        return RetriableError(message, code="registry.unreachable", facts=facts)
    if status in {_UNAUTHORIZED, _FORBIDDEN}:
        hint = "check basic.auth.user.info and the user's permissions"
        return ConnectError(message, code="registry.not-allowed", hint=hint, facts=facts)
    code = "registry.not-found" if status == _NOT_FOUND else "registry.refused"
    return DataError(message, code=code, facts=facts)
