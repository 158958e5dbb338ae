"""What is known of one class as a plugin, and the codes of what may be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright.plugins._descriptor import PluginDescriptor

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

_FAILED = frozenset({"import-error", "import-exit", "requires-python"})


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
