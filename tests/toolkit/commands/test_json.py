"""The documents of ``--json`` have the keys that their page promises."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROW = re.compile(r"^\| [^|]+ \| `(plugwright-[\w-]+/\d+)` \| ([^|]+) \|$", re.MULTILINE)
PAGE = (ROOT / "docs/reference/json.md").read_text("utf-8")
COMMANDS = (
    "runtime/plugwright/cli",
    "toolkit/plugwright_toolkit",
    "conformance/plugwright_conformance/commands",
    "conformance/plugwright_conformance/mutation",
)
"""What writes these documents."""
PROMISED = {
    name: set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)|;.*", "", keys)))
    for name, keys in ROW.findall(PAGE)
}
LINES = {
    "plugwright-plugins/1": "plugins plugin-path",
    "plugwright-plugin-path/1": "plugin-path list --plugin-location plugin-path/file-sink --static",
    "plugwright-sync-manifests/1": (
        "plugin-path sync-manifests --plugin-location plugin-path/file-sink --dry-run"
    ),
    "plugwright-explain/1": "explain Nothing",
    "plugwright-docs/1": "docs RegexRouter",
    "plugwright-key/1": "keygen {home}/certify.key",
    "plugwright-new/1": "new orders --kind sink --no-input --output-dir {home}",
    "plugwright-error/1": "docs RegexRooter",
}


def test_every_format_is_promised_once():
    """Each has its row, or is named in one, as that of mutants is."""
    rows = [name for name, _ in ROW.findall(PAGE)]
    written = {
        name
        for folder in COMMANDS
        for file in (ROOT / folder).rglob("*.py")
        for name in re.findall(r'"(plugwright-[\w-]+/\d+)"', file.read_text("utf-8"))
    }

    assert sorted(rows) == sorted({*rows})
    assert written - {"plugwright-mutants/1"} == PROMISED.keys()
    assert "`plugwright-mutants/1`" in PAGE
    assert PROMISED.keys() >= LINES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_a_document_has_the_promised_keys(plugwright, monkeypatch, tmp_path, name):
    """No more and no fewer; the rest is on standard error."""
    monkeypatch.chdir(ROOT)

    _, out, _ = plugwright(*LINES[name].format(home=tmp_path).split(), "--json")

    document = json.loads(out)
    assert document.pop("format") == name
    assert set(document) == PROMISED[name]
    assert out == json.dumps({**document, "format": name}, indent=2, sort_keys=True) + "\n"
