"""The messages between a driver and its task hosts, one class each.

A message is sent as a JSON object with its kind under ``type``, and its fields. Unknown kinds and
missing fields make it invalid.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final

from plugwright.logs import LogLine
from plugwright.wire import NonsenseError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Hello:
    """Identifies the task of a host; unauthenticated until it is admitted.

    Attributes:
        run: Spark's number of this attempt.
        ticket: proves that it may speak for the task.
        daemon: the parent of its process, with the machine.
        exits: status and phase of earlier processes that ended, by process id.
    """

    job: str
    task: int
    attempt: int
    run: int
    ticket: str
    pid: int
    daemon: str = ""
    exits: Mapping[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HostReport:
    """The state of a task.

    Attributes:
        trace: the stack trace of its failure.
        topics: the topics that it has used, with the time of the last use in milliseconds since
            the epoch.
    """

    state: str
    trace: str
    counters: Mapping[str, float]
    topics: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Busy:
    """The activity that keeps a task from stopping."""

    where: str


@dataclass(frozen=True, slots=True)
class StoreOffsets:
    """Source offsets for the driver to store; the answer has the same number."""

    number: int
    offsets: Sequence[Any]


@dataclass(frozen=True, slots=True)
class OffsetsStored:
    """The answer to `StoreOffsets`; the problem is empty on success."""

    number: int
    problem: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """The task that a host must run.

    Attributes:
        spec: from `TaskSpec.to_plain`.
        levels: log levels of loggers.
        offsets: of the connector, if the driver stores them.
        starts: first offsets of a batch: topic, partition, offset.
        patience: seconds that the task of a batch may take until all is durable.
    """

    spec: Mapping[str, Any]
    levels: Sequence[Any]
    offsets: Sequence[Any] = ()
    starts: Sequence[Any] = ()
    patience: float = 0.0


@dataclass(frozen=True, slots=True)
class Dismissed:
    """The host is not needed."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Hold still."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop the task normally."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Stop the task normally and end the process, so that Spark starts another elsewhere."""


@dataclass(frozen=True, slots=True)
class EndProcess:
    """End the process, because a task that does not stop cannot be unwound safely."""


@dataclass(frozen=True, slots=True)
class Admission:
    """A task for a process that several tasks share; it connects for the task with these values.

    Attributes:
        attempt: how often the task's process has ended before.
        run: number of this admission, which grows.
        ticket: proves that it may speak for the task.
    """

    job: str
    task: int
    attempt: int
    run: int
    ticket: str


@dataclass(frozen=True, slots=True)
class EndRequested:
    """A task of a shared process cannot be unwound: the driver should end the process."""


@dataclass(frozen=True, slots=True)
class OwnProcessWanted:
    """A task takes so much time of a shared process that it should have one of its own."""

    job: str
    task: int


@dataclass(frozen=True, slots=True)
class SetLevel:
    """Set the level of a logger and its descendants."""

    logger: str
    level: int


Message = (
    Hello
    | HostReport
    | Busy
    | LogLine
    | StoreOffsets
    | OffsetsStored
    | Assignment
    | Dismissed
    | Pause
    | Resume
    | Stop
    | Leave
    | EndProcess
    | Admission
    | EndRequested
    | OwnProcessWanted
    | SetLevel
)

_KINDS: Final[Mapping[str, type[Message]]] = {
    "hello": Hello,
    "status": HostReport,
    "busy": Busy,
    "log": LogLine,
    "offsets": StoreOffsets,
    "offsets-stored": OffsetsStored,
    "spec": Assignment,
    "dismissed": Dismissed,
    "pause": Pause,
    "resume": Resume,
    "stop": Stop,
    "leave": Leave,
    "kill": EndProcess,
    "admission": Admission,
    "end": EndRequested,
    "own-process": OwnProcessWanted,
    "level": SetLevel,
}
_PLAIN: Final = {"str": str, "int": int}
"""Field types, as annotations name them, that are checked on receipt."""

_NAMES: Final = {kind: name for name, kind in _KINDS.items()}


def to_frame(message: Message) -> dict[str, Any]:
    """Encode a message as a frame."""
    content = {each.name: getattr(message, each.name) for each in fields(message)}
    return {"type": _NAMES[type(message)], **content}


def from_frame(frame: Any) -> Message:
    """Decode the message in a frame.

    Raises:
        NonsenseError: if it is not a valid message.
    """
    try:
        content = dict(frame)
        message = _KINDS[content.pop("type")](**content)
    except (KeyError, TypeError, ValueError) as error:
        raise NonsenseError from error
    for each in fields(message):
        plain = _PLAIN.get(str(each.type))
        if plain is not None and type(getattr(message, each.name)) is not plain:
            raise NonsenseError
    return message
