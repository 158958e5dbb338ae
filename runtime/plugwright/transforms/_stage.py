"""One transformation in a chain, with the predicate that decides about its records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.transforms._base import Predicate, Transformation


class TransformationStage(NamedTuple):
    """One transformation in a chain.

    Attributes:
        alias: its name in the configuration.
        transformation: the plugin.
        predicate: what decides about records, or ``None``.
        apply: transforms a record if it is meant; the whole cost of the stage.
    """

    alias: str
    transformation: Transformation[Any]
    predicate: Predicate[Any] | None
    apply: Callable[[Any], Any]
