"""Makes errors readable through Spark, which passes on only their text."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, render

if TYPE_CHECKING:
    from collections.abc import Iterator


class RowsError(ConnectError):
    """An error whose text contains its code and hint, because Spark keeps nothing else."""

    default_code = "rows.failed"


@contextmanager
def readable_errors() -> Iterator[None]:
    """Add code and hint to the text of errors raised within the block.

    Raises:
        RowsError: in place of any `ConnectError`; the plugin's own error stays its cause.
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
