"""What can be wrong from outside gets a clear answer, an exit status, and in good time."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
PLUGWRIGHT = Path(sys.executable).with_name("plugwright")


def certify(*arguments: object, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    command = [str(PLUGWRIGHT), "certify", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


def test_a_location_that_does_not_exist_is_explained(tmp_path):
    """The path is named, and what should stand there."""
    done = certify(tmp_path / "nowhere", "--no-live")

    assert done.returncode == 2
    assert f"discovery.no-such-location: plugin location {tmp_path / 'nowhere'} does not exist" in (
        done.stderr
    )
    assert "→ name a directory that holds a plugin" in done.stderr


def test_a_location_without_a_manifest_is_explained():
    """A plugin that carries no manifest is invisible, and the message says what to declare."""
    done = certify(PLUGIN_PATH / "legacy-sink", "--no-live")

    assert done.returncode == 2
    assert "discovery.no-plugin" in done.stderr
    assert "plugwright.SinkConnector" in done.stderr


def test_a_module_that_does_not_import_fails_its_check(tmp_path):
    """The verdict names the exception; the run goes on to its end."""
    location = shutil.copytree(PLUGIN_PATH / "file-sink", tmp_path / "file-sink")
    module = location / "plugwright_file_sink" / "__init__.py"
    module.write_text(module.read_text() + "\nimport no_such_module\n")

    done = certify(location, "--no-live", "--check", "PLG-PKG-03")

    assert done.returncode == 4
    assert "No module named 'no_such_module'" in " ".join(done.stdout.split())


def test_an_unreachable_broker_is_explained_within_ten_seconds():
    """A given address that refuses is an error at once, not after a client's time-out."""
    begun = time.monotonic()

    done = certify(PLUGIN_PATH / "file-sink", "--bootstrap-servers", "127.0.0.1:9")

    assert done.returncode == 2
    assert "environment.kafka-unreachable" in done.stderr
    assert "127.0.0.1:9" in done.stderr
    assert time.monotonic() - begun < 15  # ten seconds by contract, and the interpreter's start


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--records", "many"], "expected a number from 1000", id="not a number"),
        pytest.param(["--nonsense"], "unrecognized arguments: --nonsense", id="unknown option"),
    ],
)
def test_wrong_usage_exits_with_one(arguments, said):
    """Usage errors show the usage and what is wrong with it."""
    done = certify(PLUGIN_PATH / "file-sink", *arguments)

    assert done.returncode == 1
    assert said in done.stderr


def test_an_unknown_check_names_those_nearby():
    """A misspelt id is answered with what it may have meant."""
    done = certify(PLUGIN_PATH / "file-sink", "--no-live", "--check", "SNK-OFF-99")

    assert done.returncode == 2
    assert "conformance.no-such-check" in done.stderr
    assert "did you mean SNK-OFF-12 or" in done.stderr
