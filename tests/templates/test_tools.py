"""The tools that a generated project is set up with find nothing wrong with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import plugwright
import plugwright_conformance
from plugwright_templates import KINDS, template

pytestmark = pytest.mark.slow

SCRIPTS = Path(sys.executable).parent
LONGEST = "a" * 32
ROOT = Path(__file__).parents[2]


VARIANTS = [
    *((kind, "at-least-once", "records") for kind in KINDS),
    ("both", "exactly-once", "records"),
    ("both", "at-least-once", "columns"),
    ("both", "exactly-once", "columns"),
]


@pytest.fixture(scope="module", params=VARIANTS, ids="-".join)
def copy(made, request, tmp_path_factory):
    """A project of each kind that tools may write into."""
    kind, delivery, batches = request.param
    project = made(kind, delivery=delivery, batches=batches)
    return shutil.copytree(project, tmp_path_factory.mktemp("copy") / "project")


def _run(project, *command, **environment):
    done = subprocess.run(
        [SCRIPTS / command[0], *command[1:]],
        cwd=project,
        env={**os.environ, "PYTEST_ADDOPTS": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def _search_path(project):
    """The project's code, and this checkout's, wherever the environment has another."""
    parts = (plugwright, plugwright_conformance)
    return os.pathsep.join(
        [str(project / "src"), *(str(Path(part.__file__).parents[1]) for part in parts)]
    )


@pytest.mark.parametrize("name", ["a", LONGEST], ids=["short", "longest"])
@pytest.mark.parametrize(("kind", "delivery", "batches"), VARIANTS)
def test_style_is_clean_whatever_the_name(made, kind, delivery, batches, name):
    """No line becomes too long, or short enough to be joined."""
    project = made(kind, name, delivery=delivery, batches=batches)

    assert _run(project, "ruff", "check", "--no-cache", "--quiet") == (0, "")
    assert _run(project, "ruff", "format", "--no-cache", "--quiet", "--diff") == (0, "")


def test_types_are_strict(copy, tmp_path_factory):
    """Of the package and of its tests; what they import is read once for all kinds."""
    cache = str(tmp_path_factory.getbasetemp() / "mypy")

    code, said = _run(copy, "mypy", MYPYPATH=_search_path(copy), MYPY_CACHE_DIR=cache)

    assert code == 0, said


def test_own_tests_pass(copy):
    """The README's tables among them; a warning would be an error."""
    code, said = _run(copy, "pytest", "-p", "no:cacheprovider", PYTHONPATH=_search_path(copy))

    assert code == 0, said
    assert "test_readme.py ." in said


def test_a_stale_table_is_found_and_written_anew(made, tmp_path):
    """The way that the test's own text tells."""
    project = shutil.copytree(made("source"), tmp_path / "project")
    readme = project / "README.md"
    good = readme.read_text("utf-8")
    readme.write_text(good.replace("`1000`", "`2000`"), "utf-8")
    check = ("pytest", "-p", "no:cacheprovider", "tests/unit/test_readme.py")

    code, said = _run(project, *check, PYTHONPATH=_search_path(project))
    assert (code, "after a change of settings: tox -e readme" in said) == (1, True)

    _run(project, "python", "tests/unit/test_readme.py", PYTHONPATH=_search_path(project))
    assert readme.read_text("utf-8") == good


def test_what_is_proprietary_is_valid_too(made):
    """With a licence that SPDX does not know, and a classifier that keeps it private."""
    said = _run(made("sink", "shop", "Proprietary"), "validate-pyproject", "pyproject.toml")

    assert said == (0, "Valid file: pyproject.toml\n")


def test_packaging_tools_are_content(copy):
    """Before and after the build."""
    code, said = _run(copy, "validate-pyproject", "pyproject.toml")
    assert (code, said) == (0, "Valid file: pyproject.toml\n")
    code, said = _run(copy, "python", "-m", "build", "--no-isolation")
    assert code == 0, said
    assert "Warning" not in said
    code, said = _run(copy, "check-wheel-contents", "dist")
    assert (code, said.endswith(": OK\n")) == (0, True)


@pytest.mark.parametrize("path", [template(), ROOT], ids=["template", "repository"])
def test_plain_cookiecutter_makes_the_same(made, tmp_path, path):
    """Its hooks remove what another kind needs; the repository's root leads to the template."""
    words = ["name=shop-both", "kind=both", "description=A both for tests", "author=Ada"]
    command = ["cookiecutter", "--no-input", "--output-dir", str(tmp_path), str(path)]

    code, said = _run(tmp_path, *command, *words, HOME=str(tmp_path))

    assert (code, said) == (0, "")
    assert _contents(tmp_path / "shop-both") == _contents(made("both"))


def test_a_template_may_be_named_by_a_relative_path(tmp_path):
    """As in a checkout, also from elsewhere by ``--directory``."""
    checkout = template().parents[2]
    relative = str(template().relative_to(checkout))
    command = ["cookiecutter", "--no-input", "--output-dir", str(tmp_path)]

    said = [
        _run(checkout, *command, relative, "name=one", HOME=str(tmp_path)),
        _run(checkout, *command, ".", "--directory", relative, "name=two", HOME=str(tmp_path)),
    ]

    assert said == [(0, ""), (0, "")]
    assert {path.name for path in tmp_path.glob("*/src/*/s*.py")} == {"source.py"}


def test_temporary_files_of_others_take_no_name(tmp_path):
    """Cookiecutter runs its hooks in their midst."""
    (tmp_path / "orders").mkdir()
    command = ["cookiecutter", "--no-input", "--output-dir", str(tmp_path / "out")]

    said = _run(
        tmp_path, *command, str(template()), "name=orders", HOME=str(tmp_path), TMPDIR=str(tmp_path)
    )

    assert said == (0, "")


def test_style_of_the_hooks_is_clean():
    """Though they stand where nothing else is looked at."""
    hooks = list(map(str, (template() / "hooks").glob("*.py")))

    assert _run(ROOT, "ruff", "check", "--no-cache", "--quiet", *hooks) == (0, "")
    assert _run(ROOT, "ruff", "format", "--no-cache", "--quiet", "--diff", *hooks) == (0, "")


def _contents(project):
    return {p.relative_to(project): p.read_bytes() for p in project.rglob("*") if p.is_file()}


def test_plain_cookiecutter_refuses_what_cannot_be_built(tmp_path):
    """With the same words, all at once, and nothing half-made."""
    words = ["name=json", "author=A `B`"]
    command = ["cookiecutter", "--no-input", "--output-dir", str(tmp_path), str(template())]

    code, said = _run(tmp_path, *command, *words, HOME=str(tmp_path))

    assert code == 1
    assert "'json' would be imported as json, which Python's own library has\n" in said
    assert "author may not contain '`'\n" in said
    assert not (tmp_path / "json").exists()
