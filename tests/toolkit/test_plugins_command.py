"""``plugwright plugins``: the table, the JSON, and what is wrong with the locations."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
SINK = "plugwright_file_sink.FileStreamSinkConnector"


@pytest.fixture
def plugins(monkeypatch, capsys):
    """Runs the command in this process; status, standard output, standard error."""
    import signal  # noqa: PLC0415  # for this fixture

    from plugwright.cli import main  # noqa: PLC0415  # after collection

    monkeypatch.setattr(signal, "signal", lambda *_: None)

    def run(*arguments):
        with pytest.raises(SystemExit) as caught:
            main(["plugins", *map(str, arguments)])
        return caught.value.code, *capsys.readouterr()

    return run


def _location(path, line):
    directory = path / "shop-1.0.dist-info"
    directory.mkdir(parents=True)
    (directory / "entry_points.txt").write_text(f"[plugwright.SinkConnector]\n{line}\n")
    (directory / "METADATA").write_text("Name: shop\nVersion: 1.0\n")
    return path


def test_the_table_has_a_header_and_a_line_for_each_plugin(plugins):
    """Columns are separated by tabs."""
    code, out, err = plugins(PLUGIN_PATH)
    lines = [line.split("\t") for line in out.splitlines()]
    assert (code, err, lines[0][:4]) == (0, "", ["type", "class", "version", "aliases"])
    assert ["sink", SINK, "0.1.0", "FileStreamSinkConnector,FileStreamSink"] in [
        line[:4] for line in lines
    ]


def test_json_has_a_format_and_sorted_keys(plugins):
    """Identical input gives identical bytes."""
    code, out, _ = plugins("--json", PLUGIN_PATH)
    document = json.loads(out)
    assert (code, document["format"]) == (0, "plugwright-plugins/1")
    assert json.dumps(document, indent=2, sort_keys=True) + "\n" == out
    assert SINK in [plugin["class"] for plugin in document["plugins"]]


def test_what_is_wrong_goes_to_standard_error(plugins, tmp_path):
    """And is no failure."""
    code, _, err = plugins(_location(tmp_path / "shop", "a = nothing"))
    assert code == 0
    assert "ep-syntax" in err
    assert "entry_points.txt:2" in err
    _, out, _ = plugins("--json", tmp_path / "shop")
    assert [each["code"] for each in json.loads(out)["diagnostics"]] == ["ep-syntax"]


def test_a_location_that_does_not_exist_is_status_2(plugins, tmp_path):
    """With its name."""
    code, out, err = plugins(tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "discovery.no-such-location" in err


def test_names_that_would_break_the_table_are_escaped(plugins, tmp_path):
    """Tab, line feed and escape of a directory's name; JSON has them exact."""
    path = _location(tmp_path / "a\tb\nc\x1b[1m", "a = shop:Sink")
    _, out, _ = plugins(path)
    assert str(path).replace("\t", "\\t").replace("\n", "\\n").replace("\x1b", "\\x1b") in out
    _, out, _ = plugins("--json", path)
    assert str(path) in [plugin["location"] for plugin in json.loads(out)["plugins"]]


@pytest.mark.slow
def test_the_installed_command_needs_neither_spark_nor_kafka(tmp_path):
    """A list must not start anything."""
    script = (
        "import sys\n"
        "for name in ('pyspark', 'confluent_kafka', 'pyarrow'): sys.modules[name] = None\n"
        "from plugwright.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    command = [sys.executable, "-c", script, "plugins", str(PLUGIN_PATH)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, SINK in done.stdout) == (0, True)
