"""What code that is only looked into cannot do, where the kernel forbids it."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from pathlib import Path

import pytest

from plugwright.plugins import confinement
from plugwright.plugins.landlock import confine, readable_places

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not confinement(), reason="this kernel has no Landlock"),
]


@pytest.fixture
def places(tmp_path):
    """A home directory with a secret, a location in it, and a directory for scratch."""
    home, location, scratch = (tmp_path / name for name in ("home", "home/location", "scratch"))
    for each in (home, location, scratch):
        each.mkdir()
    (home / "key").write_text("secret")
    (location / "plugin.py").write_text("x = 1")
    (tmp_path / "beside").write_text("open")
    return home, location, scratch


def _outcome(places, action):
    """What an action does in a confined child: ``None``, or the name of its exception."""
    home, location, scratch = places
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            assert confine(str(scratch), str(location), readable_places([], str(home)))
            try:
                action()
                answer = None
            except Exception as error:  # noqa: BLE001  # the answer
                answer = type(error).__name__
            os.write(writer, json.dumps(answer).encode())
        except BaseException:  # noqa: BLE001  # the parent reads nothing then
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(answer)


@pytest.mark.parametrize(
    "action",
    [
        lambda home: (home / "key").read_text(),
        lambda home: list(home.iterdir()),
        lambda home: (home / "new").write_text("x"),
        lambda home: (home / "key").unlink(),
        lambda home: (home / "location/plugin.py").write_text("x"),
        lambda home: (home.parent / "beside").write_text("x"),
        lambda home: (home.parent / "beside").rename(home.parent / "scratch/mine"),
        lambda home: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
        lambda home: Path(f"/proc/{os.getppid()}/mem").open("rb").close(),
        lambda home: os.kill(os.getppid(), 0),
    ],
    ids=[
        "read a key",
        "list the home directory",
        "write there",
        "remove there",
        "change itself",
        "write elsewhere",
        "take away",
        "environment of the parent",
        "memory of the parent",
        "signal to the parent",
    ],
)
def test_a_plugin_that_is_looked_into_cannot(places, action):
    """The kernel refuses."""
    home, *_ = places
    assert _outcome(places, lambda: action(home)) == "PermissionError"


@pytest.mark.parametrize(
    "action",
    [
        lambda home: (home / "location/plugin.py").read_text(),
        lambda home: (home.parent / "beside").read_text(),
        lambda home: (home.parent / "scratch/new").write_text("x"),
        lambda home: Path(os.devnull).write_text("x", encoding="ascii"),
        lambda home: __import__("wave"),
        lambda home: os.kill(os.getpid(), signal.SIGCONT),
    ],
    ids=[
        "read itself",
        "read elsewhere",
        "write scratch",
        "write nothing",
        "import",
        "signal itself",
    ],
)
def test_a_plugin_that_is_looked_into_can(places, action):
    """What imports need."""
    home, *_ = places
    assert _outcome(places, lambda: action(home)) is None


def test_links_of_a_location_lead_where_they_lead(places):
    """Packages may be linked into it from anywhere."""
    home, location, _ = places
    (home / "store").mkdir()
    (home / "store/shop.py").write_text("x = 1")
    (location / "shop.py").symlink_to(home / "store/shop.py")
    assert _outcome(places, (location / "shop.py").read_text) is None


def test_a_home_that_is_the_root_directory_closes_nothing_but_writing(places):
    """As users of containers have it."""
    home, location, scratch = places
    everywhere = (Path("/"), location, scratch)
    assert _outcome(everywhere, (home / "key").read_text) is None
    assert _outcome(everywhere, lambda: (home / "key").write_text("x")) == "PermissionError"
