"""The configurations of connectors are what was read, never what has not been read yet."""

from __future__ import annotations

import threading

from plugwright.herder._config_store import ConfigStore
from plugwright.herder._log import MemoryLog


class SlowLog(MemoryLog):
    """A log that is read only once the test says so."""

    def __init__(self):
        super().__init__()
        self.readable = threading.Event()

    def start(self, apply):
        """Find one connector, when there is something to find."""
        assert self.readable.wait(5)
        super().start(apply)
        self.send([("connector-a", b'{"properties":{"name":"a"}}')])


def test_who_asks_before_the_log_was_read_waits_for_it():
    """A worker that is starting does not say that there are no connectors."""
    log, found = SlowLog(), []
    store = ConfigStore(log)
    asking = threading.Thread(target=lambda: found.append(store.snapshot().configs))
    asking.start()
    asking.join(0.02)
    assert not found

    log.readable.set()
    store.start(lambda _: None)
    asking.join(5)

    assert found == [{"a": {"name": "a"}}]
