"""Runs a broker and a worker together, for commands that try things out."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli.serving import worker_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.cli.process import RunningWorker
    from plugwright.kafka.brokers import Broker

_BUNDLED = Path("plugin-path")
_STRINGS = "org.apache.kafka.connect.storage.StringConverter"


@contextmanager
def one_machine(
    *,
    plugin_path: str | None,
    port: int,
    kafka_port: int | None = None,
    bootstrap_servers: str | None = None,
) -> Iterator[tuple[Broker, RunningWorker]]:
    """Run a broker and a worker until the block ends; both listen on loopback only.

    Args:
        plugin_path: by default the directory ``plugin-path``, if there is one.
        port: of REST; 0 for any free one.
        kafka_port: of the broker; by default a free one.
        bootstrap_servers: a running Kafka instead.

    Raises:
        ConnectError: as `running_worker` and `open_broker` do.
    """
    from plugwright.cli.process import running_worker  # noqa: PLC0415  # needs extras
    from plugwright.config import HiddenTexts  # noqa: PLC0415  # after --help
    from plugwright.kafka.brokers import open_broker  # noqa: PLC0415  # an extra

    if plugin_path is None:
        plugin_path = str(_BUNDLED.absolute()) if _BUNDLED.is_dir() else ""
    hidden = HiddenTexts()
    with open_broker(bootstrap_servers, port=kafka_port, progress=_progress) as broker:
        properties = _properties(broker.bootstrap_servers, plugin_path, port)
        with (
            hidden.in_errors(),
            worker_log(properties, hidden),
            running_worker(properties, distributed=True, hidden=hidden) as worker,
        ):
            yield broker, worker


def _properties(bootstrap_servers: str, plugin_path: str, port: int) -> dict[str, str]:
    """The properties of a single worker with internal topics of one replica."""
    topics = {
        f"{kind}.storage.{key}": value
        for kind in ("config", "offset", "status")
        for key, value in (("topic", f"plugwright-up-{kind}"), ("replication.factor", "1"))
    }
    return {
        "bootstrap.servers": bootstrap_servers,
        "group.id": "plugwright-up",
        "listeners": f"http://127.0.0.1:{port}",
        "console.enable": "true",
        "exactly.once.source.support": "enabled",
        "key.converter": _STRINGS,
        "value.converter": _STRINGS,
        "offset.storage.partitions": "1",
        "status.storage.partitions": "1",
        "plugin.path": plugin_path,
        **topics,
    }


def _progress(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
