"""The suite inside pytest."""

from __future__ import annotations
