"""What is said of a manifest entry that leads to no plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel, printable

if TYPE_CHECKING:
    from plugwright.plugins._surveyed import SurveyedPlugin

_STALE = {
    "module-missing": ("target-missing", "whose module is not there"),
    "name-missing": ("target-missing", "which its module does not have"),
    "not-class": ("target-not-class", "which is no class"),
    "wrong-base": ("target-wrong-base", "which does not extend the base class of that kind"),
    "abstract": ("target-abstract", "which is abstract"),
    "needs-arguments": ("target-needs-arguments", "which cannot be made without arguments"),
}
_UNLOADABLE = ("target-unloadable", "whose module cannot be imported")


def stale_entry(row: SurveyedPlugin) -> Diagnostic:
    """The finding about a plugin that a manifest declares and that cannot be loaded."""
    plugin = row.manifest or row.plugin
    code, what = _STALE.get(row.reason, _UNLOADABLE)
    return Diagnostic(
        DiagnosticLevel.WARNING,
        code,
        str(plugin.location.origin if plugin.location else ""),
        f"the manifest of {printable(plugin.distribution)} declares "
        f"{printable(plugin.class_name)} as {plugin.type.name}, {what}",
        hint="correct the entry point, or mend the class",
    )
