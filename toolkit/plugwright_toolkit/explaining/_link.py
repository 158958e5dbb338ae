"""The links of the chain, and their result."""

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
"""The links, in the order in which they are checked."""


class LinkState(Enum):
    """The state of a link."""

    OK = "ok"
    BROKEN = "broken"
    NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True)
class Link:
    """One link.

    Attributes:
        found: the observation.
        hint: what to do if it is broken.
        fatal: whether it prevents the use of the plugin in every mode.
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
        plugin: the class that the name refers to, or an empty string.
        mode: the discovery mode that the worker uses.
        modes: the modes in which the plugin can be used.
        advice: what to do if no link is broken.
    """

    name: str
    mode: DiscoveryMode
    plugin: str = ""
    modes: Sequence[DiscoveryMode] = ()
    advice: str = ""
    _links: dict[str, Link] = field(default_factory=dict)

    def ok(self, name: str, found: str) -> None:
        """Record that a link holds."""
        self._links[name] = Link(name, LinkState.OK, found)

    def broken(self, name: str, found: str, hint: str, *, fatal: bool = False) -> None:
        """Record that a link is broken."""
        self._links[name] = Link(name, LinkState.BROKEN, found, hint, fatal)

    @property
    def links(self) -> list[Link]:
        """Every link in order; unchecked ones are not reached."""
        return [self._links.get(name, Link(name, LinkState.NOT_REACHED)) for name in LINKS]

    @property
    def stopped(self) -> bool:
        """Whether a broken link makes the remaining checks pointless."""
        return any(link.fatal for link in self._links.values())

    @property
    def usable(self) -> bool:
        """Whether a worker can use the plugin under this name in its mode."""
        return self.mode in self.modes

    @property
    def action(self) -> str:
        """The next thing to do: first fix what affects every mode."""
        broken = [link for link in self.links if link.state is LinkState.BROKEN]
        first = next((link for link in broken if link.fatal), broken[0] if broken else None)
        return first.hint if first else self.advice
