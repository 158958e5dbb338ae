"""The static scan: what the text of a location tells about its classes."""

# ruff: noqa: E501  # a table of cases reads best with one case a line

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.plugins import Location, ScanState, resolving, scan

BODY = "\n    version = config = start = stop = task_class = task_configs = None\n"
IMPORT = "from plugwright import SinkConnector\n"


@pytest.fixture
def judge(tmp_path):
    """Writes files and scans them: what is said of each class."""

    def run(text="", **files):
        for name, data in ({"shop": text} | files).items():
            path = tmp_path.joinpath(*name.split("__DOT__")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
        verdicts, _ = scan(Location(tmp_path))
        return {f"{v.module}.{v.qualname}": _said(v) for v in verdicts}

    return run


def _said(verdict):
    if verdict.state is ScanState.PLUGIN:
        return "+".join(kind.name for kind in verdict.kinds)
    return f"{verdict.state.value}:{verdict.reason}"


PLUGINS = {
    "direct": f"{IMPORT}class A(SinkConnector):{BODY}",
    "aliased": f"from plugwright import SinkConnector as S\nclass A(S):{BODY}",
    "module-attribute": f"import plugwright as p\nclass A(p.SinkConnector):{BODY}",
    "submodule": f"import plugwright.connector\nclass A(plugwright.connector.SinkConnector):{BODY}",
    "generic": f"{IMPORT}class A(SinkConnector[int]):{BODY}",
    "mixin": f"{IMPORT}class M: pass\nclass A(M, SinkConnector):{BODY}",
    "metaclass": f"import abc\n{IMPORT}class A(SinkConnector, metaclass=abc.ABCMeta):{BODY}",
    "try-import": f"try:\n {IMPORT}except ImportError:\n SinkConnector = object\nclass A(SinkConnector):{BODY}",
    "try-else": f"try:\n import x\nexcept ImportError:\n pass\nelse:\n {IMPORT}class A(SinkConnector):{BODY}",
    "assigned": f"{IMPORT}Base = SinkConnector\nclass A(Base):{BODY}",
    "within-with": f"{IMPORT}with x:\n class A(SinkConnector): version=config=start=stop=task_class=task_configs=0",
    "within-if": f"{IMPORT}if x:\n class A(SinkConnector): version=config=start=stop=task_class=task_configs=0",
    "within-try": f"{IMPORT}try:\n class A(SinkConnector): version=config=start=stop=task_class=task_configs=0\nexcept ValueError: pass",
    "rebound-later": f"{IMPORT}class A(SinkConnector):{BODY}SinkConnector = object\n",
    "external-mixin": f"import logging\n{IMPORT}class A(SinkConnector, logging.Handler):{BODY}",
    "unresolved-mixin": f"from nowhere import M\n{IMPORT}class A(M, SinkConnector):{BODY}",
    "star": f"from plugwright.connector import *\nclass A(SinkConnector):{BODY}",
}  # fmt: skip


@pytest.mark.parametrize("text", PLUGINS.values(), ids=PLUGINS)
def test_a_base_is_recognised_however_it_is_written(judge, text):
    """Cases 40 to 43: as Python would resolve it."""
    assert judge(text)["shop.A"] == "sink"


OTHERS = {
    "rebound": (f"{IMPORT}SinkConnector = object\nclass A(SinkConnector): pass", "not:unrelated"),
    "own-name": ("# plugwright\nclass SinkConnector: pass\nclass A(SinkConnector): pass", "not:unrelated"),
    "abstract": (f"{IMPORT}class A(SinkConnector): pass", "not:abstract"),
    "own-abstract": (f"from abc import abstractmethod\n{IMPORT}class A(SinkConnector):{BODY}    @abstractmethod\n    def x(self): ...", "not:abstract"),
    "registered": (f"import abc\n{IMPORT}class A(abc.ABC): pass\nSinkConnector.register(A)", "not:unrelated"),
    "type-checking": ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n from plugwright import SinkConnector\nelse:\n SinkConnector = object\nclass A(SinkConnector): pass", "not:unrelated"),
    "circle": ("# plugwright SinkConnector\nimport shop\nclass A(shop.B): pass\nclass B(A): pass", "not:unrelated"),
    "protocol": (f"from typing import Protocol\n{IMPORT}class A(SinkConnector, Protocol):{BODY}", "not:protocol"),
    "circular-import": (f"{IMPORT}from shop import B\nclass A(B): pass", "unknown:circular-import"),
    "factory": (f"{IMPORT}class A(make(SinkConnector)): pass", "unknown:dynamic-base"),
    "starred": (f"{IMPORT}class A(*[SinkConnector]): pass", "unknown:dynamic-base"),
    "type": (f"{IMPORT}A = type('A', (SinkConnector,), {{}})", "unknown:type-call"),
    "made": (f"{IMPORT}A = extend(SinkConnector)", "unknown:dynamic-base"),
    "missing": ("# plugwright SinkConnector\nfrom nowhere import B\nclass A(B): pass", "unknown:unresolved-base"),
    "star-external": ("# plugwright SinkConnector\nfrom nowhere import *\nclass A(B): pass", "unknown:star-external"),
    "maybe-abstract": (f"{IMPORT}from nowhere import M\nclass A(M, SinkConnector): pass", "unknown:unresolved-base"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), OTHERS.values(), ids=OTHERS)
def test_what_is_no_plugin_or_cannot_be_determined_says_why(judge, text, said):
    """Cases 44, 45, 46, 47 and 49: only the unknown ones will be imported."""
    assert judge(text)["shop.A"] == said


def test_an_underscore_makes_a_class_private(judge):
    """Case 48: also of one within another."""
    text = f"{IMPORT}class _A(SinkConnector):{BODY}    class B(SinkConnector): pass\n"
    assert judge(text) == {"shop._A": "not:underscore", "shop._A.B": "not:underscore"}


def test_a_deleted_class_is_none(judge):
    """Case 45: it could not be imported by name."""
    assert judge(f"{IMPORT}class A(SinkConnector):{BODY}del A") == {}


def test_a_class_within_a_class_is_found(judge):
    """Case 43: under its dotted name."""
    inner = "class B(SinkConnector): version=config=start=stop=task_class=task_configs=0"
    assert judge(f"{IMPORT}class A:\n    {inner}") == {
        "shop.A": "not:unrelated",
        "shop.A.B": "sink",
    }


def test_a_class_may_be_of_two_kinds(judge):
    """In Kafka's order."""
    text = "import plugwright\nclass A(plugwright.converters.StringConverter): pass"
    assert judge(text + "\n# Converter") == {"shop.A": "converter+header_converter"}


def test_config_providers_are_not_scanned_for(judge):
    """Kafka finds them by manifests only."""
    assert judge("from plugwright import ConfigProvider\nclass A(ConfigProvider): get = 0") == {}


def test_a_base_in_another_distribution_is_followed(judge):
    """Case 41: whose heir need not mention us at all."""
    base = f"{IMPORT}class Middle(SinkConnector): pass"
    found = judge(f"from helper import Middle\nclass A(Middle):{BODY}", helper=base)
    assert found == {"helper.Middle": "not:abstract", "shop.A": "sink"}


def test_a_base_in_a_package_of_the_host_is_followed(judge, tmp_path_factory, monkeypatch):
    """Case 42: one that is installed beside the runtime."""
    host = tmp_path_factory.mktemp("host")
    (host / "shared_base.py").write_text(f"{IMPORT}class Middle(SinkConnector): pass\n")
    roots = [*resolving.host_roots(), host]
    monkeypatch.setattr(resolving, "host_roots", lambda: roots)
    text = f"# plugwright SinkConnector\nfrom shared_base import Middle\nclass A(Middle):{BODY}"
    assert judge(text) == {"shop.A": "sink"}


def test_relative_imports_and_re_exports_are_followed(judge):
    """Cases 40, 53, 54 and 55: the class counts once, where it is defined.

    A package needs no ``__init__``, and may be called ``tests``.
    """
    found = judge(
        ns__DOT__pkg__DOT____init__="from .deep import Base as Root\nfrom .impl import A",
        ns__DOT__pkg__DOT__deep=f"{IMPORT}class Base(SinkConnector): pass",
        ns__DOT__pkg__DOT__impl=f"from . import Root\nclass A(Root):{BODY}",
        ns__DOT__pkg__DOT__tests__DOT__deeper="from ..impl import A\nclass B(A): pass",
    )  # fmt: skip
    assert found == {
        "ns.pkg.deep.Base": "not:abstract", "ns.pkg.impl.A": "sink", "ns.pkg.tests.deeper.B": "sink",
    }  # fmt: skip


def test_a_circle_of_inheritance_across_modules_ends(judge):
    """Case 50: it is no plugin."""
    text = "# plugwright SinkConnector\nfrom {} import {}\nclass {}({}): pass"
    found = judge(text.format("b", "B", "A", "B"), b=text.format("shop", "A", "B", "A"))
    assert found == {"shop.A": "not:unrelated", "b.B": "not:unrelated"}


@pytest.mark.parametrize(
    "data",
    [
        b"# plugwright SinkConnector\n\0",
        b"# coding: nonsense\n# plugwright SinkConnector\n",
        b"# plugwright SinkConnector\nclass\n",
        b"# plugwright SinkConnector\nx = " + b"1+" * 10000 + b"1",
        b"# plugwright SinkConnector\nx = " + b"(" * 10000 + b"1" + b")" * 10000,
        b"# plugwright SinkConnector\n\xff",
    ],
    ids=["nul", "cookie", "syntax", "long-sum", "parentheses", "encoding"],
)
def test_a_module_that_does_not_parse_hides_no_other(judge, tmp_path, data):
    """Case 51: it is noted."""
    assert judge(bad=data, good=PLUGINS["direct"])["good.A"] == "sink"
    _, findings = scan(Location(tmp_path))
    assert [(f.code, f.file) for f in findings] == [("scan-syntax", "bad.py")]


def test_a_long_chain_of_names_ends(judge):
    """Whatever the interpreter's stack allows."""
    chain = "".join(f"a{n + 1} = a{n}\n" for n in range(5000))
    judge(f"{IMPORT}a0 = SinkConnector\n{chain}class A(a5000): pass", good=PLUGINS["direct"])


def test_nothing_is_imported_by_the_scan(judge):
    """It reads."""
    judge(f"{IMPORT}raise SystemExit\nclass A(SinkConnector):{BODY}")
    assert "shop" not in sys.modules


def test_a_compiled_module_that_names_us_must_be_imported(tmp_path):
    """Case 52: others are left alone."""
    (tmp_path / f"fast{EXTENSION_SUFFIXES[0]}").write_bytes(b"\0plugwright\0SinkConnector\0")
    (tmp_path / f"other{EXTENSION_SUFFIXES[0]}").write_bytes(b"\0numpy\0")
    (verdict,), _ = scan(Location(tmp_path))
    assert (verdict.module, verdict.state, verdict.reason) == (
        "fast",
        ScanState.UNKNOWN,
        "compiled",
    )


def test_a_bundled_runtime_and_standard_modules_are_not_scanned(judge, tmp_path):
    """Cases 68 and 69: Python would take the host's."""
    files = {"plugwright__DOT____init__": IMPORT, "logging": PLUGINS["direct"]}
    assert judge(PLUGINS["direct"], **files) == {"shop.A": "sink"}
    assert [f.code for f in scan(Location(tmp_path))[1]] == ["api-bundled"]


def test_links_in_a_circle_end_the_listing(tmp_path):
    """Each directory is read once."""
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "again").symlink_to(tmp_path)
    (tmp_path / "shop.py").write_text(PLUGINS["direct"])
    assert [v.module for v in scan(Location(tmp_path))[0]] == ["shop"]


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.tuples(*[st.integers(0, 6)] * 2), min_size=1, max_size=7))
def test_the_order_of_bases_is_pythons(tmp_path_factory, pairs):
    """A class is a plugin exactly if Python says that it inherits the base."""
    lines = []
    for number, pair in enumerate(pairs):
        bases = dict.fromkeys(f"C{n}" for n in sorted(pair, reverse=True) if n < number)
        lines.append(f"class C{number}({', '.join(bases) or 'Base' * (number % 2)}): pass\n")
    space = {}
    exec("class Base: pass\n" + "".join(lines), space)  # noqa: S102  # Python is the oracle
    root = tmp_path_factory.mktemp("c3")
    (root / "shop.py").write_text(
        "from plugwright import Transformation as Base\n" + "".join(lines)
    )
    found = {v.qualname: bool(v.kinds) for v in scan(Location(root))[0]}
    assert found == {
        name: space["Base"] in cls.__mro__ for name, cls in space.items() if name[0] == "C"
    }


