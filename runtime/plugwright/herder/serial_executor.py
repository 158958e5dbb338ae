"""Runs functions one after the other, independently of other executors."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from plugwright.logs import in_context

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.logs import LogContext

T = TypeVar("T")


class SerialExecutor:
    """Runs orders in sequence, on a thread that exists only while there are any.

    Args:
        name: of the thread.
        failed: called with the exception of a failed order; the next order runs regardless.
        context: the log context of the orders.
    """

    def __init__(
        self, name: str, failed: Callable[[Exception], None], context: LogContext | None = None
    ) -> None:
        self._name = name
        self._failed = failed
        self._context = context
        self._lock = threading.Lock()
        self._orders: deque[Callable[[], None]] = deque()
        self._working = False
        self._closed = False

    def put(self, order: Callable[[], None]) -> bool:
        """Enqueue an order; ``False`` if the executor is closed."""
        with self._lock:
            if self._closed:
                return False
            self._append(order)
        return True

    def put_once(self, order: Callable[[], None]) -> bool:
        """Enqueue an order unless the same one is waiting already; ``False`` if it is closed."""
        with self._lock:
            if self._closed:
                return False
            if order not in self._orders:
                self._append(order)
        return True

    def ask(self, work: Callable[[], T]) -> Future[T] | None:
        """Enqueue work and return its future; ``None`` if the executor is closed."""
        future: Future[T] = Future()

        def order() -> None:
            try:
                future.set_result(work())
            except Exception as error:  # noqa: BLE001  # the caller's to handle
                future.set_exception(error)

        return future if self.put(order) else None

    def close(self, last: Callable[[], None]) -> None:
        """Run one last order and wait for it; later orders are dropped."""
        done = threading.Event()
        with self._lock:
            if not self._closed:
                self._closed = True
                self._append(last)
            self._append(done.set)
        done.wait()

    def _append(self, order: Callable[[], None]) -> None:
        self._orders.append(order)
        if not self._working:
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
            self._working = True

    def _work(self) -> None:
        with in_context(self._context):
            while (order := self._next()) is not None:
                try:
                    order()
                except Exception as error:  # noqa: BLE001  # the next order runs regardless
                    self._failed(error)

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            if self._orders:
                return self._orders.popleft()
            self._working = False
            return None
