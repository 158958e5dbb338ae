"""Connectors that are right: what checks and mutants are held against."""

from __future__ import annotations

from plugwright_conformance.reference._reference import (
    FIELDS,
    OWN_PACKAGE,
    REFERENCES,
    ReferenceConnector,
    reference,
    reference_for,
)

__all__ = [
    "FIELDS",
    "OWN_PACKAGE",
    "REFERENCES",
    "ReferenceConnector",
    "reference",
    "reference_for",
]
