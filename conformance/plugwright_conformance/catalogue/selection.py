"""Selects the checks for a kind of plugin, once per declared engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import NotFoundError
from plugwright_conformance.catalogue.check import on_engine
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from plugwright_conformance.catalogue.check import Check

__all__ = ["select_checks"]

_LIKENESS = 0.8  # ids of one group differ in one or two digits


def select_checks(
    checks: Sequence[type[Check]],
    kind: str,
    selection: Sequence[str] = (),
    engines: Collection[str] = (RESIDENT,),
) -> list[type[Check]]:
    """The checks for a kind of plugin, or the selected ones among them.

    Args:
        checks: the suite.
        kind: ``source`` or ``sink``.
        selection: ids, or labels such as ``CON-DLV-01[stream]`` for one engine alone.
        engines: the engines that the plugin claims; live checks are included once for each.

    Raises:
        NotFoundError: if a selected id is not among them.
    """
    fitting = [each for c in checks if kind in c.kinds for each in _turns(c, engines)]
    known = {check.id for check in fitting}
    labels = {check.label() for check in fitting}
    if strange := [name for name in selection if name not in known | labels]:
        raise NotFoundError(
            f"no check for a {kind} is called {', '.join(strange)}",
            code="conformance.no-such-check",
            hint=_near(strange[0], known, labels)
            or f"checks for a {kind}: {', '.join(sorted(known))}",
            facts={"kind": kind, "unknown": tuple(strange)},
        )
    chosen = set(selection)
    return [c for c in fitting if not chosen or c.id in chosen or c.label() in chosen]


def _turns(check: type[Check], engines: Collection[str]) -> Iterator[type[Check]]:
    """The check, or one for each engine on which it runs."""
    if not check.live:
        yield check
        return
    for engine in check.engines:
        if engine in engines:
            yield on_engine(check, engine)


def _near(name: str, known: Collection[str], labels: Collection[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  # for this error only

    id_, bracket, _ = name.upper().partition("[")
    if bracket and id_ in known:
        tried = ", ".join(sorted(label for label in labels if label.startswith(f"{id_}[")))
        return f"it is tried as {tried}" if tried else f"{id_} does not run on Spark"
    near = get_close_matches(id_, sorted(known), 3, _LIKENESS)
    return f"did you mean {' or '.join(near)}?" if near else ""
