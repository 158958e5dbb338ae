"""The virtual environment of a program: made, filled by pip, and used; from a directory alone."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from plugwright import ConnectError

_SAYS = """
import json
def main():
    print(json.dumps({"type": "RECORD", "stream": "s", "record": {"version": "VERSION"}}))
"""


pytestmark = pytest.mark.slow  # pip works in new environments


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """Writes wheels of a tap into the one directory where pip looks for any."""
    directory = tmp_path / "wheels"
    directory.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(directory))

    def write(version):
        info = f"tap_local-{version}.dist-info"
        name = f"tap_local-{version}-py3-none-any.whl"
        with zipfile.ZipFile(directory / name, "w") as wheel:
            wheel.writestr("tap_local.py", _SAYS.replace("VERSION", version))
            wheel.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tap-local\nVersion: {version}\n"
            )
            wheel.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            wheel.writestr(
                f"{info}/entry_points.txt", "[console_scripts]\ntap-local = tap_local:main\n"
            )
            wheel.writestr(f"{info}/RECORD", "")
        return directory / name

    return write


@pytest.fixture
def installing(source, tmp_path):
    """Starts a task that installs its tap."""

    def installing(requirement):
        task = source("")
        task.stop()
        props = {"singer.tap": requirement, "singer.install": "true"}
        task.start({**props, "singer.environment": str(tmp_path / "env")})
        return task

    return installing


def test_a_tap_is_installed_once_for_each_requirement(
    installing, polled, wheels, tmp_path, monkeypatch
):
    """Whatever Python the worker sees; what is there is used even if it could not be had again."""
    hidden = tmp_path / "hidden"
    (hidden / "tap_local-1.0.dist-info").mkdir(parents=True)
    (hidden / "tap_local-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: tap-local\nVersion: 1.0\n", "utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(hidden))
    wheel = wheels("1.0")
    assert polled(installing("tap-local==1.0"), 1)[0].value == {"version": "1.0"}
    wheel.unlink()
    (info,) = (tmp_path / "env").glob("lib/python*/site-packages/tap_local-1.0.dist-info")
    shutil.rmtree(info)  # pip would have to install it again
    wheels("2.0")
    assert polled(installing("tap-local==1.0"), 1)[0].value == {"version": "1.0"}
    assert polled(installing("tap-local==2.0"), 1)[0].value == {"version": "2.0"}


def test_a_tap_that_cannot_be_installed_is_reported(installing, failure, wheels):
    """With what pip says."""
    wheels("1.0")
    error, _ = failure(installing("tap-other==1.0"))
    assert (type(error), error.code) == (ConnectError, "singer.cannot-install")
    assert "No matching distribution found for tap-other==1.0" in str(error)


def test_an_environment_that_cannot_be_made_is_reported(installing, failure, tmp_path):
    """A file is in its place."""
    Path(tmp_path / "env").write_text("", "utf-8")
    error, _ = failure(installing("tap-local"))
    assert error.code == "singer.cannot-install"
    assert "File exists" in str(error)
