"""The interface of report formats: a file name, and bytes made from results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from plugwright_conformance.report.results import RunResults


class ReportWriter(Protocol):
    """Renders the results of one run as one file; stateless, without I/O."""

    @property
    def file_name(self) -> str:
        """Name of the file inside the report directory."""
        ...

    def render(self, results: RunResults) -> bytes:
        """The whole file; equal results give equal bytes."""
        ...
