"""Files that say which locations are in use."""

from __future__ import annotations

import fcntl
import threading

import pytest

from plugwright.plugins import Location, hold, in_use_lock


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The place of the locks."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    locks = tmp_path / "cache" / "locks"
    locks.mkdir(parents=True)
    return locks


@pytest.fixture
def location(tmp_path, cache):
    """Some directory."""
    (tmp_path / "shop").mkdir()
    return Location(tmp_path / "shop")


def _is_free(path):
    with path.open("r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_a_location_is_in_use_until_the_last_one_lets_go(cache, location):
    """Then nothing is left."""
    path = in_use_lock(location.origin)
    with hold([location]):
        with hold([location]):
            both = _is_free(path)
        one = _is_free(path)

    assert (both, one) == (False, False)
    assert list(cache.iterdir()) == []


def test_what_killed_workers_left_behind_goes_with_the_next_one(cache, location):
    """That of another one that runs stays."""
    (cache / "0123.in-use").touch()
    (cache / "4567.sync").touch()
    with hold([location]), hold([]):
        names = {path.name for path in cache.iterdir()}

    assert names == {in_use_lock(location.origin).name, "4567.sync"}


def test_a_location_that_is_being_changed_is_used_all_the_same(cache, location, monkeypatch):
    """The process that changes it keeps its lock."""
    monkeypatch.setattr("plugwright.plugins._in_use._MOMENT_S", 0.0)
    path = in_use_lock(location.origin)
    with path.open("w") as changing:
        fcntl.flock(changing, fcntl.LOCK_EX)
        with hold([location]):
            assert not _is_free(path)
    assert path.exists()


def test_workers_that_come_and_go_at_once_never_hold_a_file_that_is_gone(cache, location):
    """Each of them is seen by every reader, while it is there."""
    path = in_use_lock(location.origin)
    seen = []

    def work():
        for _ in range(50):
            with hold([location]):
                seen.append(path.exists() and not _is_free(path))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(seen) == 200
    assert all(seen)
