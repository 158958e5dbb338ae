"""Files that import each other in a circle are read as one, for types alone too: none is large."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "conformance/plugwright_conformance",
    "runtime/plugwright",
    "toolkit/plugwright_toolkit",
)
"""Those whose circles are held small."""
MOST_FILES = 3


def modules_of(root: Path) -> dict[str, Path]:
    """Every file of a package, by the dotted name of its module."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        name = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The modules that a file names in any import, wherever it stands."""
    home = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(home.split(".")[: len(home.split(".")) - node.level + 1])
            base = ".".join(filter(None, [above if node.level else "", node.module]))
            inner = {f"{base}.{alias.name}" for alias in node.names}
            found |= inner & known.keys() or {base}
    return (found & known.keys()) - {name}


def circles(root: Path) -> list[list[str]]:
    """Sets of files each of which leads to each other, by their imports."""
    known = modules_of(root)
    arrows = {name: imported(name, path, known) for name, path in known.items()}
    reach = {name: reachable(name, arrows) for name in arrows}
    found = {
        tuple(sorted(other for other in reach[name] if name in reach[other])) for name in arrows
    }
    return sorted(list(circle) for circle in found if len(circle) > 1)


def reachable(start: str, arrows: dict[str, set[str]]) -> set[str]:
    """Where the arrows lead from a module, itself only if they come back."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = arrows[waiting.pop()] - seen
        seen |= fresh
        waiting += fresh
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_no_circle_has_more_than_three_files(package):
    """Imports for types count, because who reads follows them too."""
    assert [circle for circle in circles(ROOT / package) if len(circle) > MOST_FILES] == []


def test_circle_through_types_is_seen(tmp_path):
    """Four files, one of them tied by a type-only, relative import inside a function's reach."""
    package = tmp_path / "ring"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("from ring import b\n")
    (package / "b.py").write_text("import ring.c\n")
    (package / "c.py").write_text("def f():\n    from .d import x\n")
    (package / "d.py").write_text("if TYPE_CHECKING:\n    from ring.a import y\n")
    (package / "e.py").write_text("from ring.a import y\n")

    assert circles(package) == [["ring.a", "ring.b", "ring.c", "ring.d"]]
