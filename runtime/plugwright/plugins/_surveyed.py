"""The survey result of one class, and the codes of its problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel, printable

if TYPE_CHECKING:
    from plugwright.plugins._descriptor import PluginDescriptor


_INSTALL = "install the package itself into the location"
_CORRECT = "correct the entry point, or fix the class"
_STALE = {
    "module-missing": ("target-missing", "whose module does not exist"),
    "name-missing": ("target-missing", "which its module does not have"),
    "not-class": ("target-not-class", "which is not a class"),
    "wrong-base": ("target-wrong-base", "which does not extend the base class of that kind"),
    "abstract": ("target-abstract", "which is abstract"),
    "needs-arguments": ("target-needs-arguments", "which cannot be instantiated without arguments"),
    "name-taken": (
        "target-unloadable",
        "whose module has the name of one of Python's own or the runtime's",
    ),
    "editable": ("editable", "whose code is elsewhere, because it is an editable installation"),
}
_UNLOADABLE = ("target-unloadable", "whose module cannot be imported")


def stale_entry(row: SurveyedPlugin) -> Diagnostic:
    """The diagnostic about a declared plugin that cannot be loaded."""
    plugin = row.manifest or row.plugin
    code, what = _STALE.get(row.reason, _UNLOADABLE)
    return Diagnostic(
        DiagnosticLevel.WARNING,
        code,
        str(plugin.location.origin if plugin.location else ""),
        f"the manifest of {printable(plugin.distribution)} declares "
        f"{printable(plugin.class_name)} as {plugin.type.name}, {what}",
        hint=_INSTALL if row.reason == "editable" else _CORRECT,
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
"""Reasons that prove that a declared class is not a plugin, wherever it is imported.

Others, such as ``import-error``, may be gone on another machine or after an installation.
"""

_FAILED = frozenset({"import-error", "import-exit", "name-taken", "requires-python", "editable"})


@dataclass(frozen=True, slots=True)
class SurveyedPlugin:
    """A class as one plugin type, and the results of surveying it.

    A class that no manifest declares is also listed if its source identifies it as a plugin but the
    import fails, so that its absence can be explained.

    Attributes:
        plugin: with the defining module, if known, and the name and
            version of the distribution that owns the module.
        manifest: the declaration in a manifest; ``None`` if there is none.
        loadable: whether an import has shown that it can or cannot be loaded; ``None`` if
            unknown.
        reason: a code, if it is not known to be loadable; see `ABSENT_REASONS`.
    """

    plugin: PluginDescriptor
    manifest: PluginDescriptor | None
    loadable: bool | None
    reason: str = ""


def is_loadable(reason: str) -> bool | None:
    """Whether a class with this reason can be loaded; ``None`` if unknown."""
    if reason:
        return False if reason in ABSENT_REASONS or reason in _FAILED else None
    return True
