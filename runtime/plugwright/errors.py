"""Everything that can go wrong, as one hierarchy.

::

    ConnectError                   base of all: a plugin raises it to fail its task
    ├── RetriableError             the same call may succeed later
    ├── DataError                  a value does not fit its schema or converter
    │   ├── SchemaBuilderError     a schema cannot be built as asked
    │   └── SchemaProjectorError   a value cannot be projected onto another schema
    ├── ConfigError                a setting is missing or wrong
    ├── AlreadyExistsError         the name is taken
    ├── NotFoundError              nothing has that name
    ├── IllegalWorkerStateError    the call does not fit the present state
    ├── DiscoveryError             a location or plugin cannot be used
    ├── PluginError                a call into plugin code failed
    └── SetupError                 the machine lacks something (Java, a broker, a package)

Kafka Connect's names, with ``Error`` for ``Exception``. Codes and facts are API; wording is not.
This module imports nothing of its package, so everything may import it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AlreadyExistsError",
    "ConfigError",
    "ConnectError",
    "DataError",
    "DiscoveryError",
    "IllegalWorkerStateError",
    "NotFoundError",
    "PluginError",
    "RetriableError",
    "SchemaBuilderError",
    "SchemaProjectorError",
    "SetupError",
    "render",
]


class ConnectError(Exception):
    """Base of every error of the runtime; a plugin raises it to fail its task.

    Attributes:
        code: stable name of the situation, for programs to act on.
        hint: the one thing to do next, or an empty string.
        facts: what the message is made of (names, paths, values), for programs to read.
    """

    default_code: ClassVar[str] = "connect.error"
    retriable: ClassVar[bool] = False

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        hint: str = "",
        facts: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code or self.default_code
        self.hint = hint
        self.facts: Mapping[str, object] = MappingProxyType(dict(facts or {}))

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling between a task host and its driver with code, hint and facts."""
        message = str(self.args[0]) if self.args else ""
        return _restore, (type(self), message, self.code, self.hint, dict(self.facts))


def _restore(
    cls: type[ConnectError], message: str, code: str, hint: str, facts: Mapping[str, object]
) -> ConnectError:
    error = cls.__new__(cls, message)
    ConnectError.__init__(error, message, code=code, hint=hint, facts=facts)
    return error


class RetriableError(ConnectError):
    """The same call may succeed later; the runtime repeats it without losing data."""

    default_code = "connect.retriable"
    retriable = True


class DataError(ConnectError):
    """A value does not fit its schema, its converter or the endpoint."""

    default_code = "data.invalid"


class SchemaBuilderError(DataError):
    """A schema cannot be built as asked."""

    default_code = "schema.builder"


class SchemaProjectorError(DataError):
    """A value cannot be projected from its schema onto another one."""

    default_code = "schema.projection"


class ConfigError(ConnectError):
    """A setting is missing or wrong."""

    default_code = "config.invalid"


class AlreadyExistsError(ConnectError):
    """The name is taken."""

    default_code = "connect.already-exists"


class NotFoundError(ConnectError):
    """Nothing has that name."""

    default_code = "connect.not-found"


class IllegalWorkerStateError(ConnectError):
    """The call does not fit the present state of the worker or task."""

    default_code = "connect.illegal-state"


class DiscoveryError(ConnectError):
    """A location does not exist, holds no plugin, or holds one that cannot be used."""

    default_code = "discovery.failed"


class PluginError(ConnectError):
    """A call into plugin code failed; ``facts`` name plugin, version, location and phase."""

    default_code = "plugin.failed"


class SetupError(ConnectError):
    """The machine lacks something: Java, a broker, a package, a port."""

    default_code = "environment.incomplete"


def render(error: ConnectError) -> str:
    """The error as a person reads it: code and message, then what to do next.

    >>> print(render(SetupError("no Java found", code="environment.java-missing",
    ...                         hint="install the java extra")))
    environment.java-missing: no Java found
      → install the java extra
    """
    first = f"{error.code}: {error}"
    return f"{first}\n  → {error.hint}" if error.hint else first
