"""What executors need on a machine that has nothing of ours, and plugins that they do not have."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from plugwright_toolkit.commands.pack_environment import pack_environment
from plugwright_toolkit.own_wheel import write_own_wheel

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "NEEDS_NAMESPACES",
    "ROOT",
    "conflicting_plugins",
    "hidden_from_executors",
    "linked_spark",
    "on_executors",
    "packed_environment",
]

ROOT = Path(__file__).parents[2]
NEEDS_NAMESPACES = (
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    pytest.mark.skipif(shutil.which("ip") is None, reason="there is no iproute2"),
)
_NEEDED = ["confluent-kafka", "cryptography", "importlib-metadata", "orjson", "pluggy"]
_NEEDED += ["packaging", "installer", "pandas<3", "pyarrow"]
_CONFLICT = {"file-source": ("idna>=2.10,<3", "2."), "file-sink": ("idna>=3.4,<4", "3.")}
_DEPENDENCY = '"plugwright>=0.1,<1"'
_GUARD = """

import idna

if not idna.__version__.startswith("{version}"):
    raise ImportError(f"idna {{idna.__version__}} from {{idna.__file__}}")
"""


def packed_environment(directory: Path) -> Path:
    """A packed environment with this Plugwright and what its tasks import."""
    own = directory / "own"
    _uv("venv", "--quiet", "--python", sys.executable, own)
    wheel = write_own_wheel(directory / "wheels").path
    install = ["pip", "install", "--quiet", "--python", own]
    _uv(*install, "--constraint", ROOT / "constraints.txt", *_NEEDED)
    _uv(*install, "--no-deps", wheel)
    return pack_environment(own, directory / "environment.tar.gz")


def linked_spark(directory: Path) -> Path:
    """Spark itself, installed where another machine sees it."""
    home = directory / "home"
    shutil.copytree(Path(pyspark.__file__).parent, home, copy_function=os.link)
    return home


def conflicting_plugins(plugins: Path) -> Path:
    """The file source and the file sink, each installed with the version of idna it insists on."""
    for name, (requirement, version) in _CONFLICT.items():
        project = plugins.with_name("projects") / name
        shutil.copytree(ROOT / "plugin-path" / name, project)
        (task,) = project.glob("plugwright_*/task.py")
        task.write_text(task.read_text("utf-8") + _GUARD.format(version=version), "utf-8")
        described = project / "pyproject.toml"
        text = described.read_text("utf-8")
        described.write_text(text.replace(_DEPENDENCY, f'{_DEPENDENCY}, "{requirement}"'), "utf-8")
        target = ["--python", sys.executable, "--target", plugins / name, project, requirement]
        _uv("pip", "install", "--quiet", "--no-deps", *target)
    return plugins


def hidden_from_executors(plugins: Path) -> Sequence[Path]:
    """The project, its virtual environment, and plugins."""
    ours = {ROOT, Path(sys.prefix)}
    return [*(each for each in ours if not ours & set(each.parents)), plugins]


def on_executors(environment: Path) -> dict[str, str]:
    """Settings of a worker whose executors unpack an environment."""
    return {
        "spark.executor.memory": "512m",
        "spark.archives": f"{environment}#environment",
        "spark.pyspark.python": "./environment/bin/python",
    }


def _uv(*words: str | Path) -> None:
    uv = shutil.which("uv", path=f"{sys.prefix}/bin")
    assert uv is not None
    subprocess.run([uv, *words], check=True)
