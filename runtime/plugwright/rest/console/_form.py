"""Parses the forms that browsers send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from plugwright.rest.console._api import PageError

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest

FORM: Final = "application/x-www-form-urlencoded"
_FIELDS: Final = 5000


def form_of(request: RestRequest) -> dict[str, str]:
    """The fields of a form by name, ends of lines as they are elsewhere.

    Raises:
        PageError: 400 if it cannot be read.
    """
    try:
        fields = parse_qsl(
            request.body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_FIELDS,
        )
    except ValueError as error:
        raise PageError(400, "The form cannot be read.") from error
    return {name: text.replace("\r\n", "\n") for name, text in fields}


def name_of(request: RestRequest) -> str:
    """The connector that the page's address names.

    Raises:
        PageError: 404 if it names none.
    """
    name = request.option("name")
    if not name:
        raise PageError(404, "The address names no connector.")
    return name
