"""Where files that can be made again are kept between runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["cache_directory"]


def cache_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """The directory for the runtime's own cache; it may not exist yet.

    ``PLUGWRIGHT_CACHE`` names it; else it is ``plugwright`` in ``XDG_CACHE_HOME``, which counts
    only if absolute (XDG base directory specification), or in ``~/.cache``.
    """
    if own := environ.get("PLUGWRIGHT_CACHE"):
        return Path(own).expanduser().absolute()
    shared = Path(environ.get("XDG_CACHE_HOME", ""))
    if shared.is_absolute():
        return shared / "plugwright"
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / ".cache" / "plugwright"
