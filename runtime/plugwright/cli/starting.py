"""A launcher that can be used while Spark is still starting."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Self

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from plugwright.spark import ResidentJob, SparkLauncher, StreamJob

_BEGIN_S = 10.0
"""Time for a thread whose start was interrupted to begin, if it ever does."""


class StartingLauncher:
    """Starts Spark in the background; only launching a task waits for it.

    As a context manager it starts Spark in the background on entry, and stops it on exit.

    Args:
        opening: starts Spark on entry, and stops it on exit.
    """

    def __init__(self, opening: Callable[[], AbstractContextManager[SparkLauncher]]) -> None:
        self._opening = opening
        self._thread = threading.Thread(target=self._start, name="spark-start", daemon=True)
        self._begun = threading.Event()
        self._ended = threading.Event()
        self._context: AbstractContextManager[SparkLauncher] | None = None
        self._launcher: SparkLauncher | None = None
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        try:
            self._thread.start()
        except KeyboardInterrupt:  # raised by a signal while the thread begins, or just before
            if self._begun.wait(_BEGIN_S):
                self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        # A start in progress cannot be stopped. No join: after an interrupted one, Python takes
        # the thread for ended.
        self._ended.wait()
        if self._launcher is not None and self._context is not None:
            self._context.__exit__(None, None, None)

    def require_no_failure(self) -> None:
        """Raise if the start has failed; does not wait.

        Raises:
            ConnectError: the error with which it failed.
        """
        if self._failure is not None:
            raise self._failure

    def wait(self) -> SparkLauncher:
        """Wait for the launcher and return it.

        Raises:
            ConnectError: the error with which the start of Spark failed.
        """
        self._ended.wait()
        self.require_no_failure()
        if self._launcher is None:
            raise ConnectError(
                "Spark was not started, because this worker is stopping",
                code="spark.not-started",
                hint="start the worker again",
            )
        return self._launcher

    def lives(self) -> bool:
        """Whether Spark is running or starting."""
        return self._launcher is None or self._launcher.lives()

    def prepare(self, python_paths: Sequence[str]) -> None:
        """Warm up Spark for tasks with each of these import paths, once it runs.

        Raises:
            ConnectError: the error with which the start of Spark failed.
        """
        self.wait().prepare(python_paths)

    def launch(self, *arguments: Any, **options: Any) -> ResidentJob:
        """Launch tasks of one connector, see `SparkLauncher.launch`.

        Raises:
            ConnectError: the error with which the start of Spark failed.
        """
        return self.wait().launch(*arguments, **options)

    def launch_stream(self, *arguments: Any, **options: Any) -> StreamJob:
        """Run the tasks of a sink in a streaming query, see `SparkLauncher.launch_stream`.

        Raises:
            ConnectError: the error with which the start of Spark failed.
        """
        return self.wait().launch_stream(*arguments, **options)

    def set_level(self, namespace: str, level: int) -> None:
        """Set a level in the processes of all tasks; tasks that start later read it."""
        if self._launcher is not None:
            self._launcher.set_level(namespace, level)

    def _start(self) -> None:
        self._begun.set()
        try:
            self._context = self._opening()
            self._launcher = self._context.__enter__()
        except BaseException as error:  # noqa: BLE001  # raised again in the waiting thread
            self._failure = error
        finally:
            self._ended.set()
