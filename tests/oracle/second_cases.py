"""A second drawing of random cases, of the kinds and settings that the first one lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.second_api import second_builder, second_config, second_headers, second_struct
from tests.oracle.second_data import (
    second_converter,
    second_definition,
    second_projector,
    second_values,
)
from tests.oracle.second_transforms import second_predicate, second_transform

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

__all__ = ["second_cases"]

_KINDS = (
    *(second_transform,) * 6, *(second_converter,) * 3, *(second_values,) * 3,
    *(second_definition,) * 2, second_predicate, second_projector, second_builder, second_struct,
    second_headers, second_config,
)  # fmt: skip


def second_cases(random: Random, number: int) -> Iterator[dict[str, Any]]:
    """So many cases."""
    for _ in range(number):
        yield random.choice(_KINDS)(random)
