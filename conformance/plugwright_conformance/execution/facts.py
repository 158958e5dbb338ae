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
    """An import that hangs or ends the process; it is not attempted again.

    Not an `Exception`, so that no check takes it for one of the plugin's.

    Attributes:
        ending: which of the two.
    """

    def __init__(self, reason: str, ending: CheckEnd) -> None:
        super().__init__(reason)
        self.ending = ending


class KnownFacts:
    """The facts known so far; forked processes continue with a copy.

    Attributes:
        unloadable: why the plugin cannot be loaded; ``None`` if it can, as far as is known.
        loading_was_tried: whether it is known.
    """

    def __init__(self) -> None:
        self.unloadable: UnloadableError | None = None
        self.loading_was_tried = False
        self._seen: dict[str, Any] = {}

    def once(self, name: str, look: Callable[[], _T]) -> _T:
        """A fact, computed on first use.

        Raises:
            CheckFailedError: each time, if that was how it ended.
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
        """Insist on a plugin that is not known to be none that can be loaded.

        Raises:
            UnloadableError: if it is.
        """
        if self.unloadable:
            raise self.unloadable
