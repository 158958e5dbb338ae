"""Why a plugin is not there: the chain from the plugin path to the class, link by link."""

from __future__ import annotations

from plugwright_toolkit.explaining._chain import explain
from plugwright_toolkit.explaining._link import Explanation, Link, LinkState

__all__ = ["Explanation", "Link", "LinkState", "explain"]
