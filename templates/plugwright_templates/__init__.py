"""The project templates that ``plugwright new`` fills in."""

from __future__ import annotations
