"""Keys are made once, kept private, and named by their fingerprint."""

from __future__ import annotations

import os
import stat
import traceback

import pytest
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import ec
from tests.conformance.certificate.conftest import KEY, OTHER_KEY

from plugwright.errors import AlreadyExistsError, ConnectError
from plugwright_conformance.certificate import generate_key, load_public_key, load_signing_key


@pytest.fixture
def made(tmp_path):
    """A fresh key."""
    generate_key(tmp_path / "k")
    return tmp_path / "k"


def refusal(load, path):
    """Code and text of the error."""
    with pytest.raises(ConnectError) as caught:
        load(path)
    return caught.value.code, str(caught.value)


def test_signature_is_that_of_the_standard():
    """RFC 8032, section 7.1, test 1: the empty message."""
    assert KEY.sign(b"").hex() == (
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )


def test_key_is_named_by_the_digest_of_its_der_form():
    """Anybody can work it out: openssl pkey -pubin -outform DER | sha256sum."""
    assert KEY.public.keyid == "06e3fd8fda29bb60ab59557de61edb0aecdb231134be30e75b455f8e1b792fa9"
    assert KEY.public.fingerprint == "SHA256:" + KEY.public.keyid


@pytest.mark.parametrize(
    ("signature", "data"),
    [(KEY.sign(b"a"), b"b"), (OTHER_KEY.sign(b"a"), b"a"), (b"", b"a"), (b"\0" * 64, b"a")],
    ids=["other-data", "other-key", "empty", "zeros"],
)
def test_wrong_signatures_do_not_verify(signature, data):
    """None of them raises either."""
    assert not KEY.public.verifies(signature, data)


def test_private_file_is_for_its_owner_alone(made):
    """Whatever the umask is."""
    before = os.umask(0)
    try:
        generate_key(made.with_name("open"))
    finally:
        os.umask(before)

    assert stat.S_IMODE(made.with_name("open").stat().st_mode) == 0o600


def test_made_key_signs_for_its_public_file(made):
    """The two files belong together."""
    signature = load_signing_key(made).sign(b"x")

    assert load_public_key(made.with_name("k.pub")).verifies(signature, b"x")


@pytest.mark.parametrize("present", ["k", "k.pub"])
def test_nothing_is_overwritten(tmp_path, present):
    """Neither half, and no half is left behind."""
    (tmp_path / present).write_text("precious")

    with pytest.raises(
        AlreadyExistsError, match=f"{present} exists, and keys are never overwritten"
    ) as caught:
        generate_key(tmp_path / "k")

    assert caught.value.code == "key.exists"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(present, "precious")]


def test_missing_directory_is_reported(tmp_path):
    """With what the system says."""
    assert refusal(generate_key, tmp_path / "no" / "k") == (
        "key.unwritable",
        f"{tmp_path}/no/k cannot be written: No such file or directory",
    )


def test_key_that_others_can_read_is_refused(made):
    """As ssh does."""
    made.chmod(0o640)

    assert refusal(load_signing_key, made) == (
        "key.exposed",
        f"the private key {made} must be readable only by its owner, found mode 0640",
    )


def test_missing_key_is_reported(tmp_path):
    """By path and reason."""
    assert refusal(load_signing_key, tmp_path / "k") == (
        "key.unreadable",
        f"the key {tmp_path}/k cannot be read: No such file or directory",
    )


@pytest.mark.parametrize("load", [load_signing_key, load_public_key])
def test_key_of_another_kind_is_refused(tmp_path, load):
    """Also one of another algorithm, whose parser succeeds."""
    key = ec.generate_private_key(ec.SECP256R1())
    body = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    (tmp_path / "k").touch(0o600)
    (tmp_path / "k").write_bytes(body)

    assert refusal(load, tmp_path / "k")[0] == "key.not-ed25519"


def test_halves_are_not_taken_for_each_other(made):
    """The private file is no public key, and the error does not show it."""
    code, text = refusal(load_public_key, made)

    assert (code, text) == ("key.not-ed25519", f"{made} contains no Ed25519 public key")


@pytest.mark.parametrize("damage", [slice(0, -40), slice(40, None), slice(0, 60)])
def test_errors_show_nothing_of_a_damaged_key(made, damage):
    """Not in the text, not in the chain of causes."""
    body = made.read_text()
    secret = body.splitlines()[1]
    made.write_text(body[damage])

    with pytest.raises(ConnectError) as caught:
        load_signing_key(made)

    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value.facts)
    assert not [secret[i : i + 12] for i in range(len(secret) - 12) if secret[i : i + 12] in shown]


def test_key_object_shows_nothing():
    """It may be logged by accident."""
    assert repr(KEY) == "SigningKey()"
