"""Decides which locations may share a process, and explains conflicts.

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
    """A difference between two locations.

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
    """Locations that share a process, and those that conflict with them.

    Attributes:
        path: the import path; the first location wins for a name that several have.
        apart: locations that must run elsewhere, in the order given.
        reasons: for each location apart, the location and the conflict.
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
    """The conflicts that keep two locations from sharing a process; empty if there are none."""
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
    """Add as many locations as possible to the first one's process.

    Greedy, in the given order: a location joins if it conflicts with none that has joined.

    Args:
        first: the connector's; ``None`` for a plugin of the runtime.
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
    """Divide locations into processes with the greedy rule, starting with the first one's."""
    compositions = [compose(first, others)]
    while rest := compositions[-1].apart:
        compositions.append(compose(rest[0], rest[1:]))
    return tuple(compositions)
