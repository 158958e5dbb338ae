"""The endpoint that the conformance suite reads back from: a text file."""

from __future__ import annotations

from plugwright_conformance.subject.text_file import TextFileEndpoint

__all__ = ["FileEndpoint"]


class FileEndpoint(TextFileEndpoint):
    """A file in a private directory, written and read without the connector."""
