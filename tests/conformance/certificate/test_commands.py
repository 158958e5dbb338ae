"""``keygen``, ``verify`` and ``gallery`` say in words and exit status what they found."""

from __future__ import annotations

import argparse
import json
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.conformance.certificate.conftest import KEY, OTHER_KEY, SUITE, report_for

from plugwright import __version__
from plugwright.errors import ConnectError
from plugwright_conformance import certificate as package
from plugwright_conformance.commands.gallery import GALLERY
from plugwright_conformance.commands.keygen import KEYGEN
from plugwright_conformance.commands.verify import VERIFY


@pytest.fixture
def call(capsys):
    """Runs a command, and returns exit status and output."""

    def call(command, *words):
        parser = argparse.ArgumentParser()
        command.configure(parser)
        status = command.run(parser.parse_args([str(word) for word in words]))
        return int(status), capsys.readouterr().out

    return call


@pytest.fixture
def home(tmp_path, monkeypatch, run, wheel):
    """A directory with a certificate of an hour ago, and keys; the suite is the small one."""
    monkeypatch.setattr(package, "installed_suite", lambda: SUITE)
    now = datetime.now(UTC).replace(microsecond=0)
    started = (now - timedelta(hours=2)).isoformat()
    report = report_for(wheel, issued=now - timedelta(hours=1))
    (tmp_path / "certificate.json").write_bytes(report.render(replace(run, started=started)))
    for name, key in {"k.pub": KEY, "other.pub": OTHER_KEY}.items():
        (tmp_path / name).write_text(key.public.pem)
    return tmp_path


def test_keygen_prints_the_public_half(call, tmp_path):
    """With its fingerprint; the private half is nowhere in the output."""
    status, text = call(KEYGEN, tmp_path / "k")

    public = package.load_public_key(tmp_path / "k.pub")
    assert (status, text) == (
        0,
        (
            f"private key  {tmp_path}/k (keep it secret)\n"
            f"public key   {tmp_path}/k.pub\n"
            f"fingerprint  {public.fingerprint}\n"
            f"{public.pem}"
        ),
    )
    assert (tmp_path / "k").read_text().splitlines()[1] not in text


def test_keygen_speaks_json(call, tmp_path):
    """For programs; paths, fingerprint and the public half."""
    _, text = call(KEYGEN, tmp_path / "k", "--json")

    public = package.load_public_key(tmp_path / "k.pub")
    assert json.loads(text) == {
        "fingerprint": public.fingerprint,
        "format": "plugwright-key/1",
        "private_key_file": f"{tmp_path}/k",
        "public_key": public.pem,
        "public_key_file": f"{tmp_path}/k.pub",
    }


def test_valid_certificate_is_reported(call, home, wheel, run):
    """What it says, who signed it, and what was not looked at."""
    words = [home / "certificate.json", "--trust", home / "k.pub", "--wheel", wheel]

    status, text = call(VERIFY, *words)

    assert (status, text.splitlines()) == (
        0,
        [
            "VALID  orders 1.2.0 (source, orders.OrdersSource)",
            f" subject      {wheel.name} sha256:{run.plugin.digest}",
            (
                " subject      RECORD sha256:"
                "51e48b84f93f1e35429384a277700006c0de60722bcc30b6579f5eec947f8d45"
            ),
            (
                " level        no level: C1 Discoverable requires 2 must-checks; this version of "
                "the suite implements 1"
            ),
            " result       PASSED: 4 passed",
            f" suite        {__version__}, 4 checks, seed {run.seed}",
            f" signed by    {KEY.public.fingerprint} (self)",
            (
                " holds        envelope, signature, canonical-form, statement, artifact, registry, "
                "closed-set, level, waivers-and-dates, hash-chain"
            ),
            " not checked  results: no results.json was named (--results)",
            " not checked  controls: no level is claimed",
            " not checked  errata: no errata file was named (--errata)",
        ],
    )


def test_historic_certificate_is_reported(call, home, monkeypatch):
    """With exit status 0: it never became false."""
    monkeypatch.setattr(
        package,
        "installed_suite",
        lambda: replace(SUITE, version="9.0", registry=SUITE.registry[:-1]),
    )

    status, text = call(VERIFY, home / "certificate.json", "--trust", home / "k.pub")

    assert (status, text.splitlines()[0]) == (
        0,
        "VALID-HISTORIC  orders 1.2.0 (source, orders.OrdersSource)",
    )
    assert " historic     registry: the suite is now at 9.0: SRC-OFF-03 was withdrawn" in text


