"""The order of plugin versions, of which the greatest is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.version import Version

UNDEFINED = "undefined"
"""The version of a plugin without one (Kafka's ``PluginDesc.UNDEFINED_VERSION``)."""


def parsed_version(version: str) -> Version | None:
    """Parse a PEP 440 version; ``None`` for any other text."""
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415  # when versions compete

    try:
        return Version(version)
    except InvalidVersion:
        return None


def version_rank(version: str) -> tuple[int, Version | str]:
    """The sort key: PEP 440 order, then pre-releases, other texts and no version below."""
    if version == UNDEFINED:
        return 0, ""
    parsed = parsed_version(version)
    if parsed is None:
        return 1, version
    return 2 if parsed.is_prerelease else 3, parsed
