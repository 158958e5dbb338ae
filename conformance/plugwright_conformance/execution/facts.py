"""Facts that the checks of a run share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from plugwright_conformance.evidence.outcome import CheckFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright_conformance.evidence.outcome import CheckEnd

__all__ = ["KnownFacts", "UnloadableError"]

_T = TypeVar("_T")


class UnloadableError(BaseException):
    """An import that hangs or ends the process, and is not attempted again.

    Not an `Exception`, so that no check mistakes it for one of the plugin's.

    Attributes:
        ending: whether it hangs or ends the process.
    """

    def __init__(self, reason: str, ending: CheckEnd) -> None:
        super().__init__(reason)
        self.ending = ending


class KnownFacts:
    """The facts known so far; forked processes continue with a copy.

    Attributes:
        unloadable: why the plugin cannot be loaded; ``None`` if it can, or if that is unknown.
        loading_was_tried: whether that is known.
    """

    def __init__(self) -> None:
        self.unloadable: UnloadableError | None = None
        self.loading_was_tried = False
        self._seen: dict[str, Any] = {}

    def once(self, name: str, look: Callable[[], _T]) -> _T:
        """A fact, computed on first use.

        Raises:
            CheckFailedError: on every call, if the computation raised it.
        """
        if name not in self._seen:
            try:
                self._seen[name] = look()
            except CheckFailedError as failure:
                self._seen[name] = failure
        found: _T = self._seen[name]
        if isinstance(found, CheckFailedError):
            raise found
        return found

    def require_loadable(self) -> None:
        """Require that the plugin is not known to be unloadable.

        Raises:
            UnloadableError: if an import has shown that it cannot be loaded.
        """
        if self.unloadable:
            raise self.unloadable
