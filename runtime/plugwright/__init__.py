"""Everything that a plugin author imports, and nothing else; `plugwright._api` lists it.

It is loaded at its first use (PEP 562), because the commands start without most of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from plugwright._version import __version__ as __version__

if TYPE_CHECKING:
    from plugwright._api import *  # noqa: F403  # it lists its names
    from plugwright._api import __all__ as __all__


def __getattr__(name: str) -> object:
    """A name of the author's API, all of which is here from now on."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'plugwright' has no attribute {name!r}")
    api = import_module("plugwright._api")
    globals().update({each: getattr(api, each) for each in ("__all__", *api.__all__)})
    try:
        return globals()[name]
    except KeyError:
        raise AttributeError(f"module 'plugwright' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})  # type: ignore[misc]
