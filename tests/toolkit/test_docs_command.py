"""``plugwright docs``: the settings of any plugin, in three formats."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from plugwright.cli import main

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
GOLDEN = Path(__file__).parents[1] / "golden" / "cli" / "docs.json"


@pytest.fixture
def docs(monkeypatch, capsys):
    """Runs the command in this process; status, standard output, standard error."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)

    def run(*arguments):
        with pytest.raises(SystemExit) as caught:
            main(["docs", *map(str, arguments)])
        return caught.value.code, *capsys.readouterr()

    return run


def test_markdown_is_the_default(docs):
    """A title, then a section for each setting."""
    code, out, err = docs("RegexRouter")

    assert (code, err) == (0, "")
    assert out.startswith("# plugwright.transforms.RegexRouter\n\n### `regex`\n\n")
    assert "- Importance: high\n" in out


def test_html_has_a_link_target_for_each_setting(docs):
    """As Kafka's own documentation has."""
    _, out, _ = docs("org.apache.kafka.connect.json.JsonConverter", "--format", "html")

    assert out.startswith("<h2>plugwright.converters.JsonConverter</h2>\n<ul")
    assert '<a id="schemas.enable"></a>' in out


def test_rst_underlines_the_title(docs):
    """And names each setting as a literal."""
    _, out, _ = docs("InsertField$Value", "--format", "rst")

    assert out.startswith("plugwright.transforms.InsertField.Value\n" + "=" * 39 + "\n\n``")


def test_plugins_of_a_location_are_documented_too(docs):
    """Any plugin has a definition; it is printed as it validates."""
    _, out, _ = docs("FileStreamSource", "--plugin-path", PLUGIN_PATH)

    assert "### `batch.size`" in out
    assert "- Default: `2000`" in out


def test_json_lists_the_settings_as_the_rest_api_does(docs):
    """With the plugin that they are of."""
    code, out, err = docs("HoistField$Key", "--json")

    assert (code, err, out) == (0, "", GOLDEN.read_text("utf-8"))


def test_json_is_a_format_of_its_own(docs):
    """Both at once are wrong usage."""
    code, _, err = docs("HoistField$Key", "--json", "--format", "rst")

    assert code == 1
    assert "argument --format: not allowed with argument --json" in err


def test_an_unknown_plugin_is_explained(docs):
    """With near matches, and exit status 2."""
    code, _, err = docs("RegexRooter")

    assert code == 2
    assert "plugin.not-found" in err
    assert "RegexRouter" in err
