"""Identifies a task and its plugin, and wraps calls into the plugin."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, PluginError, RetriableError
from plugwright.metrics import OwnPluginMetrics
from plugwright.origin import ending_forks, is_operators, name_origin, origin, said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONVERTING = "conversion and transformation of records"
"""The phase of a task between its calls into the plugin, while it has a batch in hand."""


@dataclass(frozen=True, slots=True)
class TaskIdentity:
    """The identity of one task and its plugin.

    Attributes:
        connector: name of the connector.
        task: number of the task within it, from 0.
        plugin: dotted name of the task class.
        version: version of the plugin.
        location: the plugin's location on the plugin path.
        enter: called with the phase when a call into the plugin begins, and with "" when it ends.
        metrics: the task's own metrics (KIP-877).
    """

    connector: str
    task: int
    plugin: str
    version: str
    location: str
    enter: Callable[[str], None] = field(default=lambda _: None, compare=False, repr=False)
    metrics: OwnPluginMetrics = field(
        default_factory=lambda: OwnPluginMetrics({}), compare=False, repr=False
    )

    def __str__(self) -> str:
        return f"{self.connector}-{self.task}"

    @contextmanager
    def calling(self, phase: str) -> Iterator[None]:
        """Wrap one call into plugin code: any exception becomes a `PluginError`.

        A `RetriableError` passes unchanged, because loops handle it.

        Raises:
            PluginError: naming plugin, version, location and phase, with the cause chained.
        """
        self.enter(phase)
        try:
            with ending_forks():
                yield
        except RetriableError:
            raise
        except BaseException as error:
            if is_operators(error):
                raise
            raise self.failure(phase, error) from error
        finally:
            self.enter("")

    @contextmanager
    def converting(self) -> Iterator[None]:
        """Report that converters and transformations process a batch, not the task's own code."""
        self.enter(CONVERTING)
        try:
            yield
        finally:
            self.enter("")

    def failure(self, phase: str, error: BaseException) -> PluginError:
        """The error for an exception of plugin code in a phase such as ``poll``."""
        text, hint = said(error), ""
        if isinstance(error, ConnectError):
            text, hint = str(error) or error.code, error.hint
        elif isinstance(error, MemoryError):
            hint = "reduce its memory use, or raise plugin.memory.limit.mb"
        found = PluginError(
            f"{self.plugin} {self.version} failed in {phase}: {text}",
            code="plugin.out-of-memory" if isinstance(error, MemoryError) else None,
            hint=hint,
            facts={
                "task": str(self),
                "plugin": self.plugin,
                "version": self.version,
                "location": self.location,
                "phase": phase,
                "error": type(error).__name__,
            },
        )
        name_origin(found, origin(self.plugin, self.version, self.location, phase))
        return found
