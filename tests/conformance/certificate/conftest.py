"""A small suite, one run over a small wheel, and certificates of it, honest and forged."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from plugwright import __version__
from plugwright_conformance.certificate import (
    CertificateReport,
    Given,
    InstalledSuite,
    SigningKey,
    name_artifact,
    verify_certificate,
)
from plugwright_conformance.certificate.statement import RegistryEntry
from plugwright_conformance.evidence.outcome import CheckResult, Level, Outcome, Severity
from plugwright_conformance.execution.seeds import check_seed, master_seed
from plugwright_conformance.report import JsonReport
from plugwright_conformance.report.results import PluginUnderTest, RunResults

NONCE = "5eed"
ISSUED = datetime(2026, 3, 1, 11, 0, tzinfo=UTC)
NOW = datetime(2026, 6, 1, tzinfo=UTC)

REGISTRY = (
    RegistryEntry("CON-LIF-02", 1, "must", "C2", ("sink", "source")),
    RegistryEntry("PLG-PKG-08", 2, "must", "C1", ("sink", "source")),
    RegistryEntry("PLG-PKG-09", 1, "should", "C1", ("sink", "source")),
    RegistryEntry("SNK-OFF-02", 1, "must", "C3", ("sink",)),
    RegistryEntry("SRC-OFF-03", 1, "must", "C3", ("source",)),
)
SUITE = InstalledSuite(__version__, REGISTRY, {"source": {"C1": 2, "C2": 3}, "sink": {}})

# The first two secret keys of RFC 8032, section 7.1.
KEY = SigningKey(
    Ed25519PrivateKey.from_private_bytes(
        bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    )
)
OTHER_KEY = SigningKey(
    Ed25519PrivateKey.from_private_bytes(
        bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    )
)


def wheel_bytes(body=b"VALUE = 1\n", name="orders/__init__.py", when=(2026, 1, 1, 0, 0, 0)):
    """A wheel with one module, whose RECORD tells the truth."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()
    record = f"{name},sha256={digest},{len(body)}\norders-1.2.0.dist-info/RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name, when), body)
        archive.writestr(zipfile.ZipInfo("orders-1.2.0.dist-info/RECORD", when), record)
    return buffer.getvalue()


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel under test."""
    made = tmp_path_factory.mktemp("dist") / "orders-1.2.0-py3-none-any.whl"
    made.write_bytes(wheel_bytes())
    return made


def outcome(check_id, seed, level, outcome=Outcome.PASS, **more):
    """How one check ended."""
    quiet = {"revision": 1, "severity": Severity.MUST, "observations": 4, "duration_s": 0.25}
    return CheckResult(
        check_id,
        title="A claim",
        group="Group",
        level=level,
        outcome=outcome,
        seed=check_seed(seed, check_id),
        message="",
        replay="plugwright certify",
        **(quiet | more),
    )


@pytest.fixture(scope="session")
def run(wheel):
    """A source that fulfils every check of a suite that has too few for a level."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    seed = master_seed(digest, __version__, NONCE)
    results = (
        outcome("PLG-PKG-08", seed, Level.C1, revision=2),
        outcome("PLG-PKG-09", seed, Level.C1, severity=Severity.SHOULD),
        outcome("CON-LIF-02", seed, Level.C2, figures={"in": 12, "seconds": 0.5}),
        outcome("SRC-OFF-03", seed, Level.C3, digest="ab" * 32),
    )
    return RunResults(
        plugin=PluginUnderTest(
            "orders", "1.2.0", "orders.OrdersSource", "source", str(wheel), digest, {"upsert": True}
        ),
        environment={"python": "3.11.7"},
        seed=seed,
        started="2026-03-01T10:20:30+00:00",
        duration_s=127.5,
        command="plugwright certify orders.whl",
        results=results,
        registry=tuple(r.id for r in results),
        catalogue={"C1": 2, "C2": 3},
    )


def report_for(wheel, **more):
    """The writer of a certificate over the wheel."""
    usual = {
        "subject": name_artifact(wheel),
        "declaration_digest": "cd" * 32,
        "registry": REGISTRY,
        "key": KEY,
        "nonce": NONCE,
        "issued": ISSUED,
        "run_id": "4242",
    }
    return CertificateReport(**(usual | more))


@pytest.fixture(scope="session")
def certificate(run, wheel):
    """The bytes of the honest certificate."""
    return report_for(wheel).render(run)


@pytest.fixture(scope="session")
def results_json(run):
    """The bytes of ``results.json`` of the same run."""
    return JsonReport().render(run)


def payload_of(data):
    """What an envelope carries, as plain JSON."""
    return json.loads(base64.b64decode(json.loads(data)["payload"]))


def compact(document):
    """Canonical JSON, as far as these documents need it: their keys are ASCII."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def signed(payload, key=KEY, payload_type="application/vnd.in-toto+json"):
    """An envelope around these bytes, made without the code under test."""
    covered = b"DSSEv1 %d %b %d %b" % (
        len(payload_type),
        payload_type.encode(),
        len(payload),
        payload,
    )
    envelope = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": payload_type,
        "signatures": [
            {"keyid": key.public.keyid, "sig": base64.b64encode(key.key.sign(covered)).decode()}
        ],
    }
    return compact(envelope) + b"\n"


@pytest.fixture
def forge(certificate):
    """Signs the certificate again after a change to what it says, as its author could."""

    def forge(change, key=KEY):
        document = payload_of(certificate)
        change(document)
        return signed(compact(document), key)

    return forge


def with_suite(**changes):
    """Another suite that verifies."""
    return replace(SUITE, **changes)


COMPLETE = {"C1": 1, "C2": 2, "C3": 3}
CAN_AWARD = with_suite(catalogue={"source": COMPLETE})


def rechained(document):
    """The hash chain made good again, as a forger would."""
    predicate = document["predicate"]
    for row in predicate["results"]:
        parts = ("id", "revision", "seed", "outcome", "observations", "ledger")
        seen = [row[part] for part in parts] + ([row["engine"]] if "engine" in row else [])
        row["evidence"] = hashlib.sha256(compact(seen)).hexdigest()
    link = hashlib.sha256(predicate["run"]["id"].encode()).digest()
    for row in predicate["results"]:
        link = hashlib.sha256(link + compact(row)).digest()
    predicate["evidence"] |= {"chain_head": link.hex(), "events": len(predicate["results"])}


def levelled(document):
    """A certificate as it will be when a level can be reached: C3, with controls."""
    document["predicate"] |= {
        "level": "C3",
        "controls": {
            "reference_digest": "ef" * 32,
            "reference_level": "C3",
            "sentinels": [
                {"id": f"M{n:03}", "digest": f"{n:064x}", "killed_by": "CON-DLV-01"}
                for n in range(12)
            ],
        },
        "suite_quality": {"kill_matrix_digest": "12" * 32},
    }
    document["predicate"]["suite"]["catalogue"] = COMPLETE


@pytest.fixture
def verify():
    """Verifies bytes as a stranger would who trusts one key."""

    def verify(data, **given):
        usual = {"suite": SUITE, "now": NOW, "trusted": (KEY.public,)}
        return verify_certificate(data, Given(**(usual | given)))

    return verify


@pytest.fixture
def broken(verify):
    """Name and reason of the first rule that does not hold."""

    def broken(data, **given):
        found = verify(data, **given)
        assert found.verdict.value == "INVALID"
        return found.broken.rule, found.broken.reason

    return broken
