"""What a herder is put together from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.herder._appointment import start_timer

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.herder._appointment import TimerStart
    from plugwright.herder._config_store import ConfigStore
    from plugwright.herder._ownership import Ownership
    from plugwright.herder._seams import Worker
    from plugwright.herder._status_store import StatusStore
    from plugwright.plugins import Plugins


@dataclass(frozen=True, slots=True)
class HerderSettings:
    """What a herder has to know of its worker.

    Attributes:
        cluster_id: of the Kafka cluster, or ``None``.
        shutdown_timeout_s: how long a connector's tasks may take to stop.
        settle_timeout_s: how long a request waits for its connector; zero where the answer does
            not wait, as in a cluster.
        topic_tracking: whether the topics that connectors use are told.
        topic_tracking_reset: whether they may be forgotten on request.
        hide: removes from the trace of a status what is not to be shown.
        start_timer: has something done after a while.
    """

    cluster_id: str | None = None
    shutdown_timeout_s: float = 5.0
    settle_timeout_s: float = 0.0
    topic_tracking: bool = True
    topic_tracking_reset: bool = True
    hide: Callable[[str], str] = str
    start_timer: TimerStart = start_timer


@dataclass(frozen=True, slots=True)
class HerderParts:
    """What a herder works with.

    Attributes:
        worker: what connectors and tasks run on.
        plugins: what may run.
        configs: which connectors there are, and what they should be doing.
        statuses: what they are doing.
        ownership: which of them are this worker's.
    """

    worker: Worker
    plugins: Plugins
    configs: ConfigStore
    statuses: StatusStore
    ownership: Ownership
    settings: HerderSettings
