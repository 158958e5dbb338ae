"""What a host provides every task loop with, for a source and for a sink."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.worker._boundary import unobserved

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.worker._boundary import BoundaryObserver
    from plugwright.worker._codec import Codec
    from plugwright.worker._control import TaskControl
    from plugwright.worker._host_protocols import StatusListener
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._pipeline import Transform

Preparation = Callable[[Sequence[Any]], None]
"""Processes a batch at once: the records that a source polled, or a sink's messages."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The converters and transformations of a task.

    Attributes:
        codec: the converters.
        transform: changes or drops each record, before the codec of a source and after that of a
            sink; none by default.
        prepare: called with each batch before its records are converted and transformed one by
            one, for codecs that process a batch at once; none by default.
    """

    codec: Codec
    transform: Transform | None = None
    prepare: Preparation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEnvironment:
    """The interfaces between a task loop and its host that do not depend on the kind of task.

    Attributes:
        identity: identifies the task in errors.
        configs: the task's configuration.
        conversion: its converters and transformations.
        control: the target state.
        status: receives running, paused, failed and stopped.
        observe: called at the named points of the loop; in production it does nothing.
        clock: monotonic seconds.
    """

    identity: TaskIdentity
    configs: Mapping[str, str]
    conversion: Conversion
    control: TaskControl
    status: StatusListener
    observe: BoundaryObserver = unobserved
    clock: Callable[[], float] = time.monotonic
