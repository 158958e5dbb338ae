"""A project appears whole or not at all, and never in the place of something else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from plugwright.errors import AlreadyExistsError, ConnectError
from plugwright_toolkit.scaffold import Answers, generate, rendering
from plugwright_toolkit.scaffold.placing import new_project

ANSWERS = Answers("orders", "sink", "Orders", "Ada", "MIT")


@pytest.mark.parametrize("kind", ["file", "directory", "dangling link"])
def test_what_exists_is_left_as_it_is(tmp_path, kind):
    """Whatever it is."""
    target = tmp_path / "orders"
    {
        "file": target.touch,
        "directory": target.mkdir,
        "dangling link": lambda: target.symlink_to("nowhere"),
    }[kind]()

    with pytest.raises(
        AlreadyExistsError, match="orders exists already and was not changed"
    ) as caught:
        generate(ANSWERS, tmp_path)

    assert caught.value.code == "new.target-exists"
    assert os.listdir(tmp_path) == ["orders"]  # noqa: PTH208  # names are enough


@pytest.mark.slow
@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_generation_leaves_nothing(tmp_path, monkeypatch, failure):
    """However far it had come."""

    def fail(project, kind, delivery):
        assert (project / "pyproject.toml").exists()
        raise failure

    monkeypatch.setattr(rendering, "finish", fail)

    with pytest.raises((KeyboardInterrupt, ConnectError)):
        generate(ANSWERS, tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("what", "call"), [(Path, "mkdir"), (shutil, "rmtree")], ids=["made", "removed"]
)
def test_an_interrupt_while_the_temporary_directory_comes_or_goes_leaves_nothing(
    tmp_path, monkeypatch, what, call
):
    """A signal may arrive between any two instructions."""
    usual = getattr(what, call)

    def interrupted(path, **options):
        monkeypatch.setattr(what, call, usual)
        if call == "mkdir":
            usual(path, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(what, call, interrupted)

    with pytest.raises(KeyboardInterrupt), new_project("orders", tmp_path) as (workshop, target):
        (workshop / target.name).mkdir()

    assert [path.name for path in tmp_path.iterdir()] in ([], ["orders"])


@pytest.mark.slow
def test_a_target_that_appears_in_the_meantime_stays(tmp_path, monkeypatch):
    """Two generations may race."""
    monkeypatch.setattr(rendering, "finish", lambda *_: (tmp_path / "orders").write_text("mine"))

    with pytest.raises(AlreadyExistsError, match="exists already and was not changed"):
        generate(ANSWERS, tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["orders"]
    assert (tmp_path / "orders").read_text() == "mine"


def test_even_an_empty_directory_stays(tmp_path, monkeypatch):
    """A plain rename would replace it."""
    monkeypatch.setattr(rendering, "finish", lambda *_: (tmp_path / "orders").mkdir())

    with pytest.raises(AlreadyExistsError):
        generate(ANSWERS, tmp_path)

    assert list((tmp_path / "orders").iterdir()) == []


@pytest.mark.parametrize(
    ("place", "reason"), [("none", "No such file or directory"), ("file", "Not a directory")]
)
def test_a_place_that_cannot_be_written_is_reported(tmp_path, place, reason):
    """With the target and the reason."""
    (tmp_path / "file").touch()

    with pytest.raises(ConnectError) as caught:
        generate(ANSWERS, tmp_path / place)

    assert str(caught.value) == f"{tmp_path / place / 'orders'} cannot be created: {reason}"
    assert caught.value.code == "new.target-unwritable"


@pytest.mark.slow
def test_a_project_can_be_read_as_any_other_directory(tmp_path):
    """The temporary directory is private, what comes out of it is not."""
    (tmp_path / "plain").mkdir()

    project = generate(ANSWERS, tmp_path)

    assert project.stat().st_mode == (tmp_path / "plain").stat().st_mode
