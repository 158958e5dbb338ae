"""No report is written that shows a secret of the run (H24)."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import replace

import pytest

from plugwright.errors import ConnectError
from plugwright_conformance.report import write_reports
from plugwright_conformance.report.secrecy import require_no_secret
from plugwright_conformance.subject.settings_used import SettingsUsed

HIDDEN = "s3cr<t & 'more' ü"
USED = {"db.password": [HIDDEN]}


def refusal(results, body, name="results.json", used=USED):
    """The error that keeps a file from being written."""
    with pytest.raises(ConnectError) as caught:
        require_no_secret({"junit.xml": b"", name: body}, used, results)
    assert caught.value.code == "report.secret"
    assert HIDDEN not in f"{caught.value} {caught.value.facts}"
    return caught.value


def packed(text):
    """An envelope that carries a text."""
    return json.dumps({"payload": base64.b64encode(text.encode()).decode()})


@pytest.mark.parametrize(
    "text",
    [
        HIDDEN,
        json.dumps(HIDDEN),
        "s3cr&lt;t &amp; &#39;more&#39; ü",
        "s3cr&lt;<span>t &amp;</span> 'more' ü",
        r"s3cr\<t \& 'more' ü",
        "s3cr%3Ct%20%26%20%27more%27%20%C3%BC",
        HIDDEN.encode().hex(),
        base64.b64encode(HIDDEN.encode()).decode(),
        packed(f"it was {HIDDEN}"),
    ],
    ids=["plain", "json", "html", "tags", "markdown", "url", "hex", "base64", "envelope"],
)
def test_secret_is_found_in_any_spelling(results, text):
    """However the writer of a file has escaped it."""
    assert refusal(results, text.encode()).facts["file"] == "results.json"


@pytest.mark.parametrize(
    "canary",
    ["canary-9f3c0a17bd", "canary9f3c0a17bd", "Y2FuYXJ5LTlmM2MwYTE3YmQ", b"canary-9f3c0a".hex()],
    ids=["dashed", "plain", "base64", "hex"],
)
def test_canary_of_a_check_is_found(results, canary):
    """It was made up in another process, and its shape tells."""
    assert refusal(results, f"so {canary} it".encode(), used={}).facts["what"] == "a check's canary"


def test_refusal_names_file_and_place_and_not_the_secret(results):
    """The author finds the position; a reader of the log learns nothing."""
    error = refusal(results, f"one\ntwo {HIDDEN}\n".encode(), "summary.md")

    assert str(error) == (
        "summary.md would show a secret: the value of db.password at line 2, character 5; "
        "no report was written"
    )


@pytest.mark.parametrize("value", ["short", "Delivery", ""], ids=["short", "our-own", "empty"])
def test_words_that_prove_nothing_are_not_looked_for(results, value):
    """A password that every report has on every page would forbid them all."""
    require_no_secret({"report.html": b"short Delivery"}, {"password": [value]}, results)


def test_reports_of_before_stay_as_they_were(results, tmp_path):
    """Nothing of the run is written, in no file."""
    leaking = replace(results.results[2], observed=f"login with {HIDDEN} failed")

    with pytest.raises(ConnectError, match="would show a secret"):
        write_reports(replace(results, results=[leaking]), tmp_path, secrets_used=USED)

    assert list(tmp_path.iterdir()) == []


def test_clean_reports_are_written(results, tmp_path):
    """The five of them, with a secret in use."""
    assert len(write_reports(results, tmp_path, secrets_used=USED)) == 5


def test_settings_are_secret_by_type_or_by_name():
    """The connector says which, and where it cannot, the name does."""
    used = SettingsUsed()
    used.note({"pin": "one", "topic": "t", "api.key": "two"})
    used.note_all({"pin": ["three"]})
    used.mark(["pin"])

    assert used.secrets() == {"api.key": ["two"], "pin": ["one", "three"]}
    assert "three" not in repr(used)


def test_settings_of_forked_processes_are_known():
    """Checks may run in processes of their own."""
    used = SettingsUsed()
    if (child := os.fork()) == 0:
        used.note({"password": "of the child"})
        os._exit(0)
    os.waitpid(child, 0)

    assert used.secrets() == {"password": ["of the child"]}
