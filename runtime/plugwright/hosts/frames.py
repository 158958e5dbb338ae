"""The protocol between a host process and its owner: frames over a socket pair, bodies pickled.

Unpickling is restricted to Connect's data model, the runtime's own values and plain Python
ones, so that a value of a plugin's own class is rejected by name instead of importing anything.
This separates locations; it does not protect against a malicious plugin, which runs as the same
user.
"""

from __future__ import annotations

import importlib
import io
import pickle
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from enum import EnumType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import plugwright.schema
from plugwright.errors import DataError
from plugwright.headers import Header, Headers
from plugwright.schema import Schema, Struct
from plugwright.wire import packed_head, read_frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from mmap import mmap

_ON_SHELF = frozenset({"stage", "result"})
_SCHEMAS_LIMIT = 4096
_BODY_LIMIT = 1 << 31
_OWN_MODULES = "plugwright."
_PATHS = {"Path", "PosixPath", "PurePosixPath", "PureWindowsPath", "WindowsPath"}
_PLAIN = {
    "builtins": {"bytearray", "complex", "frozenset", "object", "range", "set", "slice"},
    "collections": {"OrderedDict"},
    "datetime": {"date", "datetime", "time", "timedelta", "timezone"},
    "decimal": {"Decimal"},
    "pathlib": _PATHS,
    "pathlib._local": _PATHS,  # in Python 3.13
    "uuid": {"SafeUUID", "UUID"},
}


class HostClosedError(Exception):
    """The peer is gone."""


class UnreadableError(DataError):
    """A value cannot be sent between processes; the text says which."""

    default_code = "plugin.foreign-value"

    def __init__(self, message: str) -> None:
        super().__init__(
            message,
            hint="pass values of Connect's data model, or put both plugins into one location",
        )


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame.

    Attributes:
        kind: call, answer or event.
        number: associates an answer with its call.
        name: the connector concerned.
    """

    kind: str
    number: int
    name: str
    _body: bytes | mmap = field(repr=False)
    _schemas: _KnownSchemas = field(repr=False)

    def content(self) -> Any:
        """Decode the body; only once, and before the next frame is received.

        Raises:
            UnreadableError: if it contains a value that cannot be sent between processes.
        """
        body = self._body
        if isinstance(body, bytes):
            reader = _Reader(io.BytesIO(body), self._schemas)
        else:
            body.seek(0)
            reader = _Reader(body, self._schemas)
        try:
            found = reader.load()
        except Exception as error:
            raise UnreadableError(f"{type(error).__name__}: {error}") from error
        if reader.refused:
            raise UnreadableError(f"a value of {reader.refused} cannot be sent between processes")
        return found


class Frames:
    """One end of a socket pair; sending is thread-safe, receiving is for one thread.

    Args:
        line: the socket.
        buffers: memory shared by both ends, one buffer per direction. Large batches of records
            are passed there: through the socket they would wake both sides several times.
    """

    def __init__(self, line: socket.socket, buffers: Sequence[mmap] = ()) -> None:
        self._line = line
        self._buffers = buffers
        self._sending = threading.Lock()
        self._sent_schemas = _SentSchemas()
        self._known_schemas = _KnownSchemas()

    def fileno(self) -> int:
        """The file descriptor, for ``select``."""
        return self._line.fileno()

    def time_limit(self, seconds: float | None) -> None:
        """Set the time that sending and receiving may take; beyond it the peer counts as gone."""
        self._line.settimeout(seconds)

    def send(self, kind: str, number: int, name: str, content: Any = None) -> None:
        """Send one frame.

        Raises:
            HostClosedError: if the peer is gone.
            UnreadableError: if the content cannot be pickled; then nothing was sent.
        """
        with self._sending:
            body = self._pickled(content, kind)
            try:
                self._line.sendall(packed_head([kind, number, name, not body], len(body)))
                self._line.sendall(body)
            except OSError as error:
                raise HostClosedError from error

    def _pickled(self, content: Any, kind: str) -> bytes | memoryview:
        """The pickled content for the socket; empty if it is in the shared buffer.

        Only a call and its answer may use the buffer: each is read before the next one is written.
        """
        if self._buffers and kind in _ON_SHELF:
            with suppress(_FullError):
                self._dump(content, _SharedBuffer(self._buffers[0]))
                return b""
        buffer = io.BytesIO()
        self._dump(content, buffer)
        return buffer.getbuffer()

    def _dump(self, content: Any, out: io.BytesIO | _SharedBuffer) -> None:
        known = len(self._sent_schemas)
        try:
            _Writer(out, self._sent_schemas).dump(content)
        except _FullError:
            self._sent_schemas.forget_beyond(known)
            raise
        except Exception as error:
            self._sent_schemas.forget_beyond(known)
            raise UnreadableError(f"{type(error).__name__}: {error}") from error

    def receive(self) -> Frame:
        """Wait for the next frame.

        Raises:
            HostClosedError: if the peer is gone or sends invalid data.
        """
        try:
            (kind, number, name, in_buffer), body = read_frame(
                self._exactly, body_limit=_BODY_LIMIT
            )
            lies = self._buffers[1] if in_buffer else body
            return Frame(str(kind), int(number), str(name), lies, self._known_schemas)
        except HostClosedError:
            raise
        except Exception as error:  # plugin code may have written to the socket
            raise HostClosedError from error

    def close(self) -> None:
        """Close the socket; wakes threads that wait in `receive` on either side."""
        with suppress(OSError):  # the peer may be first
            self._line.shutdown(socket.SHUT_RDWR)
        self._line.close()
        for buffer in self._buffers:
            buffer.close()

    def _exactly(self, size: int) -> bytes:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            count = self._line.recv_into(view)
            if not count:
                raise HostClosedError
            view = view[count:]
        return bytes(data)


class _FullError(Exception):
    """A batch is larger than the shared buffer."""


class _SharedBuffer:
    """A shared buffer that a pickle is written to, from its start."""

    def __init__(self, memory: mmap) -> None:
        self._memory = memory
        self._end = 0

    def write(self, data: bytes | memoryview) -> int:
        """Append data.

        Raises:
            _FullError: if the buffer is too small.
        """
        size = len(data)
        if self._end + size > len(self._memory):
            raise _FullError
        self._memory[self._end : self._end + size] = data
        self._end += size
        return size


class _SentSchemas:
    """Numbers the schemas that were sent, so that each is sent once."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[int, Schema]] = {}  # keeps the schema, and so its id

    def __len__(self) -> int:
        return len(self._numbers)

    def forget_beyond(self, count: int) -> None:
        """Undo the numbers of a frame that was not sent."""
        for key in list(self._numbers)[count:]:
            del self._numbers[key]

    def reduce(self, schema: Schema) -> tuple[Any, ...]:
        """The representation of a schema in a frame."""
        if known := self._numbers.get(id(schema)):
            return _known_schema, (known[0], None)
        number = 0
        if len(self._numbers) < _SCHEMAS_LIMIT:
            number = len(self._numbers) + 1
            self._numbers[id(schema)] = (number, schema)
        return _known_schema, (number, _plain_schema(schema))


