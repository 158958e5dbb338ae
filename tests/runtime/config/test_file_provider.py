"""Values from a properties file."""

from __future__ import annotations

import pytest

from plugwright.config import ConfigData, FileConfigProvider
from plugwright.errors import ConfigError, IllegalWorkerStateError


@pytest.fixture
def file(tmp_path):
    """A properties file."""
    made = tmp_path.resolve() / "dir" / "a.properties"
    made.parent.mkdir()
    made.write_text("testKey=testResult\ntestKey2: testResult2 é\n", encoding="utf-8")
    return made


@pytest.fixture
def provider():
    """A provider without limits."""
    made = FileConfigProvider()
    made.configure({})
    return made


def test_all_keys(provider, file):
    """Everything in the file, without a time to live."""
    assert provider.get(str(file)) == ConfigData(
        {"testKey": "testResult", "testKey2": "testResult2 é"}, None
    )


def test_one_key(provider, file):
    """Keys that are not there are left out."""
    assert provider.get(str(file), {"testKey", "x"}) == ConfigData({"testKey": "testResult"})


@pytest.mark.parametrize("path", ["", None])
@pytest.mark.parametrize("keys", [None, {"testKey"}], ids=["all", "some"])
def test_no_path_no_values(provider, path, keys):
    """Without a file there is nothing."""
    assert provider.get(path, keys) == ConfigData({})


@pytest.mark.parametrize("path", ["/no/such/file", "/", "\0"], ids=["none", "directory", "zero"])
def test_unreadable_file(provider, path):
    """Kafka's words."""
    with pytest.raises(ConfigError) as caught:
        provider.get(path)

    assert str(caught.value) == f"Could not read properties from file {path}"


def test_unreadable_content_is_not_shown(provider, file):
    """The error has no cause that quotes the file."""
    file.write_bytes(b"pw=hunter2\xff")

    with pytest.raises(ConfigError) as caught:
        provider.get(str(file))

    assert caught.value.__suppress_context__
    assert "hunter2" not in str(caught.value) + repr(caught.value.facts)


@pytest.mark.parametrize("allowed", ["dir", "dir/a.properties", "."])
def test_allowed_file(file, allowed):
    """Limits may name the file or any directory above it."""
    provider = FileConfigProvider()
    provider.configure({"allowed.paths": str((file.parent.parent / allowed).resolve())})

    assert provider.get(str(file), {"testKey"}).data == {"testKey": "testResult"}


@pytest.mark.parametrize("path", ["dir/a.properties", "other/../dir/a.properties"])
def test_file_that_is_not_allowed_is_empty(file, caplog, path):
    """Neither directly nor by dots."""
    root = file.parent.parent
    (root / "other").mkdir()
    provider = FileConfigProvider()
    provider.configure({"allowed.paths": f"{root}/other"})

    assert provider.get(f"{root}/{path}") == ConfigData({})
    assert caplog.messages == [f"The path {root}/{path} is not allowed to be accessed"]


def test_link_out_of_the_allowed_directory_is_empty(file):
    """Links are resolved first."""
    root = file.parent.parent
    (root / "other").mkdir()
    (root / "other" / "link").symlink_to(file)
    provider = FileConfigProvider()
    provider.configure({"allowed.paths": f"{root}/other"})

    assert provider.get(f"{root}/other/link") == ConfigData({})


def test_must_be_configured_first(file):
    """Limits that were never read must not be passed by."""
    with pytest.raises(IllegalWorkerStateError, match="The provider has not been configured yet"):
        FileConfigProvider().get(str(file))
