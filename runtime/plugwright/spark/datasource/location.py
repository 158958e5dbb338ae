"""Puts plugin locations on the import path of a Python worker that many queries share."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import SetupError
from plugwright.import_order import placed
from plugwright.spark.version_check import require_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plugwright.spark.datasource.plan import ConnectorPlan


class _Entry(str):
    """An entry of the import path that was added for a data source."""

    __slots__ = ()


def enter_location(plan: ConnectorPlan) -> None:
    """Make the plugin of a plan importable, and forget the plugins before it.

    Spark reuses its Python workers: modules from locations of an earlier query are
    removed.

    Raises:
        SetupError: ``task.location-missing`` if a location is not on this machine;
            ``spark.other-version`` if Plugwright here is not the version that made the plan.
    """
    require_version(plan.runtime)
    missing = next((path for path in plan.python_path if not Path(path).exists()), "")
    if missing:
        raise _missing(missing, plan)
    before = [entry for entry in sys.path if isinstance(entry, _Entry)]
    if before != list(plan.python_path):
        _forget([entry for entry in before if entry not in plan.python_path])
        rest = [entry for entry in sys.path if not isinstance(entry, _Entry)]
        sys.path[:] = placed(rest, map(_Entry, plan.python_path))


def _forget(locations: Iterable[str]) -> None:
    for name in list(_modules_of(tuple(f"{location}{os.sep}" for location in locations))):
        del sys.modules[name]


def _modules_of(places: tuple[str, ...]) -> Iterator[str]:
    for name, module in list(sys.modules.items()):
        origins = [getattr(module, "__file__", None), *(getattr(module, "__path__", None) or ())]
        if any(isinstance(each, str) and each.startswith(places) for each in origins):
            yield name


def _missing(location: str, plan: ConnectorPlan) -> SetupError:
    host = socket.gethostname()
    return SetupError(
        f"{location}, the location of {plan.plugin} {plan.version}, does not exist on {host}, "
        "where Spark runs a task of it",
        code="task.location-missing",
        hint="make plugin.path readable under the same path on every machine of the cluster",
        facts={"location": location, "host": host},
    )
