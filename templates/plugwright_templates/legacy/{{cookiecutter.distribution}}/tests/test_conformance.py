"""The conformance suite, over the wheel that users would install."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

PROJECT = Path(__file__).parents[1]
COMMANDS = Path(sysconfig.get_path("scripts"))


def test_wheel_conforms(tmp_path: Path) -> None:
    """Every check up to level C2 passes that needs neither Spark nor Kafka."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=PROJECT, check=True)

    wheels = map(str, tmp_path.glob("*.whl"))
    certify = [str(COMMANDS / "plugwright"), "certify", *wheels]
    subprocess.run([*certify, "--no-live", "--level", "C2"], check=True)