def test_heirs_of_every_module_are_found(judge):
    """Case 41: of the last one that names us as of the first."""
    base = "{}class {}(SinkConnector): pass\n"
    found = judge(
        a=base.format(IMPORT, "First"),
        b=base.format(IMPORT, "Last"),
        c=f"from a import First\nclass A(First):{BODY}",
        d=f"from b import Last\nclass B(Last):{BODY}",
    )
    assert (found["c.A"], found["d.B"]) == ("sink", "sink")


def test_heirs_of_heirs_are_found_however_far(judge):
    """Each may be known by the one before only."""
    found = judge(
        f"{IMPORT}class A(SinkConnector):{BODY}",
        b="from shop import A\nclass B(A): pass",
        a="from b import B as Bee\nclass C(Bee): pass",
    )
    assert found == {"shop.A": "sink", "b.B": "sink", "a.C": "sink"}


@pytest.mark.parametrize(
    ("size", "codes"), [(4 << 20, []), ((4 << 20) + 1, ["scan-too-large"])], ids=["limit", "more"]
)
def test_a_huge_module_is_not_scanned(tmp_path, size, codes):
    """4 MiB is the limit."""
    (tmp_path / "data.py").write_bytes(b"#" * size)
    assert [finding.code for finding in scan(Location(tmp_path))[1]] == codes
