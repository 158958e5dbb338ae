"""Values from the files of a directory."""

from __future__ import annotations

import pytest

from plugwright.config import ConfigData, DirectoryConfigProvider
from plugwright.errors import ConfigError, IllegalWorkerStateError


@pytest.fixture
def root(tmp_path):
    """A directory with two files and a subdirectory, beside others."""
    for folder in ("dir/subdir", "sibling"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("dir/foo", "dir/bar", "dir/subdir/deep", "sibling/file", "outside"):
        (tmp_path / file).write_text(file.rpartition("/")[2].upper(), encoding="utf-8")
    return tmp_path.resolve()


@pytest.fixture
def provider():
    """A provider without limits."""
    made = DirectoryConfigProvider()
    made.configure({})
    return made


def test_all_files(provider, root):
    """Directories are no values."""
    assert provider.get(f"{root}/dir") == ConfigData({"foo": "FOO", "bar": "BAR"})


def test_some_files(provider, root):
    """Keys without a file are left out."""
    assert provider.get(f"{root}/dir", {"foo", "baz"}) == ConfigData({"foo": "FOO"})


@pytest.mark.parametrize(
    "keys",
    [{"subdir", "subdir/deep"}, {"../outside", "../sibling", "../sibling/file"}],
    ids=["subdirectory", "traversal"],
)
def test_only_the_directory_itself(provider, root, keys):
    """A key is the name of a file, not a path."""
    assert provider.get(f"{root}/dir", keys) == ConfigData({})


@pytest.mark.parametrize("path", ["", None])
@pytest.mark.parametrize("keys", [None, {"foo"}], ids=["all", "some"])
def test_no_path_no_values(provider, path, keys):
    """Without a directory there is nothing."""
    assert provider.get(path, keys) == ConfigData({})


def test_content_is_kept_as_it_is(provider, root):
    """White space may belong to a secret."""
    (root / "dir" / "foo").write_bytes(b" a\r\nb\n")

    assert provider.get(f"{root}/dir", {"foo"}).data == {"foo": " a\r\nb\n"}


def test_what_is_no_directory_is_empty(provider, root, caplog):
    """Kafka warns and goes on."""
    assert provider.get(f"{root}/outside") == ConfigData({})
    assert caplog.messages == [f"The path {root}/outside is not a directory"]


def test_allowed_directory(root):
    """Within the limits everything is as without."""
    provider = DirectoryConfigProvider()
    provider.configure({"allowed.paths": str(root)})

    assert provider.get(f"{root}/dir", {"foo"}) == ConfigData({"foo": "FOO"})


@pytest.mark.parametrize("path", ["sibling", "dir/../sibling"])
def test_directory_that_is_not_allowed_is_empty(root, caplog, path):
    """Neither directly nor by dots."""
    provider = DirectoryConfigProvider()
    provider.configure({"allowed.paths": f"{root}/dir"})

    assert provider.get(f"{root}/{path}") == ConfigData({})
    assert caplog.messages == [f"The path {root}/{path} is not allowed to be accessed"]


def test_file_that_links_out_is_left_out(root):
    """A link in an allowed directory does not open another one."""
    (root / "dir" / "link").symlink_to(root / "outside")
    provider = DirectoryConfigProvider()
    provider.configure({"allowed.paths": f"{root}/dir"})

    assert set(provider.get(f"{root}/dir").data) == {"foo", "bar"}


def test_links_within_are_followed(provider, root):
    """Kubernetes mounts secrets as links."""
    (root / "dir" / "link").symlink_to(root / "dir" / "foo")

    assert provider.get(f"{root}/dir", {"link"}).data == {"link": "FOO"}


def test_unreadable_content_is_not_shown(provider, root):
    """A file that is no text fails, and the error has no cause that quotes it."""
    (root / "dir" / "foo").write_bytes(b"hunter2\xff")

    with pytest.raises(ConfigError) as caught:
        provider.get(f"{root}/dir")

    assert str(caught.value) == f"Could not read file {root}/dir/foo for property foo"
    assert caught.value.__suppress_context__


def test_must_be_configured_first(root):
    """Limits that were never read must not be passed by."""
    with pytest.raises(IllegalWorkerStateError, match="The provider has not been configured yet"):
        DirectoryConfigProvider().get(f"{root}/dir")