def test_invalid_certificate_is_reported(call, home):
    """The broken rule, the reason, what to do; nothing of what it claims."""
    status, text = call(VERIFY, home / "certificate.json", "--trust", home / "other.pub")

    assert (status, text.splitlines()) == (
        4,
        [
            f"INVALID  {home}/certificate.json",
            " rule         signature",
            (
                f" reason       it names the key {KEY.public.fingerprint} as its signer, which is "
                "not among the trusted keys"
            ),
            (
                " next         get a signed certificate and the key from the issuer; name the key "
                "with --trust"
            ),
        ],
    )


def test_broken_rule_after_opening_shows_no_claims(call, home, tmp_path):
    """A level that is not believed is not printed as if it were."""
    (tmp_path / "r").write_bytes(b"{}")
    words = ["--trust", home / "k.pub", "--results", tmp_path / "r"]

    status, text = call(VERIFY, home / "certificate.json", *words)

    assert status == 4
    assert " rule         results\n" in text
    assert " holds        envelope, signature, canonical-form, statement\n" in text
    assert " level " not in text


def test_json_carries_the_same(call, home):
    """For programs, with a format version."""
    status, text = call(VERIFY, home / "certificate.json", "--trust", home / "k.pub", "--json")

    found = json.loads(text)
    assert (status, found["format"], found["verdict"]) == (0, "plugwright-verification/1", "VALID")
    assert (found["rule"], found["reason"], found["level"]) == (None, "", None)
    assert found["findings"][0] == {"detail": "", "rule": "envelope", "state": "holds"}
    assert found["signed_by"] == KEY.public.fingerprint
    assert [subject["name"] for subject in found["subject"]] == [
        "orders-1.2.0-py3-none-any.whl",
        "RECORD",
    ]


def test_verifying_needs_no_network(call, home, monkeypatch):
    """A stranger may do it on a machine that has none."""

    def refused(*_, **__):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refused)

    status, _ = call(VERIFY, home / "certificate.json", "--trust", home / "k.pub")

    assert status == 0


def test_json_names_the_broken_rule(call, home):
    """And has exit status 4."""
    status, text = call(VERIFY, home / "certificate.json", "--json")

    found = json.loads(text)
    assert (status, found["verdict"], found["rule"]) == (4, "INVALID", "signature")
    assert (found["findings"], found["signed_by"], found["subject"]) == ([], None, [])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["gone"], "certificate.unreadable"),
        (["certificate.json", "--results", "gone"], "certificate.unreadable"),
        (["certificate.json", "--errata", "gone"], "certificate.unreadable"),
        (["certificate.json", "--trust", "gone"], "key.unreadable"),
        (["certificate.json", "--trust", "k.pub", "--wheel", "gone"], "certificate.artifact"),
    ],
)
def test_file_that_is_not_there_is_an_error(call, home, monkeypatch, words, code):
    """Exit status 2: nothing was verified, nothing was found."""
    monkeypatch.chdir(home)

    with pytest.raises(ConnectError) as caught:
        call(VERIFY, *words)

    assert (caught.value.code, "gone" in str(caught.value)) == (code, True)


def spoilt(data, part):
    """The data with one bit changed: at the start, in the middle, or at the end."""
    place = part * (len(data) - 1) // 2
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("part", [0, 1, 2])
def test_changed_certificate_is_found(broken, certificate, part):
    """Here at three places; the slow tests try everywhere."""
    rule, _ = broken(spoilt(certificate, part))

    assert rule in {"envelope", "signature", "canonical-form"}


@pytest.mark.parametrize("part", [0, 1, 2])
def test_changed_wheel_is_found(broken, certificate, wheel, tmp_path, part):
    """Also where the archive cannot be read any more."""
    (tmp_path / "x.whl").write_bytes(spoilt(wheel.read_bytes(), part))

    assert broken(certificate, artifact=tmp_path / "x.whl")[0] == "artifact"


@pytest.mark.parametrize("part", [0, 1, 2])
def test_changed_results_are_found(broken, certificate, results_json, part):
    """Also in their last line feed."""
    assert broken(certificate, results=spoilt(results_json, part))[0] == "results"


def test_gallery_names_what_it_leaves_out(call, home):
    """The exit status says that somebody has to look; the site is there all the same."""
    status, text = call(GALLERY, home, "--trust", home / "k.pub", "--output", home / "site")

    assert (status, text.splitlines()[0][:10], text.splitlines()[-1]) == (
        4,
        "left out  ",
        f"written   {home}/site/index.html",
    )
    assert f"{home}/certificate.json: no-level: " in text


def test_gallery_speaks_json(call, home):
    """For programs; without the publisher's key nothing is shown."""
    trust = ("--trust", home / "other.pub")
    status, text = call(GALLERY, home, *trust, "--output", home / "site", "--json")

    document = json.loads(text)
    assert (status, document["format"], document["shown"]) == (4, "plugwright-gallery-run/1", [])
    assert [each["rule"] for each in document["left_out"]] == ["signature"]
