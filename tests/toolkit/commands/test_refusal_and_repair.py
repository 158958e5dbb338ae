"""What ``hybrid_fail`` refuses, ``sync-manifests`` repairs, or says that only the author can."""

from __future__ import annotations

import shutil

import pytest
from tests.toolkit.commands.conftest import SINK

from plugwright.errors import DiscoveryError
from plugwright.plugins import Plugins

pytestmark = pytest.mark.slow

GROUP = "[plugwright.SinkConnector]\n"
RECORD = "shop-1.0.dist-info/RECORD,,\nshop-1.0.dist-info/entry_points.txt,,\nshop.py,,\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))


def _refusal(path):
    """The error of a worker with hybrid_fail; nothing if it starts."""
    try:
        Plugins.discover([path], "hybrid_fail")
    except DiscoveryError as error:
        return error
    return None


def _made(package, text, manifest):
    shop = package()
    shop.module(text=text)
    shop.metadata(manifest)
    (shop.path / "shop-1.0.dist-info" / "RECORD").write_text(RECORD)
    return shop.path.parent


ABSTRACT = "from plugwright import SinkConnector\nclass Sink(SinkConnector): pass\n"
SINKS = SINK.format(name="Sink")
NEEDY = SINKS + "    def __init__(self, x): pass\n"
REPAIRABLE = {
    "no manifest": (SINKS, None),
    "no entry": (SINKS, "[console_scripts]\nx = shop:main\n"),
    "no such name": (SINKS, GROUP + "s = shop:Sink\nx = shop:Gone\n"),
    "no such module": (SINKS, GROUP + "s = shop:Sink\nx = gone:Sink\n"),
    "no such submodule": (SINKS, GROUP + "s = shop:Sink\nx = shop.deep:Sink\n"),
    "no class": (SINKS + "x = 1\n", GROUP + "s = shop:Sink\nx = shop:x\n"),
    "another base": (SINKS, GROUP + "s = shop:Sink\n[plugwright.SourceConnector]\ns = shop:Sink\n"),
    "abstract": (ABSTRACT, GROUP + "s = shop:Sink\n"),
    "needs arguments": (NEEDY, GROUP + "s = shop:Sink\n"),
    "a made attribute": (
        SINKS + "def __getattr__(name): raise AttributeError(name)\n",
        GROUP + "s = shop:Sink\nx = shop:Gone\n",
    ),
}


@pytest.mark.parametrize(("text", "manifest"), REPAIRABLE.values(), ids=REPAIRABLE)
def test_what_the_hint_names_repairs(tool, package, text, manifest):
    """The worker refuses and names the tool; the tool repairs; the worker starts."""
    path = _made(package, text, manifest)
    assert "connect-plugin-path sync-manifests" in _refusal(path).hint
    assert tool("sync-manifests", "--plugin-path", path, "--check")[0] == 4
    assert tool("sync-manifests", "--plugin-path", path)[0] == 0
    assert _refusal(path) is None
    assert tool("sync-manifests", "--plugin-path", path, "--check")[0] == 0
    assert tool("list", "--plugin-path", path, "--require-mode", "hybrid_fail", "--strict")[0] == 0


KEPT = {"RECORD": "--edit-unrecorded", "conda": "--force-managed"}


@pytest.mark.parametrize(("protection", "option"), KEPT.items(), ids=KEPT)
def test_the_option_for_an_entry_that_the_tool_keeps_is_named(tool, package, protection, option):
    """By the worker too, which would else send in a circle: with it the worker starts."""
    path = _made(package, SINKS, GROUP + "s = shop:Sink\nx = shop:Gone\n")
    metadata = path / "shop" / "shop-1.0.dist-info"
    if protection == "RECORD":
        (metadata / "RECORD").unlink()
    else:
        (metadata / "INSTALLER").write_text("conda\n")
    assert option in _refusal(path).hint
    assert tool("sync-manifests", "--plugin-path", path)[0] in {0, 2}
    assert option in _refusal(path).hint
    tool("sync-manifests", "--plugin-path", path, option)
    assert _refusal(path) is None


AUTHORS = {
    "raises": ("raise ValueError('no')\n", "import-error"),
    "exits": ("import sys; sys.exit(3)\n", "import-exit"),
    "needs another package": ("import nowhere_to_be_found\n", "import-error"),
    "does not parse": ("def\n", "import-error"),
    "raises what is no exception": ("class E(BaseException): pass\nraise E\n", "import-error"),
}


