"""Bodies of answers that only the REST API knows, field for field as in JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerHealth:
    """The answer of ``GET /health`` (KIP-1017)."""

    status: str
    message: str


@dataclass(frozen=True, slots=True)
class ErrorMessage:
    """The body of every answer that reports an error."""

    error_code: int
    message: str
