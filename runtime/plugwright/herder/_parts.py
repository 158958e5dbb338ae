"""The settings and components that a herder is assembled from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.herder.delayed_call import start_timer

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.herder._config_store import ConfigStore
    from plugwright.herder._ownership import Ownership
    from plugwright.herder._worker_interface import Worker
    from plugwright.herder.delayed_call import TimerStart
    from plugwright.herder.status_store import StatusStore
    from plugwright.plugins import Plugins


@dataclass(frozen=True, slots=True)
class HerderSettings:
    """The worker settings that the herder uses.

    Attributes:
        cluster_id: of the Kafka cluster, or ``None``.
        shutdown_timeout_s: time that a connector's tasks may take to stop.
        settle_timeout_s: time that a request waits for its connector; zero if the answer does
            not wait, as in a cluster.
        topic_tracking: whether the topics that connectors use are tracked.
        topic_tracking_reset: whether the active topics may be reset on request.
        hide: removes secrets from the trace of a status.
        start_timer: calls a function after a delay.
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
    """The components of a herder.

    Attributes:
        worker: runs connectors and tasks.
        plugins: the installed plugins.
        configs: stores connectors, their configurations and target states.
        statuses: stores statuses.
        ownership: determines which connectors belong to this worker.
    """

    worker: Worker
    plugins: Plugins
    configs: ConfigStore
    statuses: StatusStore
    ownership: Ownership
    settings: HerderSettings
