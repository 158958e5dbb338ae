"""A launcher that can be given away while Spark is still starting."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from plugwright.spark import (
        ResidentJob,
        SparkLauncher,
        StreamJob,
        StreamSettings,
        TaskSpec,
        TaskStatus,
    )

__all__ = ["StartingLauncher"]


class StartingLauncher:
    """Starts Spark beside everything else; only launching a task waits for it.

    As a context manager it begins to start Spark on entry, and on exit stops what was started.

    Args:
        opening: starts Spark on entry, and stops it on exit.
    """

    def __init__(self, opening: Callable[[], AbstractContextManager[SparkLauncher]]) -> None:
        self._opening = opening
        self._thread = threading.Thread(target=self._start, name="spark-start", daemon=True)
        self._context: AbstractContextManager[SparkLauncher] | None = None
        self._launcher: SparkLauncher | None = None
        self._failure: Exception | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()  # half a start cannot be stopped
        if self._launcher is not None and self._context is not None:
            self._context.__exit__(None, None, None)

    def require_no_failure(self) -> None:
        """Insist that the start has not failed so far; does not wait.

        Raises:
            ConnectError: what it has failed with.
        """
        if self._failure is not None:
            raise self._failure

    def wait(self) -> SparkLauncher:
        """The launcher, once there is one.

        Raises:
            ConnectError: what the start of Spark has failed with.
        """
        self._thread.join()
        self.require_no_failure()
        assert self._launcher is not None  # noqa: S101  # or there was a failure
        return self._launcher

    def lives(self) -> bool:
        """Whether Spark is still there, or on its way."""
        return self._launcher is None or self._launcher.lives()

    def launch(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None] | None = None,
    ) -> ResidentJob:
        """Start some tasks of one connector, see `SparkLauncher.launch`.

        Raises:
            ConnectError: what the start of Spark has failed with.
        """
        return self.wait().launch(name, specs, python_path=python_path, listener=listener)

    def launch_stream(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        settings: StreamSettings,
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None] | None = None,
    ) -> StreamJob:
        """Run the tasks of a sink by a streaming query, see `SparkLauncher.launch_stream`.

        Raises:
            ConnectError: what the start of Spark has failed with.
        """
        return self.wait().launch_stream(
            name, specs, settings, python_path=python_path, listener=listener
        )

    def set_level(self, namespace: str, level: int) -> None:
        """Set a level in the processes of all tasks; those that start later look it up."""
        if self._launcher is not None:
            self._launcher.set_level(namespace, level)

    def _start(self) -> None:
        try:
            self._context = self._opening()
            self._launcher = self._context.__enter__()
        except Exception as error:  # noqa: BLE001  # told to whoever waits
            self._failure = error
