"""The survey: each plugin once, with its manifest, and whether an import has proved it."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from importlib.machinery import EXTENSION_SUFFIXES

import pytest
from tests.plugin_paths import make_plugin_path

from plugwright.errors import DiscoveryError
from plugwright.plugins import (
    ABSENT_REASONS,
    ConfirmLimits,
    DiagnosticLevel,
    Location,
    LocationKind,
    Plugins,
    locations_on,
    survey,
)
from plugwright.plugins import SINK as SINK_TYPE

SINK = """
from plugwright import SinkConnector
class A(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""
PROVIDER = "from plugwright import ConfigProvider\nclass P(ConfigProvider): get = 0\n"
LIMITS = ConfirmLimits(wall_s=5, memory=1 << 30)


def _rows(found):
    return [(p.plugin.class_name, bool(p.manifest), p.loadable, p.reason) for p in found.plugins]


def _look(shop, **options):
    (found,) = survey([shop.location], limits=LIMITS, **options)
    assert found.location == shop.location
    return found


def _declared(shop, *values, kind="SinkConnector"):
    lines = "".join(f"n{number} = {value}\n" for number, value in enumerate(values))
    shop.distribution(entry_points=f"[plugwright.{kind}]\n{lines}")


@pytest.mark.parametrize("declared", [False, True])
def test_without_imports_nothing_is_known_to_be_loadable(place, declared):
    """Nor is anything imported."""
    shop = place()
    shop.module("mart", f"raise SystemExit\n{SINK}")
    if declared:
        _declared(shop, "mart:A")
    found = _look(shop, imports=False)
    assert _rows(found) == [("mart.A", declared, None, "static")]
    assert "mart" not in sys.modules


def test_without_imports_what_only_running_tells_says_why(place):
    """With the reason of the scan."""
    shop = place()
    shop.module("mart", f"{SINK}B = type('B', (A,), {{}})\n")
    assert _rows(_look(shop, imports=False)) == [
        ("mart.A", False, None, "static"),
        ("mart.B", False, None, "type-call"),
    ]


@pytest.mark.parametrize(
    "pattern", ["shop.tests", "*.tests", "shop/tests", "shop/*", "shop.tests.*", "*.py"]
)
def test_what_a_pattern_excludes_is_not_scanned(place, pattern):
    """Case 55: by module, package, file or directory."""
    shop = place()
    (shop.path / "shop" / "tests").mkdir(parents=True)
    (shop.path / "shop" / "tests" / "deep.py").write_text(SINK)
    assert len(_look(shop, imports=False).plugins) == 1
    assert _look(shop, imports=False, exclude=[pattern]).plugins == []


@pytest.mark.parametrize("link", ["a_link", "a/deep/link"])
def test_a_package_keeps_its_name_beside_a_link_to_it(place, link):
    """The link comes first in the alphabet."""
    shop = place()
    (shop.path / "mart").mkdir()
    (shop.path / "mart" / "__init__.py").write_text(SINK)
    (shop.path / link).parent.mkdir(parents=True, exist_ok=True)
    (shop.path / link).symlink_to(shop.path / "mart")
    assert _rows(_look(shop, imports=False)) == [("mart.A", False, None, "static")]


def test_a_pattern_does_not_exclude_what_a_manifest_declares(place):
    """Only the scan leaves it out."""
    shop = place()
    shop.module("mart", f"{SINK}class B(A): pass\n")
    _declared(shop, "mart:B")
    assert _rows(_look(shop, imports=False, exclude=["mart"])) == [("mart.B", True, None, "static")]


@pytest.mark.slow
def test_a_pattern_also_holds_for_modules_that_are_imported(place):
    """The neighbour of a declared class stays excluded."""
    shop = place()
    shop.module("mart", f"{SINK}class B(A): pass\n")
    _declared(shop, "mart:B")
    assert _rows(_look(shop, exclude=["mart"])) == [("mart.B", True, True, "")]


@pytest.mark.slow
def test_a_class_counts_once_under_the_module_that_defines_it(place):
    """Case 54: with the manifest that names the re-export, and the owner by RECORD."""
    shop = place()
    (shop.path / "pkg").mkdir()
    (shop.path / "pkg" / "__init__.py").write_text("from pkg.impl import A\n")
    (shop.path / "pkg" / "impl.py").write_text(SINK)
    _declared(shop, "pkg:A")
    owner = shop.distribution("owner", "3.0", entry_points=None)
    (owner / "RECORD").write_text("pkg/__init__.py,,\npkg/impl.py,,\n")
    (row,) = _look(shop).plugins
    assert (row.plugin.class_name, row.plugin.distribution, row.plugin.version) == (
        "pkg.impl.A", "owner", "3.0",
    )  # fmt: skip
    assert (row.manifest.class_name, row.manifest.version) == ("pkg.A", "1.0")
    assert row.loadable


EVIDENCE = {
    "gone:A": "module-missing",
    "mart.gone:A": "module-missing",
    "mart:Gone": "name-missing",
    "mart:number": "not-class",
    "mart:Other": "wrong-base",
    "mart:Virtual": "wrong-base",
    "mart:Abstract": "abstract",
    "mart:Needy": "needs-arguments",
}
TEXT = f"""{SINK}
number = 1
class Other: pass
class Virtual: pass
SinkConnector.register(Virtual)
class Abstract(SinkConnector): pass
class Needy(A):
    def __init__(self, x): ...
"""


@pytest.mark.slow
def test_what_proves_a_manifest_wrong_is_reported_apart(place):
    """Each reason is evidence."""
    shop = place()
    shop.module("mart", TEXT)
    _declared(shop, *EVIDENCE)
    found = {p.manifest.entry_name: p for p in _look(shop).plugins if p.manifest}
    reasons = {f"n{number}": reason for number, reason in enumerate(EVIDENCE.values())}
    assert {name: row.reason for name, row in found.items()} == reasons
    assert {row.loadable for row in found.values()} == {False}
    assert set(reasons.values()) == ABSENT_REASONS


@pytest.mark.slow
@pytest.mark.parametrize("editable", [True, False])
def test_code_that_is_elsewhere_is_no_evidence(place, editable):
    """What an editable install links to is not on the import path, but it exists."""
    shop = place()
    _declared(shop, "mart:A")
    origin = {"url": "file:///src", "dir_info": {"editable": editable}}
    (shop.path / "shop-1.0.dist-info" / "direct_url.json").write_text(json.dumps(origin))
    reason = "editable" if editable else "module-missing"
    assert _rows(_look(shop)) == [("mart.A", True, False, reason)]
    assert "editable" not in ABSENT_REASONS
    found = Plugins.discover([shop.path])
    stale = next(d for d in found.diagnostics if "the manifest of shop declares" in d.message)
    assert (stale.code, stale.hint) == (
        ("editable", "install the package itself into the location")
        if editable
        else ("target-missing", "correct the entry point, or fix the class")
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", ["mart.cpython-27m-x86_64-linux-gnu.so", "mart.cp27-win32.pyd", "mart/__init__.x.so"]
)
def test_a_module_for_another_python_is_no_evidence(place, file):
    """It is there for others."""
    shop = place()
    (shop.path / file).parent.mkdir(exist_ok=True)
    (shop.path / file).write_bytes(b"no library")
    _declared(shop, "mart:A")
    assert _rows(_look(shop)) == [("mart.A", True, False, "import-error")]


HIDDEN = {
    "by a package of the host": ("packaging/deep.py", ""),
    "by a module": ("mart/deep.py", "mart.py"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("file", "other"), HIDDEN.values(), ids=HIDDEN)
def test_a_module_behind_another_one_is_no_evidence(place, file, other):
    """Where the other one is missing it can be imported."""
    shop = place()
    (shop.path / file).parent.mkdir()
    (shop.path / file).write_text(SINK)
    if other:
        (shop.path / other).touch()
    module = file.removesuffix(".py").replace("/", ".")
    _declared(shop, f"{module}:A")
    found = _look(shop)
    assert _rows(found) == [(f"{module}.A", True, False, "import-error")]
    top = module.partition(".")[0]
    assert found.diagnostics[-1].hint == (
        f"rename one of the modules called {top}: one hides the other"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["**", "/", "..", "a\0b", "*.x"])
def test_the_name_that_an_error_tells_is_not_looked_for_as_a_file(place, name):
    """A plugin can make it anything."""
    shop = place()
    shop.module("mart", f"{SINK}raise ModuleNotFoundError('x', name={name!r})\n")
    _declared(shop, "mart:A")
    assert _rows(_look(shop)) == [("mart.A", True, False, "import-error")]


FAILURES = {
    "import-error": ("import nowhere_to_be_found", False),
    "import-exit": ("raise SystemExit(3)", False),
    "import-crash": ("import os; os.abort()", None),
    "import-memory": ("x = bytearray(2 << 30)", None),
    "import-timeout": ("while True: pass", None),
}


@pytest.mark.slow
@pytest.mark.parametrize(("code", "case"), FAILURES.items(), ids=FAILURES)
def test_a_failed_import_is_no_evidence(place, code, case):
    """Cases 56 to 58, 64 and 65: it may succeed elsewhere; the class is listed all the same."""
    shop, (text, loadable) = place(), case
    shop.module("mart", f"{SINK}\n{text}\n")
    _declared(shop, "mart:A")
    (found,) = survey([shop.location], limits=ConfirmLimits(wall_s=1.5, memory=1 << 30))
    assert _rows(found) == [("mart.A", True, loadable, code)]
    assert [d.code for d in found.diagnostics] == [code]
    assert code not in ABSENT_REASONS


@pytest.mark.slow
def test_a_module_that_another_hides_is_judged_by_its_own_import(place):
    """What it meets behind the other one proves nothing against it."""
    shop = place()
    shop.module("a_first", f"{SINK}import sys\nsys.path.clear()\n")
    shop.module("mart", SINK)
    _declared(shop, "mart:A")
    assert ("mart.A", True, True, "") in _rows(_look(shop))


@pytest.mark.slow
def test_a_class_is_not_to_blame_for_a_broken_re_export(place):
    """It is loadable from where it is defined, and only the manifest is wrong."""
    shop = place()
    shop.module("impl", SINK)
    shop.module("facade", "from impl import A\n1 / 0\n")
    _declared(shop, "facade:A")
    assert _rows(_look(shop)) == [
        ("facade.A", True, False, "import-error"),
        ("impl.A", False, True, ""),
    ]


@pytest.mark.slow
def test_a_broken_class_without_a_manifest_is_listed_with_the_reason(place):
    """So that a message can say why it is missing."""
    shop = place()
    shop.module("mart", f"{SINK}\nimport nowhere_to_be_found\n")
    assert _rows(_look(shop)) == [("mart.A", False, False, "import-error")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["class B(make(A)): pass", "class B(*[A]): pass", "B = type('B', (A,), {})"],
    ids=["factory", "starred", "type"],
)
def test_what_the_text_leaves_open_the_import_decides(place, text):
    """Case 44: whichever way the class is made."""
    shop = place()
    shop.module("mart", f"{SINK}def make(base): return base\n{text}\n")
    assert _rows(_look(shop)) == [("mart.A", False, True, ""), ("mart.B", False, True, "")]


@pytest.mark.slow
def test_a_constructor_is_not_called(place):
    """Case 66: one that raises is found out when the plugin is made."""
    shop = place()
    shop.module("mart", f"{SINK}    def __init__(self): raise ValueError\n")
    assert _rows(_look(shop)) == [("mart.A", False, True, "")]


EXTENSION = """
#include <Python.h>
static int fill(PyObject *module) {
    PyObject *done = PyRun_String(%s, Py_file_input, PyModule_GetDict(module),
                                  PyModule_GetDict(module));
    Py_XDECREF(done);
    return done ? 0 : -1;
}
static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "fast", NULL, 0, NULL, slots};
PyMODINIT_FUNC PyInit_fast(void) { return PyModuleDef_Init(&definition); }
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_compiled_module_is_confirmed_by_import(place):
    """Case 52: its text tells nothing."""
    shop = place()
    source = shop.path / "fast.c"
    source.write_text(EXTENSION % json.dumps(SINK))
    target = shop.path / f"fast{EXTENSION_SUFFIXES[0]}"
    include = sysconfig.get_path("include")
    command = ["cc", "-shared", "-fPIC", f"-I{include}", str(source), "-o", str(target)]
    subprocess.run(command, check=True)  # the compiler, found above
    assert _rows(_look(shop)) == [("fast.A", False, True, "")]
    assert _look(shop, imports=False).plugins == []


def test_a_manifest_without_its_class_is_found_out_by_loading(place):
    """Case 72: the error names location and class."""
    shop = place()
    shop.module("mart_72", SINK)
    _declared(shop, "mart_72:Gone")
    found = Plugins.service_load([shop.path])
    assert found.diagnostics == []
    with pytest.raises(DiscoveryError, match=r"has no Gone") as caught:
        found.load(found.find("mart_72.Gone", SINK_TYPE))
    assert caught.value.facts["location"] == str(shop.path)
    assert str(shop.path) in str(caught.value)


@pytest.mark.slow
def test_config_providers_are_confirmed_if_declared(place):
    """Case 71: and are not looked for otherwise."""
    shop, other = place(), place("other")
    shop.module("mart", PROVIDER)
    other.module("mart", f"{SINK}{PROVIDER}")
    _declared(shop, "mart:P", "mart:Gone", kind="ConfigProvider")
    declared, undeclared = survey([shop.location, other.location])
    assert _rows(declared) == [
        ("mart.Gone", True, False, "name-missing"),
        ("mart.P", True, True, ""),
    ]
    assert _rows(undeclared) == [("mart.A", False, True, "")]


@pytest.mark.slow
def test_a_class_of_two_kinds_is_listed_as_both(place):
    """Case 117: whichever of them its manifest names."""
    shop = place()
    text = "from plugwright.converters import StringConverter\nclass C(StringConverter): pass\n"
    shop.module("mart", f"# Converter\n{text}")
    _declared(shop, "mart:C", kind="Converter")
    assert [(p.plugin.type.name, bool(p.manifest)) for p in _look(shop).plugins] == [
        ("converter", True),
        ("header_converter", False),
    ]


@pytest.mark.slow
def test_a_host_class_that_a_manifest_names_keeps_the_name(place):
    """A re-export of the runtime's own class is loadable under the location's module."""
    shop = place()
    shop.module("mart", "from plugwright.converters import StringConverter\n")
    _declared(shop, "mart:StringConverter", kind="Converter")
    assert _rows(_look(shop)) == [("mart.StringConverter", True, True, "")]


@pytest.mark.parametrize("imports", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_plugin_for_another_python_is_not_loadable(place, imports):
    """Case 39: its module is not imported because of its manifest, and nothing proves it absent."""
    shop = place()
    shop.module("mart", "raise SystemExit\n")
    _declared(shop, "mart:A")
    (metadata,) = shop.path.glob("*.dist-info/METADATA")
    metadata.write_text("Name: shop\nVersion: 1.0\nRequires-Python: >=99\n\n")
    found = _look(shop, imports=imports)
    assert _rows(found) == [("mart.A", True, False, "requires-python")]
    assert [d.code for d in found.diagnostics] == ["requires-python"]
    assert "requires-python" not in ABSENT_REASONS


@pytest.mark.slow
def test_plugins_are_ordered_by_class_name(place):
    """Whatever the order of manifests and files."""
    shop = place()
    shop.module("zeta", SINK)
    shop.module("alpha", SINK)
    _declared(shop, "zeta:A")
    assert [p.plugin.class_name for p in _look(shop).plugins] == ["alpha.A", "zeta.A"]


def test_a_location_without_anything_has_no_plugins(tmp_path):
    """Nor does one that cannot be read."""
    locations = [
        Location(tmp_path, LocationKind.EMPTY),
        Location(tmp_path / "no", LocationKind.UNREADABLE),
    ]
    found = survey(locations)
    assert [(s.location, s.plugins, s.diagnostics) for s in found] == [
        (location, [], []) for location in locations
    ]


@pytest.mark.slow
def test_locations_are_apart_and_in_order(place):
    """The same module name in several is imported from each, in a process of its own."""
    places = [place(f"c/shop{number}") for number in range(6)]
    for number, shop in enumerate(places):
        shop.module("mart", SINK.replace("class A", f"class A{number}"))
    found = survey([shop.location for shop in places])
    assert [_rows(each) for each in found] == [
        [(f"mart.A{number}", False, True, "")] for number in range(6)
    ]
    assert all(each.seconds > 0 for each in found)


@pytest.mark.slow
@pytest.mark.parametrize("manifests", [False, True])
def test_every_plugin_of_a_large_path_is_proved(tmp_path, manifests):
    """None is taken for loadable that has not been imported, and none is lost."""
    path = make_plugin_path(tmp_path / "path", 5, 39, manifests=manifests)
    found = survey(locations_on([path]))
    rows = [row for each in found for row in each.plugins]
    assert len(rows) == len({(row.plugin.location.path, row.plugin.class_name) for row in rows})
    assert [(row.loadable, bool(row.manifest)) for row in rows] == [(True, manifests)] * 195
    assert [row.plugin.version for row in rows] == ["1.0"] * 195
    assert not any(each.diagnostics for each in found)


def test_one_text_is_parsed_at_a_time(place, monkeypatch):
    """Python 3.11 fails now and then if two threads parse (cpython#106905)."""
    busy, overlaps, real = threading.Lock(), [], ast.parse

    def parse(*arguments, **options):
        overlaps.append(not busy.acquire(blocking=False))
        time.sleep(0.001)
        busy.release()
        return real(*arguments, **options)

    monkeypatch.setattr(ast, "parse", parse)
    places = [place(f"c/shop{number}") for number in range(8)]
    for shop in places:
        shop.module("mart", SINK)
    survey([shop.location for shop in places], imports=False)
    assert len(overlaps) >= 8
    assert not any(overlaps)


@pytest.mark.slow
def test_a_file_that_no_distribution_lists_is_marked(place):
    """Case 55: if the location has distributions that list theirs."""
    shop = place()
    shop.module("mart", SINK)
    shop.module("listed", SINK)
    assert _look(shop).diagnostics == []
    (shop.distribution(entry_points=None) / "RECORD").write_text("listed.py,,\n")
    (finding,) = _look(shop).diagnostics
    assert (finding.level, finding.code, finding.file) == (
        DiagnosticLevel.NOTE,
        "unrecorded",
        "mart.py",
    )


@pytest.mark.slow
def test_failures_of_one_cause_are_one_diagnostic(place):
    """With the first module in full, three more by name, and their number."""
    shop = place()
    for name in "abcdef":
        shop.module(name, f"{SINK}\nimport nowhere\n")
    found = _look(shop)
    assert len(found.plugins) == 6
    (finding,) = found.diagnostics
    assert finding.message == (
        "importing a failed: ModuleNotFoundError: No module named 'nowhere'"
        "; so did 5 others: b, c, d, ..."
    )
    assert (finding.file, finding.line) == ("a.py", 6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plugwright", "typing"])
def test_a_bundled_runtime_or_standard_module_is_not_taken(place, name):
    """Cases 68 and 69: the host's is used, and a bundled runtime is noted."""
    shop = place()
    (shop.path / name).mkdir()
    (shop.path / name / "__init__.py").write_text("raise ValueError\n")
    shop.module("mart", f"import typing\n{SINK}")
    found = _look(shop)
    assert _rows(found) == [("mart.A", False, True, "")]
    codes = ["api-bundled"] if name == "plugwright" else []
    assert [d.code for d in found.diagnostics] == codes
    shutil.rmtree(shop.path / name)
    assert _look(shop).diagnostics == []
