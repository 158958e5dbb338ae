"""Which task this is, which plugin it runs, and how calls into that plugin are guarded."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, PluginError, RetriableError
from plugwright.metrics import OwnPluginMetrics
from plugwright.origin import ending_forks, is_operators, name_origin, origin, said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class TaskIdentity:
    """The name of one task and the plugin behind it.

    Attributes:
        connector: name of the connector.
        task: number of the task within it, from 0.
        plugin: dotted name of the task class.
        version: version of the plugin.
        location: where on the plugin path it was found.
        enter: told the phase when a call into the plugin begins, and an empty one when it is over.
        metrics: those of its own (KIP-877).
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
        """Guard one call into plugin code: whatever it raises becomes a `PluginError`.

        A `RetriableError` passes as it is, because loops act on it.

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
        """Tell that converters and transformations work on a batch, not the task's own code."""
        self.enter("conversion and transformation of records")
        try:
            yield
        finally:
            self.enter("")

    def failure(self, phase: str, error: BaseException) -> PluginError:
        """The error for something that plugin code raised in a phase such as ``poll``."""
        text, hint = said(error), ""
        if isinstance(error, ConnectError):
            text, hint = str(error) or error.code, error.hint
        elif isinstance(error, MemoryError):
            hint = "let it keep less in memory, or raise plugin.memory.limit.mb"
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
