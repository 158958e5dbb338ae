"""Serialises errors as plain data, so that any class can be sent between processes."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import plugwright.errors
from plugwright.errors import ConnectError, PluginError
from plugwright.origin import (
    ending_forks,
    is_operators,
    name_origin,
    origin,
    said,
    trace_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.plugins import PluginDescriptor

OUT_OF_MEMORY = "plugin.out-of-memory"

_PLAIN = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """One error.

    Attributes:
        kind: the nearest class of `plugwright.errors`.
        trace: its stack trace, as text.
    """

    kind: str
    message: str
    code: str
    hint: str
    facts: Mapping[str, object] = field(default_factory=dict)
    trace: str = ""


def report(error: BaseException) -> ErrorReport:
    """Convert an error; a foreign one becomes a `PluginError`."""
    trace = trace_text(error)
    if not isinstance(error, ConnectError):
        facts = {"error": type(error).__name__}
        return ErrorReport("PluginError", said(error), PluginError.default_code, "", facts, trace)
    known = (c.__name__ for c in type(error).__mro__ if c.__module__ == plugwright.errors.__name__)
    facts = {str(name): _plain(value) for name, value in error.facts.items()}
    return ErrorReport(next(known), said(error), str(error.code), str(error.hint), facts, trace)


def revive(report: ErrorReport) -> ConnectError:
    """Recreate an error, with its origin as a note."""
    kind: type[ConnectError] = getattr(plugwright.errors, report.kind, ConnectError)
    error = kind(report.message, code=report.code, hint=report.hint, facts=report.facts)
    if report.trace:
        error.add_note(f"in another process:\n{report.trace}")
    return error


def _plain(value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return repr(value)


def location_of(plugin: PluginDescriptor) -> str:
    """The import directory of a plugin, or an empty string for a built-in one."""
    return str(plugin.location.path.resolve()) if plugin.location else ""


def origin_of(plugin: PluginDescriptor, phase: str) -> str:
    """The line of an error that identifies the plugin and phase."""
    return origin(plugin.class_name, plugin.version, location_of(plugin), phase)


@contextmanager
def guarded(plugin: PluginDescriptor, phase: str) -> Iterator[None]:
    """Wrap a call into plugin code in a phase such as ``start``; a forked child ends with it.

    Raises:
        PluginError: for any exception except an operator's Ctrl-C.
        ConnectError: raised by the plugin, with a note about its origin.
    """
    try:
        with ending_forks():
            yield
    except ConnectError as error:
        name_origin(error, origin_of(plugin, phase))
        raise
    except BaseException as error:
        if is_operators(error):
            raise
        raise plugin_error(plugin, phase, error) from error


def plugin_error(plugin: PluginDescriptor, phase: str, error: BaseException) -> PluginError:
    """The error for an exception of a connector in a phase such as ``start``."""
    found = PluginError(
        f"{plugin.class_name} {plugin.version} failed in {phase}: {said(error)}",
        code=OUT_OF_MEMORY if isinstance(error, MemoryError) else None,
        hint=_hint(plugin, phase, error),
        facts={
            "plugin": plugin.class_name,
            "version": plugin.version,
            "location": location_of(plugin),
            "phase": phase,
            "error": type(error).__name__,
        },
    )
    name_origin(found, origin_of(plugin, phase))
    return found


def _hint(plugin: PluginDescriptor, phase: str, error: BaseException) -> str:
    """Advice about a class that cannot be instantiated; other failures are the plugin's own."""
    if isinstance(error, MemoryError):
        return "reduce its memory use, or raise plugin.memory.limit.mb"
    if phase != "constructor" or not isinstance(error, TypeError):
        return ""
    if "abstract" in str(error):
        return f"implement the abstract methods of plugwright.{plugin.type.base}"
    return "give __init__ no parameters but self, and read the settings in start()"
