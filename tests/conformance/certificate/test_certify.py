"""``certify`` writes a certificate beside its reports, and never shows the key."""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import shutil
from pathlib import Path

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright.errors import ConnectError
from plugwright_conformance import checks
from plugwright_conformance.certificate import generate_key
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.commands.certifier import Certifier
from plugwright_conformance.commands.certify import CERTIFY
from plugwright_conformance.commands.replay import REPLAY
from plugwright_conformance.commands.verify import VERIFY
from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.report import WRITERS, read_json

REPORTS = {writer.file_name for writer in WRITERS}
SHORT = tuple(check for check in CHECKS if check.id in {"PLG-PKG-08", "PLG-PKG-09"})


@pytest.fixture(autouse=True)
def _short_suite(monkeypatch):
    """Two quick checks are the whole suite; no key comes from outside."""
    monkeypatch.setattr(checks, "CHECKS", SHORT)
    monkeypatch.delenv("PLUGWRIGHT_KEY", raising=False)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The working directory, with the file source and a key in it."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(PLUGIN_PATH / "file-source", tmp_path / "file-source")
    generate_key(tmp_path / "k")
    return tmp_path


@pytest.fixture
def call(home, capfd):
    """Runs a command there, and returns exit status and all output."""

    def call(command, *words):
        parser = argparse.ArgumentParser()
        command.configure(parser)
        status = command.run(parser.parse_args(words))
        return int(status), "".join(capfd.readouterr())

    return call


@pytest.fixture
def certified(call, home):
    """The reports of a signed certification."""
    call(CERTIFY, "file-source", "--report", "out", "--key", "k", "--no-live")
    return home / "out" / "file-source"


@pytest.mark.slow
def test_a_project_is_built_and_its_wheel_kept(call, home):
    """The certificate speaks of the wheel, so the wheel must outlive the run."""
    for metadata in (home / "file-source").glob("*.dist-info"):
        shutil.rmtree(metadata)

    status, said = call(CERTIFY, "file-source", "--report", "out", "--key", "k", "--no-live")

    (wheel,) = (home / "file-source" / "dist").glob("*.whl")
    assert f"built file-source/dist/{wheel.name}" in said
    report = home / "out" / wheel.name
    words = ("--trust", "k.pub", "--wheel", str(wheel))
    verified, reported = call(VERIFY, str(report / "certificate.json"), *words)
    assert (status, verified) == (0, 0), said + reported


def predicate(report):
    """What the certificate says."""
    envelope = json.loads((report / "certificate.json").read_bytes())
    return json.loads(base64.b64decode(envelope["payload"]))["predicate"]


def refusal(call, *words):
    """Code of the error."""
    with pytest.raises(ConnectError) as caught:
        call(CERTIFY, "file-source", *words)
    return caught.value.code


@pytest.mark.slow
def test_certificate_stands_beside_the_reports(certified):
    """And the page speaks of it."""
    assert {path.name for path in certified.iterdir()} == {*REPORTS, "certificate.json"}
    assert b'<h2 id="certificate">' in (certified / "report.html").read_bytes()


@pytest.mark.slow
def test_certificate_verifies_against_everything(call, certified):
    """Artifact, results and suite are those that it speaks of."""
    words = [
        "--trust",
        "k.pub",
        "--wheel",
        "file-source",
        "--results",
        "out/file-source/results.json",
    ]

    status, text = call(VERIFY, "out/file-source/certificate.json", *words)

    assert (status, text.splitlines()[0].split()[0]) == (0, "VALID")
    assert "statement, artifact, results, registry" in text


@pytest.mark.slow
def test_location_is_named_by_its_files(certified):
    """It is no wheel, and the certificate does not say that it were one."""
    envelope = json.loads((certified / "certificate.json").read_bytes())
    (subject,) = json.loads(base64.b64decode(envelope["payload"]))["subject"]

    assert (subject["name"], list(subject["digest"])) == ("file-source", ["dirHash"])


@pytest.mark.slow
def test_wheel_is_named_by_its_bytes(call, home):
    """What is installed later can be compared with it."""
    shutil.make_archive("source", "zip", "file-source")
    wheel = Path("source.zip").rename("source-0.1.0-py3-none-any.whl")

    call(CERTIFY, wheel.name, "--report", "out", "--key", "k", "--no-live")

    status, text = call(
        VERIFY, f"out/{wheel.name}/certificate.json", "--trust", "k.pub", "--wheel", wheel.name
    )
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert (status, f" subject      {wheel.name} sha256:{digest}\n" in text) == (0, True)


@pytest.mark.slow
def test_results_replay(call, certified):
    """From what was recorded alone."""
    status, text = call(REPLAY, "out/file-source/results.json")

    assert (status, "2 of 2 checks gave the same result" in text) == (0, True)


@pytest.mark.slow
def test_no_level_is_claimed(certified):
    """The suite is not complete, and the certificate says so."""
    reported = predicate(certified)

    assert (reported["level"], reported["result"], reported["controls"]) == (None, "PASSED", None)
    assert reported["why_not"].startswith("C1 Discoverable requires 30 must-checks")


@pytest.mark.slow
def test_seed_follows_from_the_nonce(certified):
    """Unless one is chosen."""
    assert predicate(certified)["run"]["nonce"]


