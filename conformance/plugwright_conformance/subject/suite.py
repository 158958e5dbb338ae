"""The `conformance` function, which adds the suite to a project's tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ConformanceSuite", "conformance"]

_LEVELS = ("C1", "C2", "C3", "C4", "C5")


@dataclass(frozen=True, slots=True)
class ConformanceSuite:
    """The object from which pytest collects checks; see `conformance`."""

    named: str
    plugin: str | None = None
    level: str = "C5"
    endpoint: str = ""
    config: Mapping[str, str] = field(default_factory=dict)
    capabilities: Mapping[str, object] = field(default_factory=dict)


def conformance(  # noqa: PLR0913  # what a declaration has, and which part of the suite
    named: str,
    *,
    plugin: str | None = None,
    level: str = "C5",
    endpoint: str = "",
    config: Mapping[str, str] | None = None,
    capabilities: Mapping[str, object] | None = None,
) -> ConformanceSuite:
    """The checks of a connector as tests of this file, each named by its id.

    ``test_conformance = conformance(".", level="C2")`` is a whole test file. What the package
    declares in its ``conformance.toml`` need not be said again; a package without that file is
    declared by ``endpoint``, ``config`` and ``capabilities``, which mean the same as there.

    Args:
        named: a project directory, of which a wheel is built; a plugin location; a wheel; or the
            name of an installed distribution. Relative paths begin at pytest's root directory.
        plugin: class name or alias of one connector; all of them if it is left out.
        level: the checks up to this level; ``--conformance-level`` has precedence.
        endpoint: ``module:Class`` of the endpoint driver.
        config: the example configuration; ``{topic}`` stands for the topic of a run.
        capabilities: what the connector promises.

    Raises:
        ConnectError: ``conformance.level`` if there is no such level, ``conformance.declaration``
            if there is a configuration and no endpoint.
    """
    from plugwright.errors import ConnectError  # noqa: PLC0415  # loaded with every pytest run

    if level not in _LEVELS:
        raise ConnectError(
            f"unknown level {level!r}",
            code="conformance.level",
            hint=f"the levels are {', '.join(_LEVELS)}",
        )
    if (config or capabilities) and not endpoint:
        raise ConnectError(
            "config and capabilities require endpoint",
            code="conformance.declaration",
            hint="name endpoint='module:Class', or write all three into conformance.toml",
        )
    return ConformanceSuite(named, plugin, level, endpoint, config or {}, capabilities or {})
