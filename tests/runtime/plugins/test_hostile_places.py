"""What may stand where a plugin should: nothing of it blocks, raises or hides a neighbour."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from plugwright.errors import DiscoveryError
from plugwright.plugins import DiscoveryMode, LocationKind, Plugins, find_locations

MANIFEST = "[plugwright.SinkConnector]\na = shop:Shop\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def container(place, tmp_path):
    """A directory of locations that holds one good one."""
    place("c/shop").distribution(entry_points=MANIFEST)
    return tmp_path / "c"


def _socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))


def _device(path):
    path.symlink_to("/dev/zero")


def _loop(path):
    path.symlink_to(path)


def _pipe_link(path):
    os.mkfifo(path.parent / ".pipe")
    path.symlink_to(path.parent / ".pipe")


def _large(path):
    path.write_bytes(bytes(2 << 20))


MAKERS = [os.mkfifo, _socket, _device, _loop, _pipe_link, _large]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__.strip("_"))
@pytest.mark.parametrize("name", ["a.whl", "a.zip", "a.pyz", "a.egg", "a.py", "dir", "a.PY"])
def test_what_is_no_location_hides_no_location(container, monkeypatch, make, name):
    """Cases 9 to 11 for locations themselves."""
    monkeypatch.chdir(container)
    make(container / name)
    found = Plugins.service_load([container])
    assert [p.class_name for p in found.descriptors] == ["shop.Shop"]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__.strip("_"))
@pytest.mark.parametrize(
    "name",
    [
        "shop-1.0.dist-info/METADATA",
        "shop-1.0.dist-info/PKG-INFO",
        "shop-1.0.dist-info/RECORD",
        "shop-1.0.dist-info/direct_url.json",
        "pyvenv.cfg.d",
        "other-1.0.dist-info",
        "all.pth",
    ],
)
def test_what_is_no_file_of_a_location_hides_no_plugin(container, monkeypatch, make, name):
    """Cases 9 to 12 for everything that is read."""
    monkeypatch.chdir(container)
    (container / "shop" / name).unlink(missing_ok=True)
    make(container / "shop" / name)
    assert len(Plugins.service_load([container]).descriptors) == 1


@pytest.mark.parametrize("make", [os.mkfifo, _socket, _device], ids=["pipe", "socket", "device"])
@pytest.mark.parametrize("name", ["a.whl", "a"])
def test_an_element_that_is_no_file_is_refused(tmp_path, monkeypatch, make, name):
    """As one that is not there."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path / name)
    _, findings = find_locations([tmp_path / name])
    assert [f.code for f in findings] == ["location-missing"]


@pytest.mark.parametrize("text", ["a\0b", "x" * 5000, "\ud800"], ids=["null", "long", "surrogate"])
def test_an_element_that_can_be_no_path_is_refused(text):
    """Whatever the system says of it."""
    with pytest.raises(DiscoveryError) as caught:
        find_locations([text], fail_fast=True)
    assert caught.value.code == "discovery.no-such-location"


def test_an_empty_element_among_others_is_an_error(container):
    """Case 30: the worker, too, must not guess the current directory."""
    with pytest.raises(DiscoveryError, match="empty string"):
        Plugins.discover([container, ""], "service_load")


@pytest.mark.parametrize(("holder", "method"), [(Path, "stat"), (os, "listdir")])
def test_a_directory_that_the_system_refuses_is_reported(
    container, place, monkeypatch, holder, method
):
    """Case 26 for locations: permissions do not bind the superuser, so it is simulated."""
    place("c/mart").distribution("mart", entry_points=MANIFEST.replace("shop", "mart"))
    real = getattr(holder, method)

    def refuse(path, *rest, **options):
        if str(path).endswith("/shop"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *rest, **options)

    monkeypatch.setattr(holder, method, refuse)
    found = Plugins.discover([container], "service_load")
    assert [d.code for d in found.diagnostics] == ["location-unreadable"]
    assert [p.distribution for p in found.descriptors] == ["mart"]


