"""Explains why a plugin is missing, link by link from the plugin path to the class."""

from __future__ import annotations

from plugwright_toolkit.explaining._chain import explain
from plugwright_toolkit.explaining._link import Explanation, Link, LinkState

__all__ = ["Explanation", "Link", "LinkState", "explain"]
