"""A replay runs what was recorded, and tells what is not as it was."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest
from tests.conformance.certificate.conftest import compact, payload_of, signed
from tests.conformance.conftest import PLUGIN_PATH

from plugwright.errors import ConnectError
from plugwright_conformance.certificate import (
    CertificateReport,
    compare,
    evidence_hash,
    name_artifact,
    read_recorded,
    registry_of,
    sample,
)
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.commands.replay import REPLAY
from plugwright_conformance.evidence.outcome import Level, Outcome
from plugwright_conformance.report import JsonReport


@pytest.fixture
def recorded_run(run_bundled):
    """A run of one quick check over the file source."""
    return run_bundled("file-source", "PLG-PKG-08")


@pytest.fixture
def run_bundled(subject, workspace, listener):
    """Runs checks over a bundled plugin; ``run`` is another fixture here."""
    from plugwright_conformance.execution.runner import RunOptions, run_checks  # noqa: PLC0415

    def run_bundled(location, *checks):
        options = RunOptions(seed="7f3c", records=1000, selection=checks)
        return run_checks(
            subject(location), CHECKS, options, workspace=workspace, live=None, listener=listener
        )

    return run_bundled


@pytest.fixture
def replay(tmp_path, capsys):
    """Runs the command over recorded bytes, and returns exit status and output."""

    def replay(data, *words):
        file = tmp_path / "recorded.json"
        file.write_bytes(data)
        parser = argparse.ArgumentParser()
        REPLAY.configure(parser)
        status = REPLAY.run(parser.parse_args([str(file), *words]))
        return int(status), capsys.readouterr().out

    return replay


def changed(run, **more):
    """``results.json`` of the run with its one result changed."""
    return JsonReport().render(replace(run, results=(replace(run.results[0], **more),)))


def test_same_result_is_the_same_again(replay, recorded_run):
    """From its seed, at its place."""
    assert replay(JsonReport().render(recorded_run), "-k", "PLG-PKG-08") == (
        0,
        "same     PLG-PKG-08  PASS, evidence as recorded\n1 of 1 checks gave the same result\n",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reported"),
    [
        ({"outcome": Outcome.FAIL}, "FAIL then, PASS now"),
        ({"revision": 9}, "revision 9 then, 1 now: another check"),
    ],
)
def test_other_result_is_reported(replay, recorded_run, change, reported):
    """With exit status 4."""
    status, text = replay(changed(recorded_run, **change), "-k", "PLG-PKG-08")

    assert (status, text) == (
        4,
        f"differs  PLG-PKG-08  {reported}\n0 of 1 checks gave the same result\n",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [{"observations": 99}, {"digest": "00"}, {"seed": "00"}],
    ids=["observations", "ledger", "seed"],
)
def test_other_evidence_is_reported(replay, recorded_run, change):
    """Passing in another way is not the same."""
    status, text = replay(changed(recorded_run, **change), "-k", "PLG-PKG-08")

    assert (status, text.split()[:3]) == (4, ["differs", "PLG-PKG-08", "evidence"])


def test_duration_and_message_may_differ(run):
    """Two honest runs differ in them."""
    result = run.results[0]

    assert evidence_hash(replace(result, duration_s=9.0, message="x", figures={"s": 1})) == (
        evidence_hash(result)
    )


@pytest.mark.slow
def test_other_artifact_is_not_replayed(replay, recorded_run):
    """Its results would be those of something else."""
    other = replace(recorded_run, plugin=replace(recorded_run.plugin, digest="00"))

    with pytest.raises(ConnectError, match="is not the artifact of the recorded run") as caught:
        replay(JsonReport().render(other), "-k", "PLG-PKG-08")

    assert caught.value.code == "replay.other-artifact"


def test_certificate_does_not_say_where_the_artifact_is(replay, certificate):
    """Code from a place that a stranger names is not run."""
    with pytest.raises(ConnectError, match="does not contain the path of the artifact"):
        replay(certificate, "-k", "PLG-PKG-08")


def test_artifact_that_is_gone_is_reported(replay, recorded_run):
    """With the place where it was."""
    gone = replace(recorded_run, plugin=replace(recorded_run.plugin, location="/gone"))

    with pytest.raises(ConnectError, match="recorded run at /gone"):
        replay(JsonReport().render(gone), "-k", "PLG-PKG-08")


@pytest.mark.slow
def test_certificate_is_replayed_on_the_named_artifact(replay, recorded_run):
    """Like results."""
    location = PLUGIN_PATH / "file-source"
    whole = replace(recorded_run, selection=(), registry=("PLG-PKG-08",))
    report = CertificateReport(name_artifact(location), "cd" * 32, registry_of(CHECKS))

    status, text = replay(report.render(whole), "-k", "PLG-PKG-08", "--wheel", str(location))

    assert (status, text.splitlines()[-1]) == (0, "1 of 1 checks gave the same result")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{}", "report.unreadable"),
        (b"\xff", "report.unreadable"),
        (b'{"payloadType":"x"}', "replay.unreadable"),
        (signed(b"{"), "replay.unreadable"),
        (signed(b"{}"), "replay.unreadable"),
    ],
    ids=["object", "binary", "envelope", "payload", "statement"],
)
def test_anything_else_is_refused(data, code):
    """It is neither results nor a certificate."""
    with pytest.raises(ConnectError) as caught:
        read_recorded(data)

    assert caught.value.code == code


def test_check_that_was_not_recorded_is_reported(run, results_json):
    """With those that were."""
    stranger = replace(run.results[0], id="CON-XYZ-99")

    with pytest.raises(ConnectError, match="has no check called CON-XYZ-99") as caught:
        compare(read_recorded(results_json), [stranger])

    assert caught.value.hint == "it has: CON-LIF-02, PLG-PKG-08, PLG-PKG-09, SRC-OFF-03"


def test_number_of_records_is_taken_from_the_command(certificate):
    """A live check repeats only with as many."""
    document = payload_of(certificate)
    document["predicate"]["run"]["command"] = "plugwright certify 'a b' --records 5000"

    assert read_recorded(signed(compact(document))).records == 5000
    assert read_recorded(certificate).records is None


def test_lot_falls_on_checks_that_need_nothing(results_json):
    """No live check, none above C3, in the order of the run, as many as asked for."""
    recorded = read_recorded(results_json)
    row = recorded.rows[0]
    ids = ["CON-REB-01", "CON-DLV-01", "PLG-PKG-08", "SRC-OFF-03", "GONE-00"]
    wide = replace(recorded, rows=[replace(row, id=name) for name in ids])

    high = SimpleNamespace(id="GONE-00", live=False, level=Level.C4)

    assert sample(wide, (*CHECKS, high), 10, Random(0)) == ["PLG-PKG-08", "SRC-OFF-03"]  # noqa: S311
    assert len(sample(wide, CHECKS, 1, Random(0))) == 1  # noqa: S311


def test_results_name_their_place(results_json, wheel):
    """They are the reader's own."""
    assert read_recorded(results_json).location == wheel
    assert json.loads(results_json)["plugin"]["location"] == str(wheel)
