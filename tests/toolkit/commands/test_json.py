"""The documents of ``--json`` have the keys that their page promises."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROW = re.compile(r"^\| [^|]+ \| `(plugwright-[\w-]+/\d+)` \| ([^|]+) \|$", re.MULTILINE)
PROMISED = {
    name: set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)|;.*", "", keys)))
    for name, keys in ROW.findall((ROOT / "docs/reference/json.md").read_text("utf-8"))
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
    """Twenty of them."""
    assert len(PROMISED) == 20
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
