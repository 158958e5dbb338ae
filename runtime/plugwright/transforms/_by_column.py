"""Transforms the columns of a batch, as far as all transformations of a chain can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.batched import batched_by

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.source_columns import SourceColumns
    from plugwright.transforms._stage import TransformationStage

    ColumnsApply = Callable[[SourceColumns], SourceColumns]


class ColumnChain:
    """Applies transformations to columns in place of records.

    None of them has an effect but its result, so records can be transformed afterwards as if
    nothing had been tried.

    Args:
        applies: the transformations, in order.
    """

    __slots__ = ("_applies",)

    def __init__(self, applies: Sequence[ColumnsApply]) -> None:
        self._applies = applies

    def apply(self, columns: SourceColumns) -> SourceColumns | None:
        """The transformed columns; ``None`` if records have to be transformed one by one.

        That is the case if any of them cannot be transformed: one by one shows which.
        """
        try:
            for apply in self._applies:
                columns = apply(columns)
        except Exception:  # noqa: BLE001  # it comes again, with its record, when they are transformed singly
            return None
        return columns


def column_chain(stages: Sequence[TransformationStage]) -> ColumnChain | None:
    """The chain for columns; ``None`` if one of the transformations takes records only."""
    applies = [_apply_of(stage) for stage in stages]
    known = [each for each in applies if each is not None]
    return ColumnChain(known) if len(known) == len(applies) else None


def _apply_of(stage: TransformationStage) -> ColumnsApply | None:
    """How a stage transforms columns; ``None`` if it transforms records only."""
    transformation: Any = stage.transformation
    if stage.predicate or not batched_by(type(transformation), "apply", "apply_to_columns"):
        return None
    found: ColumnsApply = transformation.apply_to_columns
    return found
