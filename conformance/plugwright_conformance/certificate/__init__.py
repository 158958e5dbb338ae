"""Certificates: the results of a run, bound to the tested artifact, verifiable by anyone."""

from __future__ import annotations

from plugwright_conformance.certificate._artifact import matches, name_artifact
from plugwright_conformance.certificate._errata import Erratum, read_errata, write_errata
from plugwright_conformance.certificate._evidence import evidence_hash
from plugwright_conformance.certificate._finding import (
    BrokenRuleError,
    Given,
    InstalledSuite,
    RuleFinding,
    RuleState,
)
from plugwright_conformance.certificate._issue import CertificateReport
from plugwright_conformance.certificate._keys import (
    PublicKey,
    SigningKey,
    generate_key,
    load_public_key,
    load_signing_key,
)
from plugwright_conformance.certificate._registry import registry_digest, registry_of
from plugwright_conformance.certificate._replay import (
    Comparison,
    RecordedRun,
    compare,
    read_recorded,
    sample,
)
from plugwright_conformance.certificate._verify import (
    Verdict,
    Verification,
    installed_suite,
    verify_certificate,
)
from plugwright_conformance.certificate.canonical_json import NotCanonicalError, canonical
from plugwright_conformance.certificate.envelope import (
    Envelope,
    Signature,
    decode_envelope,
    encode_envelope,
    pae,
    sealed,
)
from plugwright_conformance.certificate.statement import (
    PREDICATE_TYPE,
    CertificatePredicate,
    NamedArtifact,
    Statement,
)

__all__ = [
    "PREDICATE_TYPE",
    "BrokenRuleError",
    "CertificatePredicate",
    "CertificateReport",
    "Comparison",
    "Envelope",
    "Erratum",
    "Given",
    "InstalledSuite",
    "NamedArtifact",
    "NotCanonicalError",
    "PublicKey",
    "RecordedRun",
    "RuleFinding",
    "RuleState",
    "Signature",
    "SigningKey",
    "Statement",
    "Verdict",
    "Verification",
    "canonical",
    "compare",
    "decode_envelope",
    "encode_envelope",
    "evidence_hash",
    "generate_key",
    "installed_suite",
    "load_public_key",
    "load_signing_key",
    "matches",
    "name_artifact",
    "pae",
    "read_errata",
    "read_recorded",
    "registry_digest",
    "registry_of",
    "sample",
    "sealed",
    "verify_certificate",
    "write_errata",
]
