"""Version requirements of configurations for plugins (KIP-891)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from plugwright.errors import ConfigError
from plugwright.plugins._versions import parsed_version, version_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from packaging.version import Version

_LATEST = "latest"
_NONE = "[,]"
"""Kafka Connect's notation for the range of an empty text."""
_OPERATORS = frozenset("<>=!~")
_BARE = re.compile(r"[^\s()\[\],]+")
_SET = re.compile(r"([\[(])([^\[\]()]*)([\])])")
_UNION = re.compile(rf"\s*{_SET.pattern}\s*(?:,\s*{_SET.pattern}\s*)*")
_HINT = "write a version, >=1.0,<2.0, [1.0,2.0) or latest"


@dataclass(frozen=True, slots=True)
class VersionRequirement:
    """A requirement such as ``1.9``, ``>=1.0,<2.0``, ``[1.0,2.0)`` or ``latest``.

    Attributes:
        text: as written; empty if nothing was.
        admits_prereleases: whether the requirement itself names a pre-release, so that others
            are acceptable (PEP 440, "Handling of pre-releases").
    """

    text: str = ""
    admits_prereleases: bool = False
    _allows: Callable[[str], bool] = field(default=lambda _: True, repr=False, compare=False)

    @classmethod
    def parse(cls, text: str | None) -> Self:
        """Parse a requirement.

        ``None`` and ``latest`` allow every version, an empty text none, as in Kafka Connect; a
        bare version allows only itself, by PEP 440 equality or, if it does not follow PEP 440,
        literally; otherwise PEP 440 specifiers or Maven's ranges, which Kafka Connect uses,
        are accepted. A range that ends before ``2.0`` excludes ``2.0rc1``, as specifiers do.

        Raises:
            ConfigError: if the text is invalid.
        """
        if text is None:
            return cls()
        wanted = text.strip()
        if not wanted:
            return cls(_NONE, False, lambda _: False)  # as the others
        if text == _LATEST or not wanted.strip(","):  # bare commas do not restrict
            return cls(wanted)
        if wanted.startswith(("[", "(")):
            return cls(wanted, *_any_of(wanted))
        if _OPERATORS & set(wanted):
            return cls(wanted, *_specifiers(wanted, wanted))
        if _BARE.fullmatch(wanted):
            return cls(wanted, *_exactly(wanted))
        raise _refusal(wanted, "it is neither a version nor a range")

    @property
    def asks(self) -> bool:
        """Whether a version was requested; ``latest`` requests the highest of all."""
        return bool(self.text)

    def allows(self, version: str) -> bool:
        """Whether a plugin of this version is acceptable; ``undefined`` only matches itself."""
        return self._allows(version)

    def rank(self, version: str) -> tuple[int, Version | str]:
        """The sort key of allowed versions, best last: pre-releases sort lower unless named."""
        number, key = version_rank(version)
        if self.admits_prereleases and not isinstance(key, str):
            return 3, key
        return number, key

    def __str__(self) -> str:
        return self.text or _LATEST


def _exactly(wanted: str) -> tuple[bool, Callable[[str], bool]]:
    version = parsed_version(wanted)
    if version is None:
        return False, lambda each: each == wanted
    return version.is_prerelease, lambda each: parsed_version(each) == version


def _specifiers(text: str, whole: str) -> tuple[bool, Callable[[str], bool]]:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415  # if asked

    try:
        wanted = SpecifierSet(text)
    except InvalidSpecifier as error:
        raise _refusal(whole, "it is not a set of version specifiers") from error

    def allows(each: str) -> bool:
        version = parsed_version(each)
        return version is not None and wanted.contains(version, prereleases=True)

    return bool(wanted.prereleases), allows


def _any_of(text: str) -> tuple[bool, Callable[[str], bool]]:
    """One Maven range, or several separated by commas."""
    if not _UNION.fullmatch(text):
        raise _refusal(text, "a range is not closed, or something stands between two ranges")
    ranges = [_range(text, *match.groups()) for match in _SET.finditer(text)]
    return _either(ranges)


def _either(
    ranges: Iterable[tuple[bool, Callable[[str], bool]]],
) -> tuple[bool, Callable[[str], bool]]:
    kept = list(ranges)
    return any(named for named, _ in kept), lambda each: any(allows(each) for _, allows in kept)


def _range(whole: str, start: str, inner: str, end: str) -> tuple[bool, Callable[[str], bool]]:
    low, comma, high = (part.strip() for part in inner.partition(","))
    if "," in high:
        raise _refusal(whole, f"{start}{inner}{end} has more than two ends")
    if not comma:
        if (start, end) != ("[", "]") or not low:
            raise _refusal(whole, "a single version must be surrounded by []")
        return _exactly(low)
    _require_order(whole, low, high, closed=(start, end) == ("[", "]"))
    above = f">{'=' if start == '[' else ''}{low}" if low else ""
    below = f"<{'=' if end == ']' else ''}{high}" if high else ""
    return _specifiers(",".join(part for part in (above, below) if part), whole)


def _require_order(whole: str, low: str, high: str, *, closed: bool) -> None:
    first, last = parsed_version(low), parsed_version(high)
    if first is None or last is None:
        return
    if first > last or (first == last and not closed):
        raise _refusal(whole, f"no version lies between {low} and {high}")


def _refusal(text: str, reason: str) -> ConfigError:
    return ConfigError(
        f"{text!r} is not a version requirement: {reason}",
        hint=_HINT,
        facts={"requirement": text, "reason": reason},
    )
