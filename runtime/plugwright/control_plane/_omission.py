"""How a value says which of its fields are left out where they are empty."""

from __future__ import annotations

from typing import Final

OMIT_EMPTY: Final = {"omit": "empty"}
"""Metadata of a field that JSON leaves out when it is ``None`` or empty."""
