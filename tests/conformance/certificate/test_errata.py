"""``errata`` signs what ``verify`` believes, and only checks of some release of the suite."""

from __future__ import annotations

import argparse
import json

import pytest
from tests.conformance.certificate.conftest import KEY

from plugwright.errors import ConnectError
from plugwright_conformance.certificate import (
    BrokenRuleError,
    generate_key,
    load_public_key,
    read_errata,
)
from plugwright_conformance.commands.errata import ERRATA

GOOD = '[[erratum]]\nid = "SNK-OFF-02"\nrevision = 1\neffect = "passed sinks that lose"\n'


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Writes a list, runs the command over it, and returns what it printed."""
    monkeypatch.chdir(tmp_path)
    generate_key(tmp_path / "k")

    def call(text, *words):
        (tmp_path / "errata.toml").write_text(text)
        parser = argparse.ArgumentParser()
        ERRATA.configure(parser)
        line = ["errata.toml", "--key", "k", "--output", "errata.json", *words]
        assert ERRATA.run(parser.parse_args(line)) == 0
        return capsys.readouterr().out

    return call


def test_list_is_signed_and_read_back(call, tmp_path):
    """By the key that was named, for whoever trusts it."""
    public = load_public_key(tmp_path / "k.pub")

    assert call(GOOD) == (
        "revoked    SNK-OFF-02 revision 1: passed sinks that lose\n"
        f"signed by  {public.fingerprint}\n"
        "written to errata.json\n"
    )
    (erratum,) = read_errata((tmp_path / "errata.json").read_bytes(), [public])
    assert (erratum.id, erratum.revision) == ("SNK-OFF-02", 1)


def test_others_do_not_believe_it(call, tmp_path):
    """Whoever trusts another key learns nothing from it."""
    call(GOOD)

    with pytest.raises(BrokenRuleError):
        read_errata((tmp_path / "errata.json").read_bytes(), [KEY.public])


def test_dry_run_writes_nothing(call, tmp_path):
    """It shows the same, for programs too."""
    document = json.loads(call(GOOD, "--dry-run", "--json"))

    assert sorted(document) == ["errata", "format", "signed_by", "written"]
    assert (document["written"], (tmp_path / "errata.json").exists()) == (False, False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it must consist of [[erratum]] tables"),
        ("[[erratum]", "it cannot be read"),
        (f'{GOOD}owner = "me"\n', "an erratum has exactly id, revision, effect"),
        (GOOD.replace("= 1", "= 0"), "revision must be a number above zero, found 0"),
        (GOOD.replace("= 1", "= true"), "revision must be a number above zero, found True"),
        (GOOD.replace("= 1", "= 99"), "no release of the suite had SNK-OFF-02 in revision 99"),
        (
            GOOD.replace("SNK-OFF", "SNK-OPF"),
            "no release of the suite had SNK-OPF-02 in revision 1",
        ),
        (GOOD.replace('"passed sinks that lose"', '""'), "effect must be text, found ''"),
    ],
    ids=["empty", "syntax", "more", "zero", "bool", "later", "unknown", "silent"],
)
def test_anything_else_is_refused(call, tmp_path, text, reason):
    """With what is wrong; nothing is written."""
    with pytest.raises(ConnectError) as caught:
        call(text)

    assert caught.value.code == "errata.invalid"
    assert str(caught.value).startswith(f"no errata can be signed with errata.toml: {reason}")
    assert not (tmp_path / "errata.json").exists()
