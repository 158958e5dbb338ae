"""Which worker owns which shard, as the workers announce in the topic of the shards.

The group's coordinator knows it too, but the client must not query it in a worker's process:
librdkafka aborts the process if a request to a coordinator times out and the coordinator comes
back afterwards (`rd_kafka_enq_once_t`).
"""

from __future__ import annotations

import json
import logging
import threading
import time
from typing import TYPE_CHECKING, Protocol

from plugwright.errors import ConnectError
from plugwright.kafka._record_format import is_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

log = logging.getLogger(__name__)

_KEY = "shard-"
_AGAIN_S = 1.0


class OwnersLog(Protocol):
    """Keyed entries that every worker follows; `plugwright.kafka.KafkaLog` is one."""

    def start(self, apply: Callable[[str, bytes | None, int], None]) -> None:
        """Read the existing entries, then keep passing new ones to ``apply``."""

    def send_and_read(self, entries: Sequence[tuple[str, bytes | None]]) -> None:
        """Append entries and wait until they and all before them were applied."""

    def read_to_end(self) -> None:
        """Wait until everything that is now in the log was applied."""

    def close(self) -> None:
        """Release it."""


class ShardOwners:
    """The address of every shard's owner: the newest claim wins.

    A worker that is suspended between its assignment and its claim claims too late. The actual
    owner then claims its shard again.

    Args:
        log: the log of the claims.
        clock: seconds that only go forward.
    """

    def __init__(self, log: OwnersLog, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._urls: dict[int, str] = {}
        self._own = ""
        self._again_at = 0.0

    def start(self, url: str) -> None:
        """Read the existing claims, and follow new ones.

        Args:
            url: this worker's address, for its own claims.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        self._own = url
        self._log.start(self._apply)

    def url_of(self, shard: int) -> str | None:
        """The address of the worker that last claimed a shard, or ``None``."""
        with self._lock:
            return self._urls.get(shard)

    def urls(self) -> dict[int, str]:
        """The addresses of the workers that last claimed each shard, by its number."""
        with self._lock:
            return dict(self._urls)

    def is_own(self, shard: int) -> bool:
        """Whether no other worker has claimed a shard since.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        self._log.read_to_end()
        return self.url_of(shard) == self._own

    def claim(self, shards: Iterable[int]) -> None:
        """Claim these shards for this worker.

        Raises:
            ConnectError: if Kafka refuses it.
        """
        value = json.dumps({"url": self._own}).encode()
        self._announce(dict.fromkeys(shards, value))

    def release(self, *, keep: Collection[int] = ()) -> None:
        """Announce that the shards this worker claimed have no owner; an error is only logged.

        Shards that another worker has claimed since are not released. A worker whose claim arrives
        before this release repeats it (`insist`).

        Args:
            keep: shards that this worker still owns.
        """
        mine = [n for n, url in self.urls().items() if url == self._own and n not in keep]
        try:
            self._announce(dict.fromkeys(mine))
        except ConnectError as error:
            log.warning("the release of this worker's shards could not be announced: %s", error)

    def insist(self, shards: Iterable[int]) -> None:
        """Claim those of these shards again that another worker has claimed since."""
        with self._lock:
            lost = [shard for shard in shards if self._urls.get(shard) != self._own]
        if not lost or self._clock() < self._again_at:
            return
        self._again_at = self._clock() + _AGAIN_S
        try:
            self.claim(lost)
        except ConnectError as error:
            log.warning("shards %s could not be claimed again: %s", sorted(lost), error)

    def close(self) -> None:
        """Stop following the claims."""
        self._log.close()

    def _announce(self, entries: dict[int, bytes | None]) -> None:
        if entries:
            self._log.send_and_read([(f"{_KEY}{n}", value) for n, value in sorted(entries.items())])

    def _apply(self, key: str, value: bytes | None, _at_ms: int) -> None:
        if not key.startswith(_KEY):
            return  # of a later version
        content = None if value is None else json.loads(value)
        if not is_readable(key, content):
            return
        shard = int(key.removeprefix(_KEY))
        url = None if content is None else str(content["url"])
        with self._lock:
            if url is None:
                self._urls.pop(shard, None)
            else:
                self._urls[shard] = url
