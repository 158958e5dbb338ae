"""What metadata says of a distribution: its Python, its version, and which of two is the one."""

from __future__ import annotations

import sys

import pytest

from plugwright.plugins import DiagnosticLevel, Plugins, declared_version, module_version

MANIFEST = "[plugwright.SinkConnector]\na = shop:Shop\n"
SINK = "import plugwright\nclass Shop(plugwright.SinkConnector):\n"
WHOLE = "    version = config = start = stop = task_class = task_configs = None\n"
NEXT = f">={sys.version_info[0]}.{sys.version_info[1] + 1}"
THIS = ".".join(map(str, sys.version_info[:3]))


def _load(*builders):
    return Plugins.service_load([builder.path for builder in builders])


def _requiring(place, required):
    shop = place()
    directory = shop.distribution(entry_points=MANIFEST)
    text = f"Name: shop\nVersion: 1.0\nRequires-Python: {required}\n\n"
    (directory / "METADATA").write_text(text)
    return shop


@pytest.mark.parametrize(
    ("required", "fits"),
    [
        (">=3.9", True),
        (f">={THIS}", True),
        (">=3", True),
        (">=3.9,<4", True),
        (">=3.9, <4.0", True),
        ("~=3.9", True),
        ("!=2.7.*,>=3.6", True),
        ("nonsense", True),
        ("", True),
        (NEXT, False),
        ("<3.9", False),
        (">=3.9,<3.10", False),
        (">=2.7,<3", False),
        ("==2.7.*", False),
        (f"~={NEXT[2:]}", False),
    ],
)
def test_whether_this_python_will_do(place, required, fits):
    """Case 39: an unreadable requirement is none."""
    found = _load(_requiring(place, required))
    assert [d.code for d in found.diagnostics] == ([] if fits else ["requires-python"])
    assert [bool(p.obstacle) for p in found.descriptors] == [not fits]


def test_what_python_is_needed_and_which_this_is(place):
    """Case 39: distribution, version, requirement, this Python."""
    shop = _requiring(place, NEXT)
    found = _load(shop)
    assert str(found.diagnostics[0]) == (
        f"requires-python: {shop.path}/shop-1.0.dist-info: shop 1.0 requires Python {NEXT}, and "
        f"this is {THIS}; its plugins are left out"
    )
    assert found.diagnostics[0].level is DiagnosticLevel.ERROR
    assert found.descriptors[0].obstacle == f"requires Python {NEXT}, and this is {THIS}"


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["only_scan", "hybrid_warn"])
def test_a_scan_does_not_find_plugins_for_another_python_either(place, mode):
    """Case 39: with one diagnostic, whether a manifest declares the plugin or not."""
    shop = _requiring(lambda: place("c/shop"), NEXT)
    shop.module("shop", f"{SINK}{WHOLE}class Mart(Shop):\n    pass\n")
    found = Plugins.discover([shop.path.parent], mode)
    assert [bool(p.obstacle) for p in found.descriptors] == [True, True]
    assert [d.code for d in found.diagnostics].count("requires-python") == 1


@pytest.mark.parametrize(
    ("version", "codes"),
    [
        ("1.0", []),
        ("1!2.0.post1.dev3", []),
        ("1.0-beta", []),
        ("1.0+local.7", []),
        ("build-7", ["version-invalid"]),
        ("1.0.x", ["version-invalid"]),
    ],
)
def test_a_version_that_is_none_is_reported(place, version, codes):
    """Case 78: the plugin is there all the same."""
    shop = place()
    shop.distribution("shop", version, entry_points=MANIFEST)
    found = _load(shop)
    assert ([d.code for d in found.diagnostics], found.descriptors[0].version) == (codes, version)


def test_no_version_at_all_is_no_invalid_one(place):
    """Case 78: it is undefined."""
    shop = place()
    (shop.path / "shop.egg-info").mkdir()
    (shop.path / "shop.egg-info" / "entry_points.txt").write_text(MANIFEST)
    found = _load(shop)
    assert [d.code for d in found.diagnostics] == ["no-metadata"]
    assert found.descriptors[0].version == "undefined"


