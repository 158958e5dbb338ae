"""The public surface is what it says: complete, sorted, documented, and light to import."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import plugwright

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "plugwright": ROOT / "runtime/plugwright",
    "plugwright_toolkit": ROOT / "toolkit/plugwright_toolkit",
    "plugwright_conformance": ROOT / "conformance/plugwright_conformance",
}
FOLDERS = ("conformance", "plugin-path", "runtime", "toolkit")
"""Whose functions are short."""
MOST_LINES = 45

HEAVY = (
    "confluent_kafka",
    "cookiecutter",
    "cryptography",
    "jinja2",
    "pandas",
    "pyarrow",
    "pyspark",
    "pytest",
    "rfc8785",
    "rich",
    "starlette",
)

UNUSED = ("plugwright._api", "plugwright.config", "plugwright.schema", "plugwright.transforms")
"""What an author needs, and a list of commands does not."""


def modules() -> list[tuple[str, Path]]:
    """Dotted name and file of every module of the project."""
    return [
        (
            ".".join((name, *path.relative_to(root).with_suffix("").parts)).removesuffix(
                ".__init__"
            ),
            path,
        )
        for name, root in PACKAGES.items()
        for path in sorted(root.rglob("*.py"))
    ]


MODULES = modules()
NAMES = {name for name, _ in MODULES}
SOURCES = {name: path.read_text(encoding="utf-8") for name, path in MODULES}


@functools.cache
def syntax(name: str) -> ast.Module:
    """A module of the project, parsed once."""
    return ast.parse(SOURCES[name])


def shortcomings(name: str) -> list[str]:
    """What a module lacks that every module has."""
    tree = syntax(name)
    listed = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    ]
    ends = (".", "``", "::", "|", ")", ">")
    found = {
        "a sentence": not (ast.get_docstring(tree) or "").rstrip().endswith(ends),
        "at most 400 lines": len(SOURCES[name].splitlines()) > 400,
        "names listed once": any(len(set(names)) != len(names) for names in listed),
    }
    return [what for what, lacking in found.items() if lacking]


@pytest.mark.slow
def test_modules_say_what_they_are_for():
    """Each begins with a sentence, is of readable length, and lists its names once."""
    assert len(NAMES) > 400
    assert {name: lacks for name in sorted(NAMES) if (lacks := shortcomings(name))} == {}


def long_functions(tree: ast.Module) -> list[str]:
    """The functions of a module that are too long to be read at once."""
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > MOST_LINES
    ]


@pytest.mark.slow
def test_functions_are_short():
    """Those of the plugins too; docstring and signature count."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]

    assert len(files) > 800
    assert {
        str(path.relative_to(ROOT)): names
        for path in files
        if (names := long_functions(ast.parse(path.read_text(encoding="utf-8"))))
    } == {}


@pytest.mark.parametrize("begin", ["def f", "async def f", "class C:\n def f"])
@pytest.mark.parametrize(("lines", "found"), [(45, []), (46, ["f"])])
def test_long_function_is_seen(begin, lines, found):
    """Wherever it stands, from its first line to its last."""
    body = "\n".join(["  1"] * (lines - 1))

    assert long_functions(ast.parse(f"{begin}():\n{body}\n")) == found


def test_packages_export_what_they_list():
    """Every listed name can be imported and is documented or a plain value."""
    packages = [
        importlib.import_module(name) for name, path in MODULES if path.name == "__init__.py"
    ]

    assert {
        package.__name__: missing
        for package in packages
        if (missing := [n for n in getattr(package, "__all__", []) if not hasattr(package, n)])
    } == {}


@pytest.mark.slow
def test_no_package_reaches_into_another_ones_private_modules():
    """Underscored modules are imported by their own package only (house rule 4)."""
    offences = []
    for name, path in MODULES:
        home = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(syntax(name)):
            target = node.module if isinstance(node, ast.ImportFrom) and node.module else ""
            owner, _, last = target.rpartition(".")
            if last.startswith("_") and owner in NAMES and owner != home:
                offences.append(f"{name} imports {target}")
    allowed = {"plugwright._version"}
    assert [each for each in offences if each.rpartition(" ")[2] not in allowed] == []


def private_imports(text: str) -> list[str]:
    """The private modules and names of the project that a module imports."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("plugwright"):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [a.name for a in node.names if a.name.startswith("plugwright")]
    return [name for name in found if re.search(r"\._(?!_)", name)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from plugwright import __version__, errors", []),
        ("from plugwright.spark import (\n    _spec,\n)", ["plugwright.spark._spec"]),
        ("def f():\n    import plugwright._api", ["plugwright._api"]),
        ("from plugwright_lake._rows import Row", ["plugwright_lake._rows.Row"]),
    ],
)
def test_private_import_is_seen(text, found):
    """In each of its forms, wherever it stands."""
    assert private_imports(text) == found


@pytest.mark.slow
def test_tests_import_nothing_private():
    """What is tested by itself has a public name."""
    files = [path for path in (ROOT / "tests").rglob("*.py") if "foreign" not in path.parts]

    assert len(files) > 500
    assert {
        str(path.relative_to(ROOT)): names
        for path in files
        if (names := private_imports(path.read_text(encoding="utf-8")))
    } == {}


def test_the_authors_api_imports_nothing_heavy():
    """Importing plugwright loads the standard library and its own light dependencies only."""
    code = f"import sys, plugwright; print([m for m in {HEAVY!r} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_the_authors_api_is_whole_from_its_first_use():
    """Star imports, completion in a shell and typing errors are as for any module."""
    author = {}
    exec("from plugwright import *", author)  # noqa: S102  # what an author may write

    assert set(plugwright.__all__) - {"__version__"} <= {*author} & {*dir(plugwright)}
    with pytest.raises(AttributeError, match="module 'plugwright' has no attribute 'SinkTsk'"):
        _ = plugwright.SinkTsk


@pytest.mark.slow
def test_help_imports_nothing_heavy():
    """The list of commands is there without Spark, Kafka or a console library."""
    code = (
        "import sys, plugwright.cli\n"
        "try: plugwright.cli.main(['--help'])\n"
        f"except SystemExit: print([m for m in {(*HEAVY, *UNUSED)!r} if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "certify" in done.stdout
    assert done.stdout.strip().endswith("[]")
