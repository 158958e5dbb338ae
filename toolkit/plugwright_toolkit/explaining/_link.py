"""The links of the chain, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins import DiscoveryMode

LINKS = (
    "plugin path",
    "location",
    "metadata",
    "entry point",
    "module",
    "import",
    "class",
    "version",
    "copies",
    "alias",
    "modes",
)
"""What has to hold, in the order in which it is looked at."""


class LinkState(Enum):
    """How a link is."""

    OK = "ok"
    BROKEN = "broken"
    NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True)
class Link:
    """One link.

    Attributes:
        found: what was found there.
        hint: what to do about it, if it is broken.
        fatal: whether the plugin can be used in no mode because of it.
    """

    name: str
    state: LinkState
    found: str = ""
    hint: str = ""
    fatal: bool = False


@dataclass(slots=True)
class Explanation:
    """The chain for one name.

    Attributes:
        plugin: the class that the name stands for, or an empty string.
        mode: the discovery mode that the worker uses.
        modes: those in which the plugin can be used.
        advice: what to do if no link is broken.
    """

    name: str
    mode: DiscoveryMode
    plugin: str = ""
    modes: Sequence[DiscoveryMode] = ()
    advice: str = ""
    _links: dict[str, Link] = field(default_factory=dict)

    def ok(self, name: str, found: str) -> None:
        """Note that a link holds."""
        self._links[name] = Link(name, LinkState.OK, found)

    def broken(self, name: str, found: str, hint: str, *, fatal: bool = False) -> None:
        """Note that a link does not hold."""
        self._links[name] = Link(name, LinkState.BROKEN, found, hint, fatal)

    @property
    def links(self) -> list[Link]:
        """Every link in order; what was not looked at is not reached."""
        return [self._links.get(name, Link(name, LinkState.NOT_REACHED)) for name in LINKS]

    @property
    def stopped(self) -> bool:
        """Whether a link broke that makes the following pointless."""
        return any(link.fatal for link in self._links.values())

    @property
    def usable(self) -> bool:
        """Whether a worker can use the plugin under this name in its mode."""
        return self.mode in self.modes

    @property
    def action(self) -> str:
        """The one thing to do next: mend what stops every mode before what stops some."""
        broken = [link for link in self.links if link.state is LinkState.BROKEN]
        first = next((link for link in broken if link.fatal), broken[0] if broken else None)
        return first.hint if first else self.advice
