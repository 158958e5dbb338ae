"""Providers stay within their allowed paths."""

from __future__ import annotations

import pytest

from plugwright.config import AllowedPaths
from plugwright.errors import ConfigError


@pytest.fixture
def root(tmp_path):
    """Two directories and a file in the first one."""
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir2").mkdir()
    (tmp_path / "dir" / "file").touch()
    return tmp_path.resolve()


def test_allowed_path(root):
    """A file below one of several roots."""
    allowed = AllowedPaths.configured(f"{root}/dir, {root}/dir2")

    assert allowed.if_allowed(root / "dir" / "file") == root / "dir" / "file"


def test_not_allowed_path(root):
    """A sibling whose name begins alike is another directory."""
    allowed = AllowedPaths.configured(str(root / "dir"))

    assert allowed.if_allowed(root / "dir2") is None


@pytest.mark.parametrize("setting", [None, ""])
def test_no_setting_allows_everything_as_given(root, setting):
    """Without limits a path is not even normalised, as in Kafka."""
    allowed = AllowedPaths.configured(setting)

    assert allowed.if_allowed(f"{root}/dir/../dir2") == root / "dir" / ".." / "dir2"


def test_no_traversal(root):
    """Dots lead nowhere."""
    allowed = AllowedPaths.configured(str(root / "dir"))

    assert allowed.if_allowed(root / "dir" / ".." / "dir2") is None


def test_allowed_traversal(root):
    """From one allowed root into another."""
    allowed = AllowedPaths.configured(f"{root}/dir,{root}/dir2")

    assert allowed.if_allowed(root / "dir" / ".." / "dir2") == root / "dir2"


def test_link_out_of_the_root_is_not_allowed(root):
    """Links are resolved before they are compared."""
    (root / "dir" / "link").symlink_to(root / "dir2")
    allowed = AllowedPaths.configured(str(root / "dir"))

    assert allowed.if_allowed(root / "dir" / "link") is None


def test_root_may_be_a_link(root):
    """The allowed path itself is resolved as well."""
    (root / "alias").symlink_to(root / "dir")
    allowed = AllowedPaths.configured(str(root / "alias"))

    assert allowed.if_allowed(root / "alias" / "file") == root / "dir" / "file"


@pytest.mark.parametrize("name", ["\0", "loop"], ids=["zero-byte", "loop-of-links"])
def test_unusable_path_is_not_allowed(root, name):
    """What cannot be resolved is refused, not raised."""
    (root / "dir" / "loop").symlink_to("loop")
    allowed = AllowedPaths.configured(str(root / "dir"))

    assert allowed.if_allowed(f"{root}/dir/{name}") is None


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("dir", "Path dir is not absolute"),
        ("/no/such/place", "Path /no/such/place does not exist"),
        ("/,", "Path  is not absolute"),
    ],
)
def test_bad_root(setting, message):
    """A setting that protects nothing is an error."""
    with pytest.raises(ConfigError) as caught:
        AllowedPaths.configured(setting)

    assert str(caught.value) == message