class _KnownSchemas:
    """The received schemas: the same object for the same schema in every frame."""

    def __init__(self) -> None:
        self._numbered: dict[int, Schema] = {}
        constants = [v for v in vars(plugwright.schema).values() if isinstance(v, Schema)]
        self._equal = {constant: constant for constant in constants}

    def get(self, number: int, properties: dict[str, Any] | None) -> Schema:
        """The schema of a number, or of the description that was sent with it."""
        if properties is None:
            return self._numbered[number]
        schema = Schema(**properties)
        if number:
            schema = self._numbered[number] = self._equal.setdefault(schema, schema)
        return schema


def _plain_schema(schema: Schema) -> dict[str, Any]:
    _, (properties,) = schema.__reduce__()  # type: ignore[misc]  # its own description
    return properties  # type: ignore[no-any-return,has-type]


def _known_schema(number: int, properties: dict[str, Any] | None) -> Schema:
    raise NotImplementedError  # a marker in the frame; each reader substitutes its own table


def _struct(schema: Schema, values: list[Any]) -> Struct:
    return Struct.adopt(schema, values)


def _reduce_struct(value: Struct) -> tuple[Any, ...]:
    return _struct, (value.schema, value._values)  # noqa: SLF001  # unset fields stay unset


def _headers(rows: list[tuple[str, Any, Schema | None]]) -> Headers:
    return Headers(map(Header._make, rows))


def _reduce_headers(value: Headers) -> tuple[Any, ...]:
    return _headers, ([tuple(header) for header in value],)


class _Refused:
    """A placeholder for a rejected value, so that the rest of a frame can still be read."""

    def __new__(cls, *_: object, **__: object) -> Self:
        return super().__new__(cls)

    def __setstate__(self, _: object) -> None:
        """Take nothing."""

    def __setitem__(self, _: object, __: object) -> None:
        """Take nothing."""

    def append(self, _: object) -> None:
        """Take nothing."""

    extend = append


class _Writer(pickle.Pickler):
    def __init__(self, out: io.BytesIO | _SharedBuffer, schemas: _SentSchemas) -> None:
        super().__init__(out, 5)
        self.dispatch_table = {
            Schema: schemas.reduce,
            Struct: _reduce_struct,
            Headers: _reduce_headers,
        }


class _Reader(pickle.Unpickler):
    _OWN: ClassVar = {"_struct": _struct, "_headers": _headers}

    def __init__(self, source: io.BytesIO | mmap, schemas: _KnownSchemas) -> None:
        super().__init__(source)
        self._schemas = schemas
        self.refused = ""

    def find_class(self, module: str, name: str) -> Any:
        """The class for an allowed name; looked up once per frame."""
        if module == __name__:
            return self._schemas.get if name == "_known_schema" else self._OWN[name]
        if (module, name) == ("builtins", "getattr"):
            return self._member
        if name in _PLAIN.get(module, ()):
            return super().find_class(module, name)
        if module.startswith(_OWN_MODULES):
            found = getattr(importlib.import_module(module), name, None)
            # What a module has imported from elsewhere, such as thread pools, is no value.
            own = isinstance(found, type) and found.__module__.startswith(_OWN_MODULES)
            if own or name == "_restore":
                return found
        self.refused = self.refused or f"{module}.{name}"
        return _Refused

    def _member(self, kind: Any, name: str) -> Any:
        """The member of an enumeration, which Python 3.11.0 to 3.11.3 pickle as an attribute."""
        if isinstance(kind, EnumType) and name in kind.__members__:
            return kind[name]
        self.refused = self.refused or "builtins.getattr"
        return _Refused()
