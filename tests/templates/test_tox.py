"""tox on a machine that has plugwright, and an index that has not."""

from __future__ import annotations

import os
import resource
import sys
import zipfile

import pytest

import plugwright
from plugwright_templates import KINDS

pytestmark = pytest.mark.slow

ASKING = """\
env_list = ["asking"]

[env_run_base]
package = "skip"
deps = ["plugwright"]
install_command = ["python", "-I", "-m", "pip", "install", "--no-deps", "{opts}", "{packages}"]
commands = [["python", "-c", "import plugwright; print('found', plugwright.__file__)"]]
"""
"""What plugwright needs is left out, because no index is asked."""

OFFLINE = {"PIP_NO_INDEX": "1", "VIRTUALENV_NO_PERIODIC_UPDATE": "1"}


@pytest.fixture(params=["machine", "editable"])
def author(request):
    """Has plugwright one way or the other, and a project of its own that asks for it."""
    machine = request.getfixturevalue(request.param)
    project = machine.home / "asking, for it"
    project.mkdir()
    (project / "tox.toml").write_text(ASKING)
    return machine


def test_environments_get_the_plugwright_that_tox_has_beside_it(author):
    """Without an index or a place of the author's; and later they are left as they are."""
    run = ("python", "-m", "tox")

    first = author.run(*run, at="asking, for it", **OFFLINE)
    second = author.run(*run, at="asking, for it", **OFFLINE)

    assert f"asking: offers plugwright {plugwright.__version__} from /" in first
    assert "/.tox/asking/lib/" in first.partition("found ")[2]
    assert "offers" not in second
    assert "install" not in second
    assert "asking: OK" in second


def test_the_wheel_that_is_offered_is_the_one_that_was_installed(machine):
    """File by file; no scripts, nothing compiled, nothing that the installer noted."""
    make = "from pathlib import Path; from plugwright_toolkit.own_wheel import write_own_wheel"
    machine.run("python", "-c", f"{make}; write_own_wheel(Path('offered'))")

    offered = _members(next((machine.home / "offered").iterdir()))
    assert offered == _members(next(machine.home.glob("*.whl")))


def _members(path):
    with zipfile.ZipFile(path) as wheel:
        read = {name: wheel.read(name) for name in wheel.namelist()}
    record = next(name for name in read if name.endswith("/RECORD"))
    return {**read, record: sorted(read[record].decode().split())}


@pytest.mark.drill
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS)
def test_tox_is_green_at_the_first_run(machine, kind, capsys):
    """With the index and the cache of whoever runs this; the figures are for the notes."""
    kept = ("PIP_", "UV_", "HTTP", "SSL_", "REQUESTS_")
    user = {key: value for key, value in os.environ.items() if key.startswith(kept)}
    user |= {"HOME": os.environ["HOME"], "PIP_FIND_LINKS": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    machine.run("plugwright", "new", "--no-input", "--kind", kind, f"first-{kind}")
    said = machine.run("python", "-m", "tox", at=f"first-{kind}", **user)

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with capsys.disabled():
        summary = said[said.rindex("  lint: OK") :]
        sys.stdout.write(f"\n{kind}: {cpu:.0f} s of processor time\n{summary}")
    assert "congratulations :)" in said
