"""One transformation in a chain, with its predicate."""

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
        predicate: selects the records to transform, or ``None`` for all.
        apply: transforms a record if the predicate selects it.
    """

    alias: str
    transformation: Transformation[Any]
    predicate: Predicate[Any] | None
    apply: Callable[[Any], Any]
