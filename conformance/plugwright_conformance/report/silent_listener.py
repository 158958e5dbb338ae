"""A progress listener that prints nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report.results import RunResults

__all__ = ["SilentListener"]


class SilentListener:
    """Ignores all events."""

    def started(self, plugin_name: str, total: int) -> None:
        """Nothing."""

    def phase(self, text: str) -> None:
        """Nothing."""

    def check_started(self, id: str, title: str) -> None:  # noqa: A002  # the model's name
        """Nothing."""

    def check_finished(self, result: CheckResult) -> None:
        """Nothing."""

    def finished(self, results: RunResults, directory: Path | None) -> None:
        """Nothing."""
