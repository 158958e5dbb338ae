{% if cookiecutter.__connector %}
"""The conformance suite, over the wheel that users would install."""
{% else %}
"""What discovery says of the wheel that users would install."""
{% endif %}

from __future__ import annotations

{% if not cookiecutter.__connector %}
import json
{% endif %}
import subprocess
import sys
import sysconfig
from pathlib import Path

PROJECT = Path(__file__).parents[2]
COMMANDS = Path(sysconfig.get_path("scripts"))
{% if not cookiecutter.__connector %}
PLUGIN = "{{ cookiecutter.__package }}.{{ cookiecutter.__prefix }}{{ cookiecutter.kind | capitalize }}"
{% endif %}


{% if cookiecutter.__connector %}
def test_wheel_conforms(tmp_path: Path) -> None:
    """Every check up to level C2 passes that needs neither Spark nor Kafka."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=PROJECT, check=True)

    wheels = map(str, tmp_path.glob("*.whl"))
    certify = [str(COMMANDS / "plugwright"), "certify", *wheels]
    subprocess.run([*certify, "--no-live", "--level", "C2"], check=True)
{% else %}
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
