"""The code of a former commit, beside the one that is tested, with the same dependencies."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tarfile
from io import BytesIO
from pathlib import Path

from tests.e2e.cluster import Code

__all__ = ["former_code", "former_commit"]

_ROOT = Path(__file__).parents[2]
_PACKAGES = ("runtime", "toolkit", "conformance", "templates")


def former_commit(days: int) -> str | None:
    """The newest commit that is so many days older than the present one.

    Returns:
        ``None`` if the history does not reach so far back, as in a shallow clone.
    """
    try:
        now = int(_git("log", "-1", "--format=%ct"))
        found = _git("log", "-1", "--format=%H", f"--before={now - days * 86_400}")
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.decode().strip() or None


def former_code(commit: str, directory: Path) -> Code:
    """Extract a commit, and make an environment that imports it."""
    tree, environment = directory / "tree", directory / "environment"
    archive = _git("archive", commit, *_PACKAGES, "plugin-path")
    with tarfile.open(fileobj=BytesIO(archive)) as file:
        file.extractall(tree, filter="data")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    # Only named directories: the .pth files in them, among them ours, are not followed.
    imported = [*(tree / name for name in _PACKAGES), Path(sysconfig.get_path("purelib"))]
    python = environment / "bin" / "python"
    query = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", query], capture_output=True, text=True, check=True)
    place = Path(done.stdout.strip()) / "former.pth"
    place.write_text("".join(f"{each}\n" for each in imported), "utf-8")
    return Code(str(python), tree / "plugin-path")


def _git(*arguments: str) -> bytes:
    command = ["git", "-C", str(_ROOT), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout
