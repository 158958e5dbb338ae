"""The reports say where the certificate is, what it speaks of, and who signed it."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from plugwright_conformance.report import CertificateNote, HtmlReport, ProgressReporter

NOTE = CertificateNote(
    subjects=[("orders.whl", "sha256", "3f" * 32), ("RECORD", "sha256", "ab" * 32)],
    fingerprint="SHA256:" + "cd" * 32,
    command="plugwright verify certificate.json --trust KEY.pub --wheel orders.whl",
)
UNSIGNED = replace(NOTE, fingerprint=None)


def page(results, note):
    """The text of the page, without tags."""
    body = HtmlReport(certificate=note).render(results).decode()
    return " ".join(re.sub("<[^>]+>", " ", body).split())


def printed(note):
    """What stands on a terminal 60 columns wide."""
    file = io.StringIO()
    console = Console(file=file, width=60)
    ProgressReporter(console, console, {"CI": "1"}).certified(Path("out/certificate.json"), note)
    return file.getvalue()


@pytest.mark.parametrize(
    "words",
    [
        "Subject orders.whl sha256:" + "3f" * 32,
        "Its files RECORD sha256:" + "ab" * 32,
        "Signed by SHA256:" + "cd" * 32,
        "plugwright verify certificate.json --trust KEY.pub --wheel orders.whl",
        "Verify it offline",
    ],
)
def test_page_shows_the_certificate(results, words):
    """Digests in full, the command to copy."""
    assert words in page(results, NOTE)


def test_page_says_that_nobody_signed(results):
    """And how to have it signed."""
    text = page(results, UNSIGNED)

    assert "Signed by nobody" in text
    assert "plugwright certify --key" in text


def test_page_without_a_certificate_says_nothing_of_one(results):
    """A partial run has none."""
    assert "certificate.json" not in page(results, None)


def test_page_shows_hostile_names_as_text(results):
    """The name of a file is foreign too."""
    bad = replace(NOTE, subjects=[("<script>x</script>\u202e", "sha256", "00")])

    assert b"<script>" not in HtmlReport(certificate=bad).render(results)


def test_terminal_tells_file_signer_and_command():
    """Each whole, to be copied."""
    assert printed(NOTE).splitlines() == [
        "certified  out/certificate.json, signed by SHA256:" + "cd" * 32,
        "verify     plugwright verify certificate.json --trust KEY.pub --wheel orders.whl",
    ]


def test_terminal_says_that_nobody_signed():
    """Without a command that could only fail."""
    assert printed(UNSIGNED) == "certified  out/certificate.json, unsigned\n"
