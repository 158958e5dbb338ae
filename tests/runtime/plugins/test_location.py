"""Plugin locations: what the elements of a plugin path stand for."""

from __future__ import annotations

import pytest

from plugwright.errors import DiscoveryError
from plugwright.plugins import locations_on


def _names(*elements):
    return [location.name for location in locations_on(elements)]


def test_the_directories_of_a_container_are_the_locations(place, tmp_path):
    """Sorted, so that the order does not depend on the file system."""
    for name in ("b", "a"):
        place(name).distribution()
    assert _names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("name", [".git", "__pycache__", ".hidden"])
def test_hidden_children_are_no_locations(place, tmp_path, name):
    """Nor are caches."""
    place("a").distribution()
    (tmp_path / name).mkdir()
    assert _names(tmp_path) == ["a"]


def test_files_in_a_container_are_no_locations(place, tmp_path):
    """A note beside the plugins does no harm."""
    place("a").distribution()
    (tmp_path / "README.md").touch()
    assert _names(tmp_path) == ["a"]


@pytest.mark.parametrize("suffix", ["dist-info", "egg-info", "Dist-Info"])
def test_an_element_with_metadata_is_one_location(place, tmp_path, suffix):
    """The usual mistake: the directory of one plugin instead of its parent."""
    (tmp_path / "shop" / f"Shop-1.0.{suffix}").mkdir(parents=True)
    (tmp_path / "shop" / "package").mkdir()
    assert _names(tmp_path / "shop") == ["shop"]


def test_an_element_that_is_a_package_is_one_location(tmp_path):
    """It has an __init__.py."""
    (tmp_path / "shop" / "sub").mkdir(parents=True)
    (tmp_path / "shop" / "__init__.py").touch()
    assert _names(tmp_path / "shop") == ["shop"]


def test_an_empty_element_is_one_location(tmp_path):
    """It may be filled later."""
    assert _names(tmp_path) == [tmp_path.name]


def test_a_location_counts_once_however_it_is_reached(place, tmp_path):
    """Directly, through its container, and through a link."""
    shop = place("plugins/shop").path
    (shop / "x-1.dist-info").mkdir()
    link = tmp_path / "link"
    link.symlink_to(shop)
    assert _names(shop, tmp_path / "plugins", link) == ["shop"]


def test_links_in_a_circle_end(tmp_path):
    """Depth is one."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").symlink_to(tmp_path)
    assert _names(tmp_path) == ["a"]


@pytest.mark.parametrize(
    ("name", "reason"), [("nowhere", "does not exist"), ("file", "is not a directory")]
)
def test_an_element_that_cannot_be_is_explained(tmp_path, name, reason):
    """With the element's name."""
    (tmp_path / "file").touch()
    with pytest.raises(DiscoveryError, match=f"{name} {reason}") as caught:
        locations_on([tmp_path / name])
    assert caught.value.code == "discovery.no-such-location"


def test_an_empty_string_is_not_the_current_directory():
    """A trailing comma in plugin.path must not load what lies around."""
    with pytest.raises(DiscoveryError, match="empty string"):
        locations_on([""])
