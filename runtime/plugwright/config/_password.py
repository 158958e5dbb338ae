"""A secret that is never printed."""

from __future__ import annotations

from typing import Final, final

HIDDEN: Final = "[hidden]"


@final
class Password:
    """A secret. It always prints as ``[hidden]``; only :attr:`value` returns it.

    It can be pickled and copied, and the copy is hidden too.

    >>> f"{Password('s3cret')} {[Password('s3cret')]}"
    '[hidden] [[hidden]]'
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    @property
    def value(self) -> str:
        """The secret itself."""
        return self._value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Password):
            return NotImplemented
        return self._value == other._value

    def __hash__(self) -> int:
        return hash((Password, self._value))

    def __reduce__(self) -> tuple[type[Password], tuple[str]]:
        return Password, (self._value,)

    def __repr__(self) -> str:
        return HIDDEN

    def __str__(self) -> str:
        return HIDDEN

    def __format__(self, format_spec: str) -> str:
        return format(HIDDEN, format_spec)
