"""Errors as plain data, so that they cross processes whatever class they have."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import plugwright.errors
from plugwright.errors import ConnectError, PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.plugins import PluginDescriptor

__all__ = ["ErrorReport", "location_of", "plugin_error", "report", "revive"]

_PLAIN = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """One error.

    Attributes:
        kind: the nearest class of `plugwright.errors`.
        trace: how it came about, as text.
    """

    kind: str
    message: str
    code: str
    hint: str
    facts: Mapping[str, object] = field(default_factory=dict)
    trace: str = ""


def report(error: BaseException) -> ErrorReport:
    """The error as plain data; one that is none of the runtime's becomes a `PluginError`."""
    trace = "".join(traceback.format_exception(error)).rstrip()
    if not isinstance(error, ConnectError):
        facts = {"error": type(error).__name__}
        message = str(error) or type(error).__name__
        return ErrorReport("PluginError", message, PluginError.default_code, "", facts, trace)
    known = (c.__name__ for c in type(error).__mro__ if c.__module__ == plugwright.errors.__name__)
    facts = {str(name): _plain(value) for name, value in error.facts.items()}
    return ErrorReport(next(known), str(error), error.code, error.hint, facts, trace)


def revive(told: ErrorReport) -> ConnectError:
    """The error again, with what is known of its origin as a note."""
    kind: type[ConnectError] = getattr(plugwright.errors, told.kind, ConnectError)
    error = kind(told.message, code=told.code, hint=told.hint, facts=told.facts)
    if told.trace:
        error.add_note(f"in another process:\n{told.trace}")
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
    """The directory that a plugin is imported from, or an empty string for a built-in one."""
    return str(plugin.location.path.resolve()) if plugin.location else ""


def plugin_error(plugin: PluginDescriptor, phase: str, error: BaseException) -> PluginError:
    """The error for something that a connector raised in a phase such as ``start``."""
    return PluginError(
        f"{plugin.class_name} {plugin.version} failed in {phase}: {error}",
        hint=_hint(plugin, phase, error),
        facts={
            "plugin": plugin.class_name,
            "version": plugin.version,
            "location": location_of(plugin),
            "phase": phase,
            "error": type(error).__name__,
        },
    )


def _hint(plugin: PluginDescriptor, phase: str, error: BaseException) -> str:
    """What mends a class that cannot be made; of other failures only the plugin knows."""
    if phase != "constructor" or not isinstance(error, TypeError):
        return ""
    if "abstract" in str(error):
        return f"define what plugwright.{plugin.type.base} leaves abstract"
    return "let __init__ take no argument but self, and read the settings in start()"
