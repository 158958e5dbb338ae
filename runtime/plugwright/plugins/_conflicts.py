"""Which locations may share one process, and why others may not.

Static: nothing is imported. Two locations conflict when they bring different versions of one
distribution, or different files under one name to import (reference D7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._contents import contents, same_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugwright.plugins._contents import Contents
    from plugwright.plugins._location import Location


@dataclass(frozen=True, slots=True)
class Conflict:
    """One thing that two locations have differently.

    Attributes:
        kind: ``distribution`` or ``module``.
        name: normalized name of the distribution, or the name to import.
        one: the version or the file in the first location.
        other: the same in the second one.
    """

    kind: str
    name: str
    one: str
    other: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.one} and {self.other}"


@dataclass(frozen=True, slots=True)
class Composition:
    """Locations that share a process, and those that cannot join them.

    Attributes:
        path: the order of the import path; the first location wins where both have a name.
        apart: what has to run elsewhere, in the order asked for.
        reasons: for each location apart, what it conflicts with and in what.
    """

    path: tuple[Location, ...]
    apart: tuple[Location, ...] = ()
    reasons: tuple[tuple[Location, Location, tuple[Conflict, ...]], ...] = ()

    def __str__(self) -> str:
        shared = " + ".join(location.name for location in self.path) or "the runtime's own process"
        lines = [f"one process: {shared}"]
        for location, other, found in self.reasons:
            why = ", ".join(map(str, found))
            lines.append(f"apart: {location.name}, which conflicts with {other.name} ({why})")
        return "; ".join(lines)


def conflicts(one: Location, other: Location) -> Sequence[Conflict]:
    """What keeps two locations from sharing a process; nothing if they may."""
    if one == other:
        return ()
    return _between(contents(one), contents(other))


def _between(one: Contents, other: Contents) -> tuple[Conflict, ...]:
    distributions = [
        Conflict("distribution", name, version, other.distributions[name])
        for name, version in one.distributions.items()
        if other.distributions.get(name, version) != version
    ]
    modules = [
        Conflict("module", name, str(path), str(other.modules[name]))
        for name, path in one.modules.items()
        if name in other.modules and not same_files(path, other.modules[name])
    ]
    return (*distributions, *modules)


def compose(first: Location | None, others: Iterable[Location]) -> Composition:
    """Put as many locations as possible into the first one's process.

    Greedy, in the given order: a location joins if it conflicts with none that is in already.

    Args:
        first: the connector's; ``None`` for a plugin that comes with the runtime.
        others: those of its converters, transformations and predicates.
    """
    path: list[Location] = []
    apart: list[Location] = []
    reasons: list[tuple[Location, Location, tuple[Conflict, ...]]] = []
    known: dict[Location, Contents] = {}
    for location in dict.fromkeys((first, *others)):
        if location is None:
            continue
        known[location] = contents(location)
        for member in path:
            if found := _between(known[member], known[location]):
                apart.append(location)
                reasons.append((location, member, found))
                break
        else:
            path.append(location)
    return Composition(tuple(path), tuple(apart), tuple(reasons))


def partition(first: Location | None, others: Iterable[Location]) -> tuple[Composition, ...]:
    """Divide locations into as few processes as the greedy rule finds; the first one's first."""
    compositions = [compose(first, others)]
    while rest := compositions[-1].apart:
        compositions.append(compose(rest[0], rest[1:]))
    return tuple(compositions)
