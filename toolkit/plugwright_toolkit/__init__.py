"""Commands for authors and operators: list, migrate, explain, scaffold."""

from __future__ import annotations
