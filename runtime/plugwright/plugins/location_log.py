"""The log lines about each plugin location."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.plugins._diagnostic import printable

if TYPE_CHECKING:
    from plugwright.plugins._location import Location

_LOGGER = logging.getLogger("plugwright.plugins")
_SLOW_S = 1.0


def log_location(location: Location, plugins: int, seconds: float) -> None:
    """Log one line per location, and a warning if it delays the start."""
    place = printable(str(location.origin))
    _LOGGER.info("Loading plugin from: %s (%d plugins in %.2f s)", place, plugins, seconds)
    if seconds > _SLOW_S:
        _LOGGER.warning("location-slow: scanning %s took %.1f s", place, seconds)
