"""Describes failures of plugin code, in texts of limited length that never fail themselves.

An error's own text is plugin code, too: it may raise, or be a hundred megabytes long.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError, render

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "ending_forks",
    "is_operators",
    "name_origin",
    "origin",
    "public_name",
    "said",
    "status_text",
    "trace_text",
]

_MESSAGE_LIMIT = 10_000
_TRACE_LIMIT = 64_000  # a status is a record of Kafka, which takes a million bytes by default


def origin(plugin: str, version: str, location: str, phase: str) -> str:
    """The line that says where a failure comes from.

    >>> origin("shop.OrdersTask", "1.4.0", "/plugins/shop", "poll")
    'plugin shop.OrdersTask, version 1.4.0, location /plugins/shop, phase poll'
    """
    where = location or "the runtime's own"
    return f"plugin {plugin}, version {version}, location {where}, phase {phase}"


def name_origin(error: BaseException, line: str) -> None:
    """Note on an error where it comes from, once; a trace shows notes below the message."""
    if line not in getattr(error, "__notes__", ()):
        error.add_note(line)


def public_name(named: Any) -> str:
    """The dotted name by which others may import a class or function.

    A private module does not show where its package offers the same.

    >>> from plugwright.errors import ConnectError
    >>> public_name(ConnectError)
    'plugwright.errors.ConnectError'
    """
    module, qualname = str(named.__module__), str(named.__qualname__)
    first = qualname.partition(".")[0]
    own = getattr(sys.modules.get(module), first, None)
    parts = module.split(".")
    while len(parts) > 1 and own is not None and any(part.startswith("_") for part in parts):
        parts.pop()
        if getattr(sys.modules.get(".".join(parts)), first, None) is own:
            return f"{'.'.join(parts)}.{qualname}"
    return f"{module}.{qualname}"


def said(error: BaseException) -> str:
    """An error's text, or else the name of its class; cut if it is too long.

    >>> said(KeyError("path")), said(ValueError("no path")), said(ValueError())
    ("KeyError: 'path'", 'no path', 'ValueError')
    """
    try:
        text = str(error)
        if text and isinstance(error, KeyError):
            text = f"{type(error).__name__}: {text}"  # for the text is the key alone
    except BaseException:  # noqa: BLE001  # the text of an error is plugin code
        text = ""
    return _cut(text or type(error).__name__, _MESSAGE_LIMIT)


def trace_text(error: BaseException) -> str:
    """The traceback of an error, without the middle if it is too long."""
    try:
        text = "".join(traceback.format_exception(error)).rstrip()
    except BaseException:  # noqa: BLE001  # as above: it asks the error and what caused it
        text = f"{type(error).__name__}: {said(error)}"
    return _cut(text, _TRACE_LIMIT)


def status_text(error: BaseException) -> str:
    """The text of an error for a status: the error, a hint, and its origin."""
    summary = render(error) if isinstance(error, ConnectError) else ""
    return "\n".join(filter(None, [summary, trace_text(error)]))


def is_operators(error: BaseException) -> bool:
    """Whether an error is not a plugin's, but an operator's Ctrl-C."""
    return (
        isinstance(error, KeyboardInterrupt)
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


@contextmanager
def ending_forks() -> Iterator[None]:
    """End a process that plugin code has forked and let come back out of the plugin.

    It would answer, write and commit a second time on the lines of the process it came from.
    """
    own = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != own:
            os._exit(0)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"
