{% if cookiecutter.__connector %}
"""The conformance suite, over the wheel that users would install: each check is a test.

Those that need Spark and Kafka are skipped without ``--conformance-live``.
"""

from __future__ import annotations

from plugwright_conformance import conformance

test_conformance = conformance(".", level="C2")
{% else %}
"""What discovery says of the wheel that users would install."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

PROJECT = Path(__file__).parents[2]
COMMANDS = Path(sysconfig.get_path("scripts"))
PLUGIN = "{{ cookiecutter.__package }}.{{ cookiecutter.__prefix }}{{ cookiecutter.kind | capitalize }}"


def test_wheel_is_found_and_loads(tmp_path: Path) -> None:
    """By its manifest alone, as workers with plugin.discovery=service_load look for it."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=PROJECT, check=True)

    command = str(COMMANDS / "connect-plugin-path")
    look = [command, "list", "--plugin-path", str(tmp_path), "--json"]
    found = json.loads(subprocess.run(look, check=True, stdout=subprocess.PIPE).stdout)
    (plugin,) = found["plugins"]
    assert plugin["pluginName"] == PLUGIN
    assert plugin["isLoadable"]
    assert plugin["hasManifest"]
{% endif %}