@pytest.mark.parametrize(("text", "reason"), AUTHORS.values(), ids=AUTHORS)
def test_what_only_the_author_can_mend_is_said_so(tool, package, text, reason):
    """By the worker, which does not recommend the tool, and by the tool, which keeps the entry."""
    manifest = GROUP + "s = shop:Sink\n"
    path = _made(package, text, manifest)
    hint = _refusal(path).hint
    assert hint == (
        "install what shop.Sink misses, or have its author fix it: it is declared but cannot be "
        "imported, and sync-manifests does not remove such an entry"
    )
    code, out, _ = tool("sync-manifests", "--plugin-path", path)
    assert code == 0
    assert f"sync.unloadable: {path}/shop: the entry for shop.Sink stays" in out
    assert f"({reason}), so a worker with plugin.discovery=hybrid_fail does not start" in out
    assert "only its author, or who installs what it misses, can mend that" in out
    assert (path / "shop/shop-1.0.dist-info/entry_points.txt").read_text() == manifest


def test_of_both_the_worker_names_both(package):
    """One sentence for each."""
    path = _made(package, "raise ValueError\n", GROUP + "s = shop:Sink\n")
    package("mart").module("mart.py")
    hint = _refusal(path).hint
    assert hint.startswith("write the manifests with connect-plugin-path sync-manifests")
    assert "; install what shop.Sink misses, or have its author" in hint


def test_a_single_module_is_to_be_packaged(tool, package):
    """Neither names the other in a circle."""
    path = package().path.parent
    shutil.rmtree(path)
    path.mkdir()
    (path / "shop.py").write_text(SINKS)
    hint = "make a package of shop.Sink: a single module cannot carry a manifest"
    assert _refusal(path).hint == hint
    code, out, _ = tool("sync-manifests", "--plugin-path", path)
    assert (code, "package it" in out) == (2, True)


def test_what_is_kept_on_demand_is_named(tool, package):
    """``--keep-not-found`` leaves what hybrid_fail refuses."""
    path = _made(package, SINKS, GROUP + "s = shop:Sink\nx = shop:Gone\n")
    code, out, _ = tool("sync-manifests", "--plugin-path", path, "--keep-not-found")
    assert (code, "the entry for shop.Gone stays" in out) == (0, True)


# A strict list.

STRICT = {
    "good": (SINKS, GROUP + "s = shop:Sink\n", 0),
    "undeclared and good": (SINKS, None, 0),
    "stale": (SINKS, GROUP + "x = shop:Gone\n", 4),
    "declared and broken": ("raise ValueError\n", GROUP + "s = shop:Sink\n", 4),
    "undeclared and broken": (f"{SINKS}\nraise ValueError\n", None, 4),
    "dies": (f"{SINKS}\nimport os; os._exit(0)\n", None, 4),
}


@pytest.mark.parametrize(("text", "manifest", "status"), STRICT.values(), ids=STRICT)
def test_a_strict_list_is_a_gate(tool, package, text, manifest, status):
    """Status 4 if a plugin cannot be loaded; without the word always 0, as Kafka's tool."""
    path = _made(package, text, manifest)
    assert tool("list", "--plugin-path", path)[0] == 0
    code, _, err = tool("list", "--plugin-path", path, "--strict")
    assert code == status
    assert ("1 plugin cannot be loaded:\n" in err) == bool(status)


def test_a_location_that_cannot_be_read_fails_a_strict_list(tool, package):
    """Whatever plugins it has."""
    path = _made(package, SINKS, GROUP + "s = shop:Sink\n")
    (path / "broken.zip").write_text("no archive")
    code, _, err = tool("list", "--plugin-path", path, "--strict")
    assert (code, f"1 location cannot be read:\n  {path}/broken.zip\n" in err) == (4, True)


def test_a_strict_list_must_import(tool, package):
    """Without imports nothing is known."""
    path = _made(package, SINKS, None)
    code, _, err = tool("list", "--plugin-path", path, "--strict", "--static")
    assert (code, "--strict needs the imports" in err) == (1, True)


# Links.


@pytest.mark.parametrize("target", ["loop", ".", "..", "nowhere"])
def test_a_link_in_a_circle_stops_no_sync(tool, package, target):
    """It is named, and the good location is brought into order; nothing is written beside it."""
    path = _made(package, SINKS, None)
    (path / "loop").symlink_to(target)
    before = sorted(path.iterdir())
    code, out, err = tool("sync-manifests", "--plugin-path", path)
    assert (code, "\tAdd\tshop.Sink\tsink" in out) == (0, True)
    assert f"{path}/loop" in err
    assert sorted(path.iterdir()) == before
    assert tool("list", "--plugin-path", path)[1].count("shop.Sink") == 1


@pytest.mark.parametrize("name", ["README.egg-info", "x.dist-info", "__init__.py", "pyvenv.cfg"])
def test_nothing_is_written_into_a_container_with_a_stray_name(tool, package, name):
    """The manifests go to the locations."""
    path = _made(package, SINKS, None)
    package("mart").module("mart.py", name="Mart")
    (path / name).mkdir() if name.endswith("dist-info") else (path / name).touch()
    before = sorted(path.iterdir())
    assert tool("sync-manifests", "--plugin-path", path)[0] == 0
    assert sorted(path.iterdir()) == before
    found = Plugins.service_load([path]).descriptors
    assert sorted(each.class_name for each in found) == ["mart.Mart", "shop.Sink"]
