"""The content of a certificate: an in-toto Statement, as one typed value.

The predicate contains everything that a verifier needs to compute the verdict again; it is a
superset of in-toto's test-result predicate, whose three lists keep their names.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  # resolved at run time by the reader
from dataclasses import dataclass, field

from plugwright_conformance.subject.engines import labelled
from plugwright_conformance.subject.waivers import Waiver

__all__ = [
    "FORMAT",
    "FORMER_FORMAT",
    "PREDICATE_TYPE",
    "STATEMENT_TYPE",
    "CertificatePredicate",
    "CheckRow",
    "Controls",
    "EvidenceSummary",
    "NamedArtifact",
    "PluginFacts",
    "RegistryEntry",
    "RunFacts",
    "Sentinel",
    "Signer",
    "Statement",
    "SuiteFacts",
    "SuiteQuality",
    "Waiver",
]

FORMAT = "plugwright-certificate/2"
"""Name and version of the layout of the predicate."""

FORMER_FORMAT = "plugwright-certificate/1"
"""The previous layout, without engines, which is still read."""

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"

PREDICATE_TYPE = "urn:plugwright:conformance-certificate:1"


@dataclass(frozen=True, slots=True)
class NamedArtifact:
    """An artifact by name and digest (in-toto's ResourceDescriptor)."""

    name: str
    digest: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Signer:
    """The signing key: its id, and the complete public key as PEM."""

    keyid: str
    public_key: str


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """One check of the suite.

    Attributes:
        engines: the engines on which it runs, if it is live and the plugin claims them.
    """

    id: str
    revision: int
    severity: str
    level: str
    kinds: tuple[str, ...]
    engines: tuple[str, ...] = field(default=(), metadata={"left out": True})


@dataclass(frozen=True, slots=True)
class SuiteFacts:
    """The suite that ran.

    Attributes:
        registry: all its checks, for every kind of plugin, by id.
        registry_digest: SHA-256 of the canonical form of ``registry``.
        source_digest: SHA-256 over the suite's own files.
        catalogue: how many must-checks each level requires of this kind of plugin.
        profile: name of the frozen list of checks that determined the level, or ``None``.
    """

    version: str
    registry: tuple[RegistryEntry, ...]
    registry_digest: str
    source_digest: str
    catalogue: Mapping[str, int]
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class PluginFacts:
    """The certified plugin with its declaration.

    Attributes:
        digest: the digest of the wheel's bytes, or of the location's files.
    """

    name: str
    version: str
    plugin_class: str
    type: str
    digest: str
    declaration_digest: str
    capabilities: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Time and circumstances of the run; times are ISO 8601 in UTC.

    Attributes:
        nonce: the value from which the master seed was derived, with artifact and suite; ``None``
            if the user chose the seed.
        expires: when the certificate becomes historic.
        dry_run: whether checks were listed instead of run; never true in a certificate.
    """

    id: str
    started: str
    finished: str
    issued: str
    expires: str
    seed: str
    nonce: str | None
    command: str
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class CheckRow:
    """The result of one check.

    Attributes:
        ledger: digest over the compared values, or empty.
        evidence: SHA-256 over everything that a replay must repeat.
        engine: the engine that ran the tasks on Spark; omitted for other checks.
    """

    id: str
    revision: int
    severity: str
    level: str
    outcome: str
    observations: int
    duration_ms: int
    seed: str
    attempts: int
    message: str
    figures: Mapping[str, object]
    ledger: str
    evidence: str
    engine: str = field(default="", metadata={"left out": True})

    @property
    def label(self) -> str:
        """The id, with the engine if there is one, such as ``CON-DLV-01[stream]``."""
        return labelled(self.id, self.engine)


@dataclass(frozen=True, slots=True)
class Sentinel:
    """A mutant killed in the run itself, with its digest and the check that failed it."""

    id: str
    digest: str
    killed_by: str


@dataclass(frozen=True, slots=True)
class Controls:
    """The controls of the run: a good connector and killed mutants."""

    reference_digest: str
    reference_level: str
    sentinels: tuple[Sentinel, ...]


@dataclass(frozen=True, slots=True)
class SuiteQuality:
    """The measured quality of the suite, if it has a kill matrix.

    Attributes:
        kill_matrix_digest: SHA-256 of it.
        killed: mutants that their designated check found.
        tried: mutants that were tested with it.
        false_alarms: failed checks of good connectors, over all seeds.
        flakes: unexpected verdicts on good connectors.
        flake_verdicts: all verdicts on good connectors.
        seeds: the number of seeds.
    """

    kill_matrix_digest: str | None = None
    killed: int | None = field(default=None, metadata={"left out": True})
    tried: int | None = field(default=None, metadata={"left out": True})
    false_alarms: int | None = field(default=None, metadata={"left out": True})
    flakes: int | None = field(default=None, metadata={"left out": True})
    flake_verdicts: int | None = field(default=None, metadata={"left out": True})
    seeds: int | None = field(default=None, metadata={"left out": True})


@dataclass(frozen=True, slots=True)
class EvidenceSummary:
    """The evidence of the run.

    Attributes:
        chain_head: last link of the hash chain over the rows.
        results_digest: SHA-256 of ``results.json``.
        results_size: its size in bytes.
    """

    chain_head: str
    events: int
    results_digest: str
    results_size: int


@dataclass(frozen=True, slots=True)
class CertificatePredicate:
    """Everything that the certificate states about its subject.

    Attributes:
        result: ``PASSED``, ``WARNED`` or ``FAILED``.
        level: the level reached, or ``None``; verifiers compute it again.
        why_not: what the next level requires.
        axis: the party that ran it: ``self``, ``witnessed`` or ``issuer``.
        signer: ``None`` if the certificate is unsigned.
    """

    format: str
    result: str
    configuration: tuple[NamedArtifact, ...]
    level: str | None
    why_not: str
    badges: tuple[str, ...]
    axis: str
    signer: Signer | None
    suite: SuiteFacts
    plugin: PluginFacts
    environment: Mapping[str, str]
    run: RunFacts
    results: tuple[CheckRow, ...]
    passed: tuple[str, ...] = field(metadata={"name": "passedTests"})
    warned: tuple[str, ...] = field(metadata={"name": "warnedTests"})
    failed: tuple[str, ...] = field(metadata={"name": "failedTests"})
    not_applicable: tuple[str, ...]
    not_run: tuple[str, ...]
    waived: tuple[str, ...]
    error: tuple[str, ...]
    untestable: tuple[str, ...]
    controls: Controls | None
    suite_quality: SuiteQuality
    waivers: tuple[Waiver, ...]
    evidence: EvidenceSummary


@dataclass(frozen=True, slots=True)
class Statement:
    """An in-toto Statement with Plugwright's predicate."""

    subject: tuple[NamedArtifact, ...]
    predicate: CertificatePredicate
    type: str = field(default=STATEMENT_TYPE, metadata={"name": "_type"})
    predicate_type: str = field(default=PREDICATE_TYPE, metadata={"name": "predicateType"})
