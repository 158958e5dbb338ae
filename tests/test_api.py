"""The public surface is what it says: complete, sorted, documented, and light to import."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "plugwright": ROOT / "runtime/plugwright",
    "plugwright_toolkit": ROOT / "toolkit/plugwright_toolkit",
    "plugwright_conformance": ROOT / "conformance/plugwright_conformance",
}
HEAVY = (
    "confluent_kafka",
    "cookiecutter",
    "jinja2",
    "pandas",
    "pyarrow",
    "pyspark",
    "pytest",
    "rich",
)


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


@pytest.mark.parametrize(("name", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_a_module_says_what_it_is_for(name, path):
    """It begins with a sentence, and its ``__all__`` is sorted and names what is there."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    listed = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    ]

    assert (ast.get_docstring(tree) or "").rstrip().endswith((".", "``", "::", "|", ")", ">"))
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
    assert all(len(set(names)) == len(names) for names in listed)


@pytest.mark.parametrize("name", [name for name, path in MODULES if path.name == "__init__.py"])
def test_a_package_exports_what_it_lists(name):
    """Every listed name can be imported and is documented or a plain value."""
    package = importlib.import_module(name)

    missing = [each for each in getattr(package, "__all__", []) if not hasattr(package, each)]

    assert missing == []


def test_no_package_reaches_into_another_ones_private_modules():
    """Underscored modules are imported by their own package only (house rule 4)."""
    offences = []
    for name, path in MODULES:
        home = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            target = node.module if isinstance(node, ast.ImportFrom) and node.module else ""
            owner, _, last = target.rpartition(".")
            if last.startswith("_") and owner in {m for m, _ in MODULES} and owner != home:
                offences.append(f"{name} imports {target}")
    allowed = {"plugwright._version"}
    assert [each for each in offences if each.rpartition(" ")[2] not in allowed] == []


def test_the_authors_api_imports_nothing_heavy():
    """Importing plugwright loads the standard library and its own light dependencies only."""
    code = f"import sys, plugwright; print([m for m in {HEAVY!r} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_help_imports_nothing_heavy():
    """The list of commands is there without Spark, Kafka or a console library."""
    code = (
        "import sys, plugwright.cli\n"
        "try: plugwright.cli.main(['--help'])\n"
        f"except SystemExit: print([m for m in {HEAVY!r} if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "certify" in done.stdout
    assert done.stdout.strip().endswith("[]")