@pytest.mark.parametrize(
    ("old_record", "new_record", "winner"),
    [
        ("shop.py,,99\n", "shop.py,,3\n", "2.0"),
        ("shop.py,,3\n", "shop.py,,99\n", "1.0"),
        ("shop.py,,3\n", "gone.py,,3\n", "1.0"),
        ("", "", "2.0"),
        ("shop.py,,\n", "../shop.py,,3\n", "2.0"),
        ("shop.py,,3\n", "", "1.0"),
        ("shop.py,,3\ndata.txt,,9\n", "shop.py,,99\n", "1.0"),
        ('"a\nb', "shop.py,,x\n/shop.py,,3\n", "2.0"),
    ],
    ids=["new", "old", "missing-file", "none", "no-sizes", "only-old", "other-files", "broken"],
)
def test_the_metadata_that_the_code_belongs_to_wins(place, old_record, new_record, winner):
    """Case 22: what ``pip --target --upgrade`` leaves behind shows in the sizes in RECORD."""
    shop = place()
    shop.module("shop", "x=1")
    for version, record in (("1.0", old_record), ("2.0", new_record)):
        directory = shop.distribution("shop", version, entry_points=MANIFEST)
        (directory / "RECORD").write_text(record)
    found = _load(shop)
    assert [p.version for p in found.descriptors] == [winner]
    assert [d.code for d in found.diagnostics] == ["dist-duplicate"]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("    def version(self):\n        return '2.5'\n", "2.5"),
        ("    def version(self):\n        '''Of it.'''\n        return '2.5'\n", "2.5"),
        ("    def version(self):\n        return VERSION\nVERSION = '2.6'\n", "2.6"),
        ("    def version(self):\n        return VERSION\nVERSION: str = '2.6'\n", "2.6"),
        ("    version = '2.7'\n", "2.7"),
        ("    version: str = '2.7'\n", "2.7"),
        ("    version = '1'\n    version = '2'\n", "2"),
        ("    version = A\nA = B\nB = '1'\n", None),
        ("    def version(self):\n        return str(1)\n", None),
        ("    def version(self):\n        x = 1\n        return '2.5'\n", None),
        ("    version = 5\n", None),
        ("    pass\n", None),
        ("    version = '1\n", None),
        ("    x = " + "(" * 3000 + ")" * 3000, None),
    ],
    ids=range(14),
)
def test_the_declared_version_is_read_and_never_run(place, text, version):
    """D6: a literal, or nothing."""
    shop = place()
    shop.distribution(entry_points=MANIFEST)
    shop.module("shop", f"raise SystemExit\n{SINK}{text}")
    assert declared_version(_load(shop).descriptors[0]) == version


@pytest.mark.parametrize(
    "line",
    ["from .tasks import Shop", "from shop.tasks import Shop", "from .tasks import Real as Shop"],
)
def test_the_declared_version_of_a_re_export_is_that_of_the_class(place, line):
    """Imports within the location are followed."""
    shop = place()
    shop.distribution(entry_points=MANIFEST)
    (shop.path / "shop").mkdir()
    (shop.path / "shop" / "__init__.py").write_text(line)
    name = "Real" if "Real" in line else "Shop"
    (shop.path / "shop" / "tasks.py").write_text(f"class {name}:\n    version = '3.1'\n")
    assert declared_version(_load(shop).descriptors[0]) == "3.1"


def test_imports_in_a_circle_have_no_version(place):
    """And end."""
    shop = place()
    shop.distribution(entry_points=MANIFEST)
    shop.module("shop", "from mart import Shop")
    shop.module("mart", "from shop import Shop")
    assert declared_version(_load(shop).descriptors[0]) is None


def test_a_plugin_of_the_runtime_declares_the_runtimes_version():
    """It has no location."""
    plugin = Plugins([], [], []).builtin[0]
    assert declared_version(plugin) == plugin.version


def test_a_different_declared_version_is_a_warning_at_the_first_load(place, caplog):
    """D6: the distribution's counts."""
    shop = place()
    shop.distribution(entry_points=MANIFEST)
    shop.module("shop", SINK + "    def version(self):\n        return '2.5'\n")
    found = _load(shop)
    found.load(found.descriptors[0])
    found.load(found.descriptors[0])
    (finding,) = found.diagnostics
    assert (finding.code, finding.level) == ("version-mismatch", DiagnosticLevel.WARNING)
    assert finding.message == (
        "shop.Shop declares version 2.5, its distribution 1.0, which is the one that counts"
    )
    assert [r.getMessage() for r in caplog.records] == [str(finding)]


def test_equal_versions_are_no_mismatch(place):
    """Nothing is said."""
    shop = place()
    shop.distribution(entry_points=MANIFEST)
    shop.module("shop", SINK + "    version = '1.0'\n")
    found = _load(shop)
    found.load(found.descriptors[0])
    assert found.diagnostics == []


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"shop.py": "__version__ = '4.2'\nraise SystemExit"}, "4.2"),
        ({"shop/__init__.py": "__version__: str = '4.3'"}, "4.3"),
        ({"shop.py": "__version__ = compute()"}, None),
        ({"shop.py": "__version__ = (1, 2)"}, None),
        ({"shop.py": "def"}, None),
        ({"shop.py": "\0"}, None),
        ({}, None),
    ],
    ids=["module", "package", "call", "tuple", "syntax", "null", "missing"],
)
def test_the_version_of_a_module_is_its_literal(tmp_path, files, version):
    """D6: for locations without metadata; nothing is imported."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert module_version(tmp_path, "shop.tasks.sink") == version


@pytest.mark.slow
def test_a_plugin_without_metadata_has_the_version_of_its_package(place):
    """D6: where a scan finds it."""
    shop = place("c/shop")
    shop.module("shop", f"__version__ = '4.2'\n{SINK}{WHOLE}")
    found = Plugins.discover([shop.path.parent], "only_scan")
    assert [p.version for p in found.descriptors] == ["4.2"]
