"""What is known of one class as a plugin, and the codes of what may be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel, printable

if TYPE_CHECKING:
    from plugwright.plugins._descriptor import PluginDescriptor


_STALE = {
    "module-missing": ("target-missing", "whose module is not there"),
    "name-missing": ("target-missing", "which its module does not have"),
    "not-class": ("target-not-class", "which is no class"),
    "wrong-base": ("target-wrong-base", "which does not extend the base class of that kind"),
    "abstract": ("target-abstract", "which is abstract"),
    "needs-arguments": ("target-needs-arguments", "which cannot be made without arguments"),
}
_TAKEN = ("target-unloadable", "whose module has the name of one of Python's own or the runtime's")
_UNLOADABLE = ("target-unloadable", "whose module cannot be imported")


def stale_entry(row: SurveyedPlugin) -> Diagnostic:
    """The finding about a plugin that a manifest declares and that cannot be loaded."""
    plugin = row.manifest or row.plugin
    code, what = _STALE.get(row.reason, _TAKEN if row.reason == "name-taken" else _UNLOADABLE)
    return Diagnostic(
        DiagnosticLevel.WARNING,
        code,
        str(plugin.location.origin if plugin.location else ""),
        f"the manifest of {printable(plugin.distribution)} declares "
        f"{printable(plugin.class_name)} as {plugin.type.name}, {what}",
        hint="correct the entry point, or mend the class",
    )


ABSENT_REASONS = frozenset(
    {
        "module-missing",
        "name-missing",
        "not-class",
        "wrong-base",
        "abstract",
        "needs-arguments",
    }
)
"""Reasons that prove that what a manifest declares is no plugin, wherever it is imported.

Others, such as ``import-error``, may be gone on another machine or after an installation.
"""

_FAILED = frozenset({"import-error", "import-exit", "name-taken", "requires-python"})


@dataclass(frozen=True, slots=True)
class SurveyedPlugin:
    """One class as one kind of plugin, and what is known of it.

    A class that no manifest declares is listed too if its text says that it is a plugin but the
    import fails, so that somebody can be told why it is missing.

    Attributes:
        plugin: under the module that defines the class, where that is known, with name and
            version of the distribution that has the module.
        manifest: how a manifest declares it; ``None`` if none does.
        loadable: whether an import has shown that it can be loaded, or that it cannot; ``None`` if
            that is not known.
        reason: a code, if it is not known to be loadable; see `ABSENT_REASONS`.
    """

    plugin: PluginDescriptor
    manifest: PluginDescriptor | None
    loadable: bool | None
    reason: str = ""


def is_loadable(reason: str) -> bool | None:
    """Whether a class without or with something wrong can be loaded; nothing if that is open."""
    if reason:
        return False if reason in ABSENT_REASONS or reason in _FAILED else None
    return True
