"""Input and result of a verification rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from plugwright_conformance.certificate._keys import PublicKey
    from plugwright_conformance.certificate.statement import RegistryEntry


@dataclass(eq=False)  # raising sets the traceback of an exception, so it cannot be frozen
class BrokenRuleError(Exception):
    """Ends a verification.

    Attributes:
        rule: name of the broken rule.
        reason: what was expected and what was found.
    """

    rule: str
    reason: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.reason}"


class RuleState(Enum):
    """The result of a rule that was not broken."""

    HOLDS = "holds"
    HISTORIC = "historic"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """The result of one rule, with its reason."""

    rule: str
    state: RuleState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class InstalledSuite:
    """The suite that performs the verification.

    Attributes:
        sentinels: digests of the mutants of every certification, by id; empty to skip their
            comparison.
    """

    version: str
    registry: Sequence[RegistryEntry]
    catalogue: Mapping[str, Mapping[str, int]]
    sentinels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Given:
    """The optional inputs of a verification, in addition to the certificate.

    Attributes:
        suite: the installed suite.
        trusted: the keys whose signatures are accepted; keys in a certificate are not trusted.
        artifact: the wheel, or an unpacked one.
        results: the bytes of ``results.json``.
        errata: the bytes of a signed errata file.
    """

    suite: InstalledSuite
    now: datetime
    trusted: Sequence[PublicKey] = ()
    artifact: Path | None = None
    results: bytes | None = None
    errata: bytes | None = None
