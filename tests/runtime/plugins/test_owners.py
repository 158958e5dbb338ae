"""Whose a plugin is, above all where a shim declares it."""

from __future__ import annotations

import pytest

from plugwright.errors import NotFoundError
from plugwright.plugins import SINK as SINK_TYPE
from plugwright.plugins import Plugins, survey

SHIM = "connect_plugin_path_shim"
MANIFEST = "[plugwright.SinkConnector]\nshop.Sink = shop.sink:Sink\n"
SINK = """\
from plugwright import SinkConnector


class Sink(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""


def _named(shop, **modules):
    """Distributions that tell their import names."""
    for name, module in modules.items():
        directory = shop.distribution(name, "1", entry_points=None)
        (directory / "METADATA").write_text(f"Name: {name}\nVersion: 1\nImport-Name: {module}\n")


@pytest.fixture
def shop(place):
    """A package that only a shim declares, in a location with some other distribution."""
    shop = place()
    shop.distribution(SHIM, "1.0.0", entry_points=MANIFEST)
    shop.distribution("other", "9.9", entry_points=None)
    (shop.path / "shop").mkdir()
    (shop.path / "shop" / "__init__.py").touch()
    (shop.path / "shop" / "sink.py").write_text(SINK)
    return shop


def _declared(shop):
    plugins = Plugins.service_load([shop.path])
    (plugin,) = plugins.descriptors
    return plugin.distribution, plugin.version


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("RECORD", "shop/__init__.py,,\nshop/sink.py,,\n"),
        ("RECORD", "shop/sink.cpython-311-x86_64-linux-gnu.so,,\n"),
        ("METADATA", "Name: mart\nVersion: 0.3.0\nImport-Name: shop ; private\n"),
        ("METADATA", "Name: mart\nVersion: 0.3.0\nImport-Name: x\nImport-Name: shop.sink\n"),
        ("top_level.txt", "mart\nshop\n"),
    ],
    ids=["record", "compiled", "import-name", "import-names", "top-level"],
)
def test_a_plugin_of_the_shim_belongs_to_the_distribution_that_has_its_module(shop, file, text):
    """Whichever of its files tells."""
    directory = shop.distribution("mart", "0.3.0", entry_points=None)
    (directory / file).write_text(text)
    assert _declared(shop) == ("mart", "0.3.0")


def test_a_project_of_the_modules_name_has_it(shop):
    """In any spelling."""
    shop.distribution("Shop", "0.3.0", entry_points=None)
    assert _declared(shop) == ("Shop", "0.3.0")


def test_a_list_of_files_tells_more_than_a_name(shop):
    """It is asked first."""
    shop.distribution("shop", "0.1", entry_points=None)
    directory = shop.distribution("mart", "0.3.0", entry_points=None)
    (directory / "RECORD").write_text("shop/sink.py,,\n")
    assert _declared(shop) == ("mart", "0.3.0")


def test_the_longest_import_name_counts(shop):
    """Of two that have parts of a package."""
    _named(shop, a="shop", b="shop.sink", c="shop.sink.x")
    assert _declared(shop) == ("b", "1")


def test_half_a_name_is_no_import_name(shop):
    """Dots divide names."""
    _named(shop, a="shop", b="shop.sin")
    assert _declared(shop) == ("a", "1")


def test_names_tell_nothing_of_a_namespace_package(shop):
    """Several distributions may have parts of it."""
    shop.distribution("shop", "0.3.0", entry_points=None)
    (shop.path / "shop" / "__init__.py").unlink()
    assert _declared(shop) == ("shop", "undefined")


def test_of_two_directories_of_a_project_the_one_with_the_code_has_it(shop):
    """What an upgrade in place leaves behind lists the same files."""
    size = len(SINK)
    for version, reported in (("1.9", size), ("2.0", size + 1)):
        directory = shop.distribution("mart", version, entry_points=None)
        (directory / "RECORD").write_text(f"shop/sink.py,sha256=x,{reported}\n")
    assert _declared(shop) == ("mart", "1.9")


def test_a_single_distribution_has_everything(shop):
    """It needs to list nothing."""
    (shop.path / "other-9.9.dist-info").rename(shop.path / "mart-0.3.0.dist-info")
    (shop.path / "mart-0.3.0.dist-info" / "METADATA").unlink()
    assert _declared(shop) == ("mart", "0.3.0")


@pytest.mark.parametrize(
    ("text", "version"), [("", "undefined"), ('__version__ = "4.2"\n', "4.2")], ids=["no", "yes"]
)
def test_without_an_owner_the_package_tells_its_version(shop, text, version):
    """If it says so literally."""
    shop.distribution("another", "9.9", entry_points=None)
    (shop.path / "shop" / "__init__.py").write_text(text)
    assert _declared(shop) == ("shop", version)


def test_the_owners_python_counts(shop):
    """The shim itself runs everywhere."""
    directory = shop.distribution("shop", "0.3.0", entry_points=None)
    head = "Name: shop\nVersion: 0.3.0\nRequires-Python: >=9\n"
    (directory / "METADATA").write_text(head)
    plugins = Plugins.service_load([shop.path])
    assert plugins.descriptors[0].obstacle.startswith("requires Python >=9, and this is 3.")
    assert [(d.code, d.file) for d in plugins.diagnostics] == [
        ("requires-python", "shop-0.3.0.dist-info")
    ]


@pytest.mark.parametrize("manifest", [MANIFEST, None], ids=["declared", "undeclared"])
def test_a_survey_shows_the_owners_version(shop, manifest):
    """Whether the shim declares the plugin or not."""
    shop.distribution("shop", "0.3.0", entry_points=None)
    if manifest is None:
        (shop.path / f"{SHIM}-1.0.0.dist-info" / "entry_points.txt").unlink()
    (row,) = survey([shop.location], imports=False)[0].plugins
    assert (row.plugin.distribution, row.plugin.version) == ("shop", "0.3.0")
    assert bool(row.manifest) == bool(manifest)


def test_a_plugin_for_another_python_is_not_loadable_without_a_manifest(shop):
    """As with one."""
    (shop.path / f"{SHIM}-1.0.0.dist-info" / "entry_points.txt").unlink()
    directory = shop.distribution("shop", "0.3.0", entry_points=None)
    (directory / "METADATA").write_text("Name: shop\nVersion: 1\nRequires-Python: <3\n")
    (row,) = survey([shop.location], imports=False)[0].plugins
    assert (row.loadable, row.reason) == (False, "requires-python")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["only_scan", "hybrid_warn", "hybrid_fail"])
def test_a_request_for_a_plugin_for_another_python_has_a_reason(shop, mode):
    """It lacks no manifest: it is left out for another reason."""
    (shop.path / f"{SHIM}-1.0.0.dist-info" / "entry_points.txt").unlink()
    directory = shop.distribution("shop", "0.3.0", entry_points=None)
    (directory / "METADATA").write_text("Name: shop\nVersion: 1\nRequires-Python: <3\n")
    plugins = Plugins.discover([shop.path], mode)
    with pytest.raises(NotFoundError) as caught:
        plugins.find("shop.sink.Sink", SINK_TYPE)
    assert caught.value.code == "plugin.requires-python"
    assert "requires-python" in [d.code for d in plugins.diagnostics]
