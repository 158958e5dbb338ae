"""Where the cache lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugwright.cache import cache_directory, make_directory
from plugwright.errors import SetupError


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        pytest.param(
            {"PLUGWRIGHT_CACHE": "/own", "XDG_CACHE_HOME": "/xdg", "HOME": "/h"}, "/own", id="own"
        ),
        pytest.param({"XDG_CACHE_HOME": "/xdg", "HOME": "/h"}, "/xdg/plugwright", id="xdg"),
        pytest.param(
            {"XDG_CACHE_HOME": "rel", "HOME": "/h"}, "/h/.cache/plugwright", id="relative-xdg"
        ),
        pytest.param({"HOME": "/h"}, "/h/.cache/plugwright", id="home"),
        pytest.param(
            {"PLUGWRIGHT_CACHE": "", "HOME": "/h"}, "/h/.cache/plugwright", id="empty-own"
        ),
    ],
)
def test_the_first_place_named_wins(environ, expected):
    """The own variable, then XDG's if absolute, then the home directory."""
    assert cache_directory(environ) == Path(expected)


def test_a_relative_directory_is_made_absolute(monkeypatch, tmp_path):
    """The cache does not move when a process changes its directory."""
    monkeypatch.chdir(tmp_path)

    assert cache_directory({"PLUGWRIGHT_CACHE": "cache"}) == tmp_path / "cache"


def test_a_directory_is_made_with_its_parents(tmp_path):
    """Once and again."""
    assert make_directory(tmp_path / "a" / "b").is_dir()
    assert make_directory(tmp_path / "a" / "b").is_dir()


def test_a_cache_that_cannot_be_made_is_explained(tmp_path):
    """The directory, the reason, and the variable that moves it."""
    (tmp_path / "file").touch()

    with pytest.raises(SetupError, match="cannot be made: Not a directory") as caught:
        make_directory(tmp_path / "file" / "cache")

    assert caught.value.code == "environment.cache-not-writable"
    assert "PLUGWRIGHT_CACHE" in caught.value.hint
