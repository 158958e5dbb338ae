"""A mutation operator: one kind of fault, and the places where it applies."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["Operator", "operator"]


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of fault.

    Attributes:
        name: as in ``drop-first``.
        family: what it is about, such as ``records``.
        stands_for: the fault, and how it was seen in public.
        propose: the edits of a module that make this fault, one for each place.
    """

    name: str
    family: str
    stands_for: str
    propose: Callable[[ModuleCode], Iterator[Edits]]


def operator(propose: Callable[[ModuleCode], Iterator[Edits]]) -> Operator:
    """Make a function an operator; its name, module and docstring tell the rest."""
    family = propose.__module__.rpartition(".")[2]
    words = " ".join(inspect.cleandoc(propose.__doc__ or "").split())
    return Operator(propose.__name__.replace("_", "-"), family, words, propose)