def test_links_between_two_locations_end(container, place):
    """Case 37: depth is one."""
    mart = place("c/mart")
    (mart.path / "shop").symlink_to(container / "shop")
    (container / "shop" / "mart").symlink_to(mart.path)
    found = Plugins.service_load([container])
    assert [(x.name, x.kind) for x in found.locations] == [
        ("mart", LocationKind.MODULE_DIR),
        ("shop", LocationKind.TARGET_DIR),
    ]


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "a\x1b[31mb", "a\u202eb"], ids=repr)
def test_a_location_with_a_strange_name_cannot_steer_a_terminal(place, name):
    """Case 36: escaped in messages, exact in values, which JSON writes in its own way."""
    place(f"c/{name}").distribution(entry_points=MANIFEST + "b\n")
    found = Plugins.service_load([place("c").path])
    (finding,) = found.diagnostics
    assert str(finding).isprintable()
    assert found.descriptors[0].location.name == name
    assert json.loads(json.dumps(finding.location)).endswith(name)


@pytest.mark.parametrize(
    ("target", "policy", "names", "codes"),
    [
        ("outside", "any", ["shop", "x"], []),
        ("outside", "inside", ["shop"], ["link-outside"]),
        ("c/.hidden", "inside", ["shop", "x"], []),
        ("link-to-outside", "inside", ["shop"], ["link-outside"]),
        ("c/.link-to-outside", "inside", ["shop"], ["link-outside"]),
    ],
)
def test_links_are_followed_as_configured(container, target, policy, names, codes):
    """D1, plugin.path.follow.symlinks: the end of a chain counts."""
    root = container.parent
    (root / "outside").mkdir()
    (container / ".hidden").mkdir()
    for name in ("link-to-outside", "c/.link-to-outside"):
        (root / name).symlink_to(root / "outside")
    (container / "x").symlink_to(root / target)
    locations, findings = find_locations([container], follow_symlinks=policy)
    assert ([x.name for x in locations], [f.code for f in findings]) == (names, codes)


def test_an_element_may_be_a_link_in_any_case(container):
    """The operator has named it."""
    link = container.parent / "link"
    link.symlink_to(container)
    found = Plugins.service_load([link], follow_symlinks="inside")
    assert (len(found.descriptors), found.diagnostics) == (1, [])


@pytest.mark.parametrize("mode", list(DiscoveryMode))
def test_every_mode_follows_links_as_configured(place, mode):
    """The setting of the worker is for all of them."""
    shop = place("c/shop")
    shop.distribution()
    container = shop.path.parent
    (container.parent / "outside").mkdir()
    (container / "x").symlink_to(container.parent / "outside")
    found = Plugins.discover([container], mode, follow_symlinks="inside")
    assert [location.name for location in found.locations] == ["shop"]
    assert [d.code for d in found.diagnostics][:1] == ["link-outside"]


def test_a_link_to_itself_is_reported_in_any_case(container):
    """Not as one that leaves."""
    _loop(container / "x")
    _, findings = find_locations([container], follow_symlinks="inside")
    assert [f.code for f in findings] == ["location-unreadable"]


def test_the_mode_is_taken_in_upper_case(container):
    """Case 73: as in Kafka."""
    assert DiscoveryMode.parse("SERVICE_LOAD") is DiscoveryMode.SERVICE_LOAD
    assert len(Plugins.discover([container], "SERVICE_LOAD").descriptors) == 1


def test_a_dependency_with_a_broken_manifest_is_noted_and_hides_no_other(container, place):
    """Case 2: importlib.metadata raises here."""
    shop = place("c/shop")
    shop.distribution("dep", entry_points="[console_scripts]\nno equals sign\n")
    shop.distribution("pep", entry_points=b"[other]\nx = \xff:y\n")
    shop.distribution("zip", entry_points=MANIFEST + "[other]\n\nno\n")
    found = Plugins.service_load([container])
    assert len(found.descriptors) == 2
    assert [(d.code, d.level.value, d.line) for d in found.diagnostics] == [
        ("ep-syntax", "note", 2),
        ("ep-encoding", "note", 2),
        ("ep-syntax", "note", 5),
    ]
