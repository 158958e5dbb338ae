"""File sources that answer wrongly whether they deliver exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import ExactlyOnceSupport
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_source import FileStreamSourceConnector

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AnswersTrue", "SaysUnsupported"]


@mutant(
    "M098",
    "declares exactly-once delivery, and tells the runtime that it is unsupported",
    killed_by="CON-DLV-09",
    failure="UNSUPPORTED",
)
class SaysUnsupported(FileStreamSourceConnector):
    """Can what it says it cannot."""

    def exactly_once_support(self, props: Mapping[str, str]) -> ExactlyOnceSupport:  # noqa: ARG002
        """Say no."""
        return ExactlyOnceSupport.UNSUPPORTED


@mutant(
    "M098b",
    "answers True when it is asked for exactly-once support",
    killed_by="CON-DLV-09",
    failure="or None | True",
)
class AnswersTrue(FileStreamSourceConnector):
    """Says yes in words of its own."""

    def exactly_once_support(self, props: Mapping[str, str]) -> Any:  # noqa: ARG002
        """Say yes."""
        return True
