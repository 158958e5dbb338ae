"""Errors as they are read through Spark, which hands on nothing but their text."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, render

if TYPE_CHECKING:
    from collections.abc import Iterator


class RowsError(ConnectError):
    """An error whose text has its code and what to do about it, because Spark keeps only that."""

    default_code = "rows.failed"


@contextmanager
def readable_errors() -> Iterator[None]:
    """Give what is raised within the text that a user of a DataFrame needs.

    Raises:
        RowsError: in the place of any `ConnectError`; the plugin's own error stays its cause.
    """
    try:
        yield
    except RowsError:
        raise
    except ConnectError as error:
        cause = error.__cause__
        own = f" ({cause.code})" if isinstance(cause, ConnectError) else ""
        text = render(error) if not own else render(error).replace(str(error), f"{error}{own}", 1)
        raise RowsError(text, code=error.code, hint=error.hint, facts=error.facts) from cause
