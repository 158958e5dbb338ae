"""Searches report files for secrets of the run before they are written."""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright_conformance.report.results import RunResults

_SHORTEST = 6
_CANARY = re.compile(r"canary-?[0-9a-f]{6,}|Y2FuYXJ5[A-Za-z0-9+/]{8,}|63616e617279[0-9a-f]{12,}")
"""A secret that a check generated, in plain text, in base64 and in hexadecimal digits."""

_TAG = re.compile(r"<[^<>]*>")
_ESCAPE = re.compile(r"\\([^\w\s])")


def require_no_secret(
    bodies: Mapping[str, bytes], secrets: Mapping[str, Sequence[str]], results: RunResults
) -> None:
    """Require that no file contains a secret, in plain text or in a usual encoding.

    Values of fewer than six characters, and texts that every report contains, are not searched for,
    because they may occur by chance.

    Args:
        bodies: the contents of the files, by file name.
        secrets: the values of every secret setting of the run, by its name.
        results: the run, for the suite's own texts.

    Raises:
        ConnectError: ``report.secret`` with file and position, without the secret.
    """
    ours = _own_text(results) if secrets else ""
    forms = {
        form: key
        for key, values in secrets.items()
        for value in values
        if len(value) >= _SHORTEST and value not in ours
        for form in _forms(value)
    }
    for name, body in bodies.items():
        for part, text in _readings(body):
            if canary := _CANARY.search(text):
                raise _refused(name, f"{part}{_place(text, canary.start())}", "a check's canary")
            for form, key in forms.items():
                if (at := text.find(form)) >= 0:
                    raise _refused(name, f"{part}{_place(text, at)}", f"the value of {key}")


def _own_text(results: RunResults) -> str:
    """Text of a report that does not depend on the plugin."""
    folder = resources.files(__package__).joinpath("page")
    page = [file.read_text("utf-8") for file in folder.iterdir() if file.is_file()]
    return " ".join([*page, *(f"{r.label} {r.title} {r.group}" for r in results.results)])


def _forms(secret: str) -> set[str]:
    """The representations of the secret in a text."""
    raw = secret.encode("utf-8", "surrogatepass")
    return {
        secret,
        quote(secret, safe="", errors="replace"),
        quote_plus(secret, errors="replace"),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        raw.hex(),
        base64.b64encode(raw).decode().rstrip("="),
    }


def _readings(body: bytes) -> Iterator[tuple[str, str]]:
    """The text of a file, with and without markup, and the text that it contains encoded."""
    text = body.decode("utf-8", "replace")
    bare = _TAG.sub(lambda tag: "\n" * tag.group().count("\n"), text)
    for reading in (text, html.unescape(bare), _ESCAPE.sub(r"\1", text)):
        yield "", reading
    if packed := _payload(text):
        yield "its payload, ", packed


def _payload(text: str) -> str:
    """The payload of a DSSE envelope; empty for other text."""
    try:
        return base64.b64decode(json.loads(text)["payload"]).decode("utf-8", "replace")
    except (ValueError, KeyError, TypeError, binascii.Error):
        return ""


def _place(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    return f"line {line}, character {at - text.rfind(chr(10), 0, at)}"


def _refused(file: str, place: str, what: str) -> ConnectError:
    return ConnectError(
        f"{file} would show a secret: {what} at {place}; no report was written",
        code="report.secret",
        hint="keep the value out of the plugin's messages and names; use a secret in the test "
        "configuration that is not a common word",
        facts={"file": file, "place": place, "what": what},
    )
