"""Collects the registered checks of a package, in the order of a run."""

from __future__ import annotations

from collections import defaultdict
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, TypeVar

from plugwright_conformance.catalogue.check import BOTH, SINK_ONLY, SOURCE_ONLY, Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["collect", "in_order", "registered"]

_C = TypeVar("_C", bound=type[Check])

_GROUPS = (
    ("PLG-PKG", "Packaging"),
    ("PLG-DSC", "Discovery"),
    ("CON-CFG", "Configuration"),
    ("CON-DOC", "Documentation"),
    ("CON-LIF", "Lifecycle"),
    ("SRC-TYP", "Types"),
    ("SNK-TYP", "Types"),
    ("SRC-SCH", "Schema migration"),
    ("SNK-SCH", "Schema migration"),
    ("CON-PAR", "Parallelism"),
    ("CON-RES", "Resources"),
    ("CON-SEC", "Security"),
    ("CON-OBS", "Observability"),
    ("CON-SPK", "Spark"),
    ("SRC-OFF", "Offsets"),
    ("SNK-OFF", "Offsets"),
    ("CON-DLV", "Delivery"),
    ("CON-ERR", "Errors"),
    ("SRC-ERR", "Errors"),
    ("SNK-ERR", "Errors"),
    ("CON-REB", "Worker failure"),
    ("SNK-REB", "Worker failure"),
    ("CON-BRK", "Broker failure"),
    ("CON-CAP", "Capabilities"),
)
"""Prefixes of ids with their headings; causes of failures precede their effects."""

_BEGINNINGS = tuple(beginning for beginning, _ in _GROUPS)
_KINDS = {"SRC": SOURCE_ONLY, "SNK": SINK_ONLY}


def registered(check: _C) -> _C:
    """Register a check; its id determines the group and, by default, the kinds of plugin."""
    check.group = dict(_GROUPS)[check.id[:7]]
    if check.kinds == BOTH:
        check.kinds = _KINDS.get(check.id[:3], BOTH)
    check.in_catalogue = True
    return check


def collect(package: str, path: Iterable[str]) -> tuple[type[Check], ...]:
    """The registered checks of the modules of a package, in the order of a run.

    Raises:
        ValueError: if two of them have the same id.
    """
    modules = [import_module(f"{package}.{module.name}") for module in iter_modules(path)]
    found = [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Check)
        and value.__module__ == module.__name__
        and vars(value).get("in_catalogue")
    ]
    if twice := {check.id for check in found if [c.id for c in found].count(check.id) > 1}:
        raise ValueError(f"several checks have one id: {', '.join(sorted(twice))}")
    return in_order(found)


def in_order(checks: Sequence[type[Check]]) -> tuple[type[Check], ...]:
    """Checks by group and number, except those with `Check.after`, which follow that check."""
    ids = {check.id for check in checks}
    following: dict[str, list[type[Check]]] = defaultdict(list)
    for check in sorted(checks, key=lambda c: (_BEGINNINGS.index(c.id[:7]), c.id)):
        following[check.after if check.after in ids else ""].append(check)

    def below(anchor: str) -> Iterator[type[Check]]:
        for check in following[anchor]:
            yield check
            yield from below(check.id)

    return tuple(below(""))
