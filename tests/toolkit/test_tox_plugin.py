"""tox offers the plugwright that it runs beside to environments that ask for plugwright."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tox.config.set_env import SetEnv
from tox.tox_env.errors import Recreate
from tox.tox_env.info import Info
from tox.tox_env.python.package import WheelPackage
from tox.tox_env.python.pip.req_file import PythonDeps

from plugwright_toolkit import tox_plugin
from plugwright_toolkit.own_wheel import OwnWheel

pytestmark = pytest.mark.slow  # tox is imported

ASKED = [Requirement("pytest>=9"), Requirement("Plugwright[conformance]>=0.1,<1")]


class Settings(dict):
    """What the plugin asks a configuration for."""

    def get(self, key, of_type):
        """The value, of that type."""
        assert isinstance(self[key], of_type)
        return self[key]


class Environment:
    """An environment of tox in a directory."""

    def __init__(self, directory, passed=()):
        self.core = Settings(work_dir=directory / ".tox")
        self.cache = Info(directory / ".tox" / "unit")
        self.conf = Settings(set_env=SetEnv({}, "unit", "unit", directory))
        self._passed = dict(passed)

    @property
    def environment_variables(self):
        """Those of the user, and those that were set."""
        set_env = self.conf["set_env"]
        return {**self._passed, **{key: set_env.load(key) for key in set_env}}


@pytest.fixture(autouse=True)
def wheels(monkeypatch):
    """The directories that wheels were written into."""
    written = []

    def write(directory):
        written.append(directory)
        return OwnWheel(directory / "plugwright.whl", "0.1.0", Path("/site"), "d1")

    monkeypatch.setattr(tox_plugin, "write_own_wheel", write)
    return written


def places(environment):
    """Where installers look besides the index."""
    known = environment.environment_variables
    return known.get("PIP_FIND_LINKS"), known.get("UV_FIND_LINKS")


@pytest.mark.parametrize(
    "arguments",
    [
        ASKED,
        [WheelPackage(Path("my_sink-0.1.0-py3-none-any.whl"), ASKED)],
        PythonDeps("pytest\nplugwright==0.1.*", Path()),
    ],
    ids=["requirement", "need of a package", "deps"],
)
def test_whoever_asks_for_plugwright_is_offered_it(tmp_path, wheels, arguments):
    """By a place to look, which may have blanks and commas in its name."""
    project = tmp_path / "my, project"
    environment = Environment(project)

    tox_plugin.tox_on_install(environment, arguments)

    place = f"{tmp_path.as_uri()}/my%2C%20project/.tox/.plugwright"
    assert places(environment) == (place, place)
    assert wheels == [project / ".tox" / ".plugwright"]


@pytest.mark.parametrize(
    "arguments",
    [
        [Requirement("pytest-plugwright")],
        [],
        PythonDeps("pytest\n./plugwright", Path()),
        PythonDeps("-r none.txt", Path()),
        object(),
    ],
    ids=["another", "nothing", "a path", "unreadable", "unknown"],
)
def test_other_environments_are_left_alone(tmp_path, wheels, arguments):
    """This plugin is in every tox that has plugwright beside it."""
    environment = Environment(tmp_path)

    tox_plugin.tox_on_install(environment, arguments)

    assert (places(environment), wheels) == ((None, None), [])


def test_places_of_the_user_stay(tmp_path):
    """As the separators of pip and uv want it."""
    passed = {"PIP_FIND_LINKS": "/a /b", "UV_FIND_LINKS": "/c"}
    environment = Environment(tmp_path, passed)

    tox_plugin.tox_on_install(environment, ASKED)

    place = (tmp_path / ".tox/.plugwright").as_uri()
    assert places(environment) == (f"/a /b {place}", f"/c,{place}")


def test_it_says_so_once(tmp_path, wheels, caplog):
    """Whatever is installed next, and in later runs."""
    for _ in ("run", "later run"):
        environment = Environment(tmp_path)
        tox_plugin.tox_on_install(environment, ASKED)
        tox_plugin.tox_on_install(environment, ASKED)

    assert caplog.messages == ["offers plugwright 0.1.0 from /site"]
    assert caplog.records[0].levelno == logging.WARNING  # what tox shows without -v
    assert len(wheels) == 2


def test_an_environment_with_another_offer_is_made_anew(tmp_path, monkeypatch):
    """Once, and then with what is offered now."""
    tox_plugin.tox_on_install(Environment(tmp_path), ASKED)
    changed = OwnWheel(tmp_path, "0.1.0", Path("/site"), "d2")
    monkeypatch.setattr(tox_plugin, "write_own_wheel", lambda _: changed)
    environment = Environment(tmp_path)

    with pytest.raises(Recreate, match=r"^the plugwright in /site changed$"):
        tox_plugin.tox_on_install(environment, ASKED)
    environment.cache.reset()
    tox_plugin.tox_on_install(environment, ASKED)

    assert places(environment) != (None, None)


def test_what_cannot_be_offered_is_reported(tmp_path, monkeypatch, caplog):
    """The index may have it, so tox goes on."""

    def refuse(directory):
        raise PermissionError(13, "Permission denied", str(directory))

    monkeypatch.setattr(tox_plugin, "write_own_wheel", refuse)
    environment = Environment(Path("/made/up"))

    tox_plugin.tox_on_install(environment, ASKED)

    assert places(environment) == (None, None)
    (said,) = caplog.messages
    what, _, why = said.partition(": ")
    assert what == "plugwright of this installation cannot be offered"
    assert why == "[Errno 13] Permission denied: '/made/up/.tox/.plugwright'"
