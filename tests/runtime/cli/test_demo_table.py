"""``plugwright demo`` says what is missing before it starts anything."""

from __future__ import annotations

import json
import signal

import pytest

from plugwright import databases
from plugwright.cli import ExitCode, main


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_database_that_is_not_installed_is_an_error(monkeypatch, capsys, tmp_path, kind):
    """It names the database and what to leave out; the directory to keep is not made."""
    monkeypatch.setattr(databases, "installed_servers", lambda _: [])

    monkeypatch.setattr(signal, "signal", lambda *_: None)

    with pytest.raises(SystemExit) as caught:
        main(["demo", "--database", kind, "--keep", str(tmp_path / "kept"), "--json"])

    document = json.loads(capsys.readouterr().out)
    assert caught.value.code == ExitCode.EXPLAINED
    assert document["error"]["code"] == "environment.database-missing"
    assert kind in document["error"]["hint"]
    assert not (tmp_path / "kept").exists()
