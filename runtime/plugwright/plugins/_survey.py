"""The survey: every plugin of every location, declared or not, and whether it can be loaded."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from plugwright.plugins._view import View
from plugwright.plugins.children import Children, ConfirmLimits
from plugwright.plugins.confirming import confirm_in
from plugwright.plugins.location_log import log_location
from plugwright.plugins.resolving import HostModules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._diagnostic import Diagnostic
    from plugwright.plugins._location import Location
    from plugwright.plugins._surveyed import SurveyedPlugin
    from plugwright.plugins.confirming import ImportOutcome, Inquiry


@dataclass(frozen=True, slots=True)
class Survey:
    """The plugins of one location.

    Attributes:
        plugins: ordered by class name, type and version.
        seconds: time that was spent on this location alone.
    """

    location: Location
    plugins: Sequence[SurveyedPlugin]
    diagnostics: Sequence[Diagnostic]
    seconds: float


def survey(
    locations: Sequence[Location],
    *,
    imports: bool = True,
    exclude: Sequence[str] = (),
    limits: ConfirmLimits | None = None,
) -> list[Survey]:
    """Find every plugin of locations, by manifest and by code; one survey per location.

    Nothing is imported into this process: source code determines which modules to
    import, and child processes import those and the names in manifests.

    Args:
        locations: the locations.
        imports: whether to import; if not, no plugin is known to be loadable.
        exclude: shell patterns of modules or files below a location that are not
            scanned; names in manifests are imported nevertheless.
        limits: limits on the import of one module.
    """
    return [found for _, found in look(locations, imports=imports, exclude=exclude, limits=limits)]


def look(
    locations: Sequence[Location],
    *,
    imports: bool = True,
    manifests: bool = True,
    exclude: Sequence[str] = (),
    limits: ConfirmLimits | None = None,
) -> list[tuple[Sequence[PluginDescriptor], Survey]]:
    """Like `survey`, also returning everything that the manifests declare.

    Args:
        locations: the locations.
        imports: as in `survey`.
        manifests: whether to read manifests too.
        exclude: as in `survey`.
        limits: as in `survey`.
    """
    # One more than there are processors: while one location is read, others are imported.
    threads = (os.cpu_count() or 1) + 1
    # The children end first, so that an interruption does not wait for a hanging one.
    with ThreadPoolExecutor(threads) as pool, Children() as children:
        look_into = _Look(children, exclude, limits or ConfirmLimits(), imports, manifests)
        found = list(pool.map(look_into, locations))
    for _, each in found:
        log_location(each.location, len(each.plugins), each.seconds)
    return found


@dataclass(frozen=True, slots=True)
class _Look:
    """The parameters of a survey; callable for one location on any thread."""

    children: Children
    exclude: Sequence[str]
    limits: ConfirmLimits
    imports: bool
    manifests: bool
    host: HostModules = field(default_factory=HostModules)
    # Python 3.11 cannot parse in two threads at a time (cpython#106905), nor ignore warnings.
    reading: Lock = field(default_factory=Lock)

    def __call__(self, location: Location) -> tuple[Sequence[PluginDescriptor], Survey]:
        if not location.is_usable:
            return [], Survey(location, [], [], 0.0)
        with self.reading:
            started = time.monotonic()
            view = View(location, self.host, self.exclude, manifests=self.manifests)
            inquiry = view.inquiry()
            seconds = time.monotonic() - started
        outcome, more = self._confirmed(inquiry)
        with self.reading:
            plugins, diagnostics = view.plugins(outcome), view.diagnostics(outcome)
        return view.declared, Survey(location, plugins, diagnostics, seconds + more)

    def _confirmed(self, inquiry: Inquiry) -> tuple[ImportOutcome | None, float]:
        """The results of imports, and their duration once a child could start."""
        if not self.imports:
            return None, 0.0
        if inquiry.modules:
            self.children.prepare()
        started = time.monotonic()
        outcome = confirm_in(self.children, inquiry, self.limits)
        return outcome, time.monotonic() - started
