"""What discovery says of the wheel that users would install."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

PROJECT = Path(__file__).parents[1]
COMMANDS = Path(sysconfig.get_path("scripts"))
PLUGINS = {
{% for entries in cookiecutter.groups.values() %}
{% for entry in entries %}
    "{{ entry.name }}",
{% endfor %}
{% endfor %}
}


def test_plugins_are_found_and_load(tmp_path: Path) -> None:
    """By their manifest alone, as workers with plugin.discovery=service_load look for them."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=PROJECT, check=True)

    command = str(COMMANDS / "connect-plugin-path")
    look = [command, "list", "--plugin-path", str(tmp_path), "--json"]
    found = json.loads(subprocess.run(look, check=True, stdout=subprocess.PIPE).stdout)
    assert {plugin["pluginName"] for plugin in found["plugins"]} == PLUGINS
    assert all(plugin["isLoadable"] and plugin["hasManifest"] for plugin in found["plugins"])
