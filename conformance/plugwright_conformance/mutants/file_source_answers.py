"""File sources that answer wrongly whether they deliver exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import ExactlyOnceSupport
from plugwright_conformance.mutants._mutant import mutant
from plugwright_file_source import FileStreamSourceConnector

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NoAnswer", "SaysUnsupported"]


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
    "declares exactly-once delivery, and gives the runtime no answer",
    killed_by="CON-DLV-09",
    failure="SUPPORTED or UNSUPPORTED | None",
)
class NoAnswer(FileStreamSourceConnector):
    """Has nothing to say, as connectors written before KIP-618.

    Reported at https://github.com/Aiven-Open/jdbc-connector-for-apache-kafka/pull/258.
    """

    def exactly_once_support(self, props: Mapping[str, str]) -> Any:  # noqa: ARG002
        """Say nothing."""
        return None