@pytest.mark.slow
def test_chosen_seed_has_no_nonce(call, home):
    """The certificate does not pretend that chance chose it."""
    call(CERTIFY, "file-source", "--report", "out", "--no-live", "--seed", "ab")

    run = predicate(home / "out/file-source")["run"]
    assert (run["seed"], run["nonce"]) == ("ab", None)


@pytest.mark.slow
def test_key_may_be_named_by_the_environment(call, home, monkeypatch):
    """For build servers."""
    monkeypatch.setenv("PLUGWRIGHT_KEY", str(home / "k"))

    _, text = call(CERTIFY, "file-source", "--report", "out", "--no-live")

    assert "certified  out/file-source/certificate.json, signed by SHA256:" in text
    assert predicate(home / "out/file-source")["signer"]


@pytest.mark.slow
def test_without_a_key_it_is_unsigned_and_says_so(call, home):
    """On the terminal, in the file, on the page."""
    _, text = call(CERTIFY, "file-source", "--report", "out", "--no-live")

    assert "certified  out/file-source/certificate.json, unsigned" in text
    assert predicate(home / "out/file-source")["signer"] is None
    assert "unsigned" in (home / "out/file-source/report.html").read_text()


@pytest.mark.slow
def test_kill_matrix_is_bound(call, home):
    """By the digest of the file."""
    (home / "matrix").write_bytes(b"")

    call(CERTIFY, "file-source", "--report", "out", "--no-live", "--kill-matrix", "matrix")

    digest = predicate(home / "out/file-source")["suite_quality"]["kill_matrix_digest"]
    assert digest.startswith("e3b0c44298fc1c14")


@pytest.mark.slow
def test_partial_run_takes_the_old_certificate_away(call, certified):
    """It would speak of results that are not there any more."""
    call(CERTIFY, "file-source", "--report", "out", "--no-live", "--check", "PLG-PKG-08")

    assert "certificate.json" not in {path.name for path in certified.iterdir()}
    assert "certificate.json" not in (certified / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--report", "out", "--key", "k", "--check", "PLG-PKG-08"], "certificate.partial-run"),
        (["--report", "out", "--key", "k", "--level", "C2"], "certificate.partial-run"),
        (["--key", "k"], "certificate.no-report"),
        (["--report", "out", "--key", "gone"], "key.unreadable"),
        (["--report", "out", "--key", "k.pub"], "key.exposed"),
        (["--report", "out", "--kill-matrix", "gone"], "certificate.kill-matrix"),
    ],
)
def test_what_cannot_be_signed_is_refused_before_anything_runs(call, home, words, code):
    """A long run does not end in a surprise (H02)."""
    assert refusal(call, "--no-live", *words) == code
    assert not (home / "out").exists()


@pytest.mark.slow
def test_artifact_that_changes_in_mid_run_is_not_certified(call, home, monkeypatch):
    """Its reports are written all the same (H06)."""
    real = SHORT[0].run

    def spoiling(self, bench):
        (home / "file-source" / "README.md").write_text("other bytes")
        return real(self, bench)

    monkeypatch.setattr(SHORT[0], "run", spoiling)

    code = refusal(call, "--report", "out", "--key", "k", "--no-live")

    assert code == "certificate.subject-changed"
    reports = home / "out/file-source"
    assert "changed during the run" in json.loads((reports / "results.json").read_text())["invalid"]
    assert not (reports / "certificate.json").exists()


@pytest.mark.slow
def test_run_that_proves_nothing_does_not_look_as_if_it_did(call, home, certified, monkeypatch):
    """A control of the suite failed: no badge, no certificate, no level in any report."""

    def fail(*_):
        raise ConnectError("M007 was not found", code="controls.sentinel")

    assert (certified / "badge.svg").exists()
    monkeypatch.setattr(Certifier, "_controls_for", fail)

    code = refusal(call, "--report", "out", "--no-live")

    assert code == "controls.sentinel"
    assert {path.name for path in certified.iterdir()} == REPORTS - {"badge.svg"}
    reported = json.loads((certified / "results.json").read_text())
    assert (reported["invalid"], reported["level"], reported["badges"]) == (
        "M007 was not found",
        None,
        [],
    )
    assert read_json((certified / "results.json").read_bytes()).invalid == "M007 was not found"


@pytest.mark.slow
def test_key_is_nowhere_in_what_is_written(call, home, certified):
    """Neither on a terminal nor in any file, in any common spelling."""
    secret = (home / "k").read_text().splitlines()[1]
    seed = base64.b64decode(secret)[-32:]
    _, text = call(CERTIFY, "file-source", "--report", "out", "--key", "k", "--no-live")

    written = text.encode() + b"".join(path.read_bytes() for path in certified.iterdir())

    spellings = [secret.encode(), seed, seed.hex().encode(), base64.b64encode(seed)]
    assert [spelling for spelling in spellings if spelling in written] == []


@pytest.mark.slow
@pytest.mark.parametrize("key", [["--key", "k"], []], ids=["signed", "unsigned"])
def test_secret_in_a_message_is_neither_signed_nor_written(call, home, monkeypatch, key):
    """A plugin that tells its password to the report gets none (H24)."""

    def leaking(self, bench):
        with bench.endpoint() as endpoint:
            secret = bench.config(endpoint, **{"db.password": "hunter2-hunter2"})["db.password"]
        raise CheckFailedError("a login", f"no login with {secret}")

    monkeypatch.setattr(SHORT[0], "run", leaking)

    assert refusal(call, "--report", "out", "--no-live", *key) == "report.secret"
    assert not (home / "out/file-source").exists()
