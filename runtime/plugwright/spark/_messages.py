"""What a driver and its task hosts say to each other; each kind of message is a class.

On the line a message is a JSON object: its kind under ``type``, and its fields. What is neither a
known kind nor has its fields is no message.
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
    """A host says which task it is; all of it is the word of a stranger until it is admitted.

    Attributes:
        run: Spark's number of this very start.
        ticket: shows that it may speak for the task.
        daemon: the parent of its process, with the machine.
        exits: how the processes before it ended, by their ids: status and phase.
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
    """How a task is.

    Attributes:
        trace: what it failed with.
        forgets: how many commands to forget its topics it has carried out.
    """

    state: str
    trace: str
    counters: Mapping[str, float]
    topics: Sequence[str] = ()
    forgets: int = 0


@dataclass(frozen=True, slots=True)
class Busy:
    """What keeps a task from stopping."""

    where: str


@dataclass(frozen=True, slots=True)
class StoreOffsets:
    """Source offsets to be kept by the driver; the answer has the same number."""

    number: int
    offsets: Sequence[Any]


@dataclass(frozen=True, slots=True)
class OffsetsStored:
    """The answer; the problem is empty if it went well."""

    number: int
    problem: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a host is to run.

    Attributes:
        spec: as `TaskSpec.to_plain` makes it.
        levels: of loggers.
        offsets: of the connector, if the driver keeps them.
        starts: where a batch begins: topic, partition, offset.
        patience: seconds that the task of a batch may take until all is durable.
    """

    spec: Mapping[str, Any]
    levels: Sequence[Any]
    offsets: Sequence[Any] = ()
    starts: Sequence[Any] = ()
    patience: float = 0.0


@dataclass(frozen=True, slots=True)
class Dismissed:
    """A host is not needed."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Hold still."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on."""


@dataclass(frozen=True, slots=True)
class Stop:
    """End in order."""


@dataclass(frozen=True, slots=True)
class EndProcess:
    """End the process: nothing of a task that does not stop can be trusted to unwind."""


@dataclass(frozen=True, slots=True)
class ForgetTopics:
    """Tell of topics only once records use them again."""


@dataclass(frozen=True, slots=True)
class SetLevel:
    """Set the level of the loggers of a name and below."""

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
    | EndProcess
    | ForgetTopics
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
    "kill": EndProcess,
    "forget-topics": ForgetTopics,
    "level": SetLevel,
}
_PLAIN: Final = {"str": str, "int": int}
"""Types of fields, as annotations name them, that are looked at before anybody uses them."""

_NAMES: Final = {kind: name for name, kind in _KINDS.items()}


def to_frame(message: Message) -> dict[str, Any]:
    """A message as it goes over the line."""
    content = {each.name: getattr(message, each.name) for each in fields(message)}
    return {"type": _NAMES[type(message)], **content}


def from_frame(frame: Any) -> Message:
    """The message in a frame.

    Raises:
        NonsenseError: if there is none.
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
