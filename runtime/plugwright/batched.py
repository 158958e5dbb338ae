"""Methods that handle a batch, beside those that handle one record."""

from __future__ import annotations

__all__ = ["batched_by"]


def batched_by(kind: type, single: str, batched: str) -> type | None:
    """The class whose batch method handles what objects of a class are given.

    The class nearest to the object decides: whoever overrides the method for one record alone, in
    a subclass of a class with both, expects it to be called.

    Args:
        kind: class of the object.
        single: name of the method that handles one record, or a list of them.
        batched: name of the method that handles a batch.

    Returns:
        ``None`` if the other method is to be called, or there is none.
    """
    for each in kind.__mro__:
        if {single, batched} & vars(each).keys():
            return each if batched in vars(each) else None
    return None
