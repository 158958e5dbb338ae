"""The wheel of the plugwright that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import plugwright
from plugwright_toolkit.archives import open_artifact, verify_record
from plugwright_toolkit.own_wheel import write_own_wheel

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One for all tests; no test may change it."""
    return write_own_wheel(tmp_path_factory.mktemp("cache") / "made" / "here")


def test_it_is_a_wheel_as_installers_want_it(made):
    """Its name is that of a pure wheel, and its RECORD lists every file."""
    version = plugwright.__version__

    assert made.path.name == f"plugwright-{version}-py3-none-any.whl"
    assert (made.version, made.origin / "plugwright/__init__.py") == (
        version,
        Path(plugwright.__file__),
    )
    assert verify_record(open_artifact(made.path)) == []
    assert [path.name for path in made.path.parent.iterdir()] == [made.path.name]


def test_a_wheel_that_is_right_is_left_alone(made):
    """A process may be reading it."""
    before = made.path.stat()

    again = write_own_wheel(made.path.parent)

    assert again == made
    assert made.path.stat().st_ino == before.st_ino


def test_another_file_in_its_place_is_replaced(made, tmp_path):
    """As after an update of plugwright."""
    (tmp_path / made.path.name).write_bytes(made.path.read_bytes() + b"old")

    write_own_wheel(tmp_path)

    assert (tmp_path / made.path.name).read_bytes() == made.path.read_bytes()
