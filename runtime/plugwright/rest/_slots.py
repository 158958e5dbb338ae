"""Runs a limited number of blocking calls, which may hang, outside of the event loop."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class CallSlots:
    """Runs calls in threads that never keep the process alive.

    A call whose caller gave up keeps its slot until it returns, so that calls that hang cannot
    pile up; later ones wait for a slot, and time out if none gets free.

    Args:
        limit: maximum number of concurrent calls.
        name: of the threads.
    """

    def __init__(self, limit: int, name: str) -> None:
        self._free = asyncio.Semaphore(limit)
        self._name = name

    async def run(self, call: Callable[[], T]) -> T:
        """The call's result; cancelling the wait leaves the call to itself."""
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[T | None, Exception | None]] = loop.create_future()

        def finish(result: T | None, error: Exception | None) -> None:
            self._free.release()
            if not future.done():
                future.set_result((result, error))

        def work() -> None:
            result, error = _outcome(call)
            with suppress(RuntimeError):  # the loop was closed in the meantime
                loop.call_soon_threadsafe(finish, result, error)

        try:
            threading.Thread(target=work, name=self._name, daemon=True).start()
        except RuntimeError:
            self._free.release()
            raise
        result, error = await future
        if error is not None:
            raise error
        return result  # type: ignore[return-value]  # None only if the call returned it


def _outcome(call: Callable[[], T]) -> tuple[T | None, Exception | None]:
    try:
        return call(), None
    except Exception as error:  # noqa: BLE001  # becomes the answer
        return None, error
    except BaseException as error:  # noqa: BLE001  # a plugin's SystemExit must not end the worker
        stopped = ConnectError(
            f"The call ended with {type(error).__name__}", code="rest.call-ended"
        )
        stopped.__cause__ = error
        return None, stopped
