"""The suite's reference connectors, which are correct."""

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
