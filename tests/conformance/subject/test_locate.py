"""A connector is found by its path, its project or its name, and nothing else is taken for it."""

from __future__ import annotations

import zipfile

import pytest

from plugwright.errors import DiscoveryError
from plugwright_conformance.subject.locate import built_wheel, declared, locate
from plugwright_conformance.subject.subject import open_subjects
from plugwright_conformance.subject.suite import ConformanceSuite

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "orders"
version = "1"

[tool.hatch.build.targets.wheel]
packages = ["orders"]
"""


@pytest.fixture
def project(tmp_path):
    """A project of one module."""
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "__init__.py").write_text("")
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    return tmp_path


def refusal(call):
    """The code of the error that a call ends with, and its message."""
    with pytest.raises(DiscoveryError) as raised:
        call()
    return raised.value.code, str(raised.value)


def test_path_is_itself(tmp_path, workspace):
    """Seen from the root directory."""
    (tmp_path / "location").mkdir()

    assert locate("location", tmp_path, workspace) == tmp_path / "location"


@pytest.mark.slow
def test_project_is_what_its_build_backend_makes_of_it(project, workspace):
    """Users install the wheel, so that is what is tested."""
    wheel = locate(".", project, workspace)

    assert wheel.name == "orders-1-py2.py3-none-any.whl"
    assert "orders/__init__.py" in zipfile.ZipFile(wheel).namelist()


@pytest.mark.slow
def test_wheel_is_put_beside_older_ones_and_a_backend_may_talk(project):
    """As in the dist of a project that was built before."""
    dist = project / "dist"
    dist.mkdir()
    (dist / "orders-0-py3-none-any.whl").write_bytes(b"old")
    (project / "talking.py").write_text(
        "from hatchling.build import *\nfrom hatchling import build\n\n\n"
        "def build_wheel(*where):\n    print('building')\n    return build.build_wheel(*where)\n"
    )
    text = (project / "pyproject.toml").read_text()
    backend = 'build-backend = "talking"\nbackend-path = ["."]'
    changed = text.replace('build-backend = "hatchling.build"', backend)
    assert changed != text
    (project / "pyproject.toml").write_text(changed)

    wheel = built_wheel(project, dist)

    assert wheel == dist / "orders-1-py2.py3-none-any.whl"
    assert zipfile.is_zipfile(wheel)


@pytest.mark.slow
def test_project_that_cannot_be_built_is_reported_with_the_reason(project, workspace):
    """In the words of whoever builds it."""
    file = project / "pyproject.toml"
    file.write_text(PROJECT.replace('"hatchling.build"', '"no_such_backend"'))

    code, message = refusal(lambda: locate(".", project, workspace))

    assert code == "conformance.build"
    assert message.endswith(
        "could be built: ModuleNotFoundError: No module named 'no_such_backend'"
    )


def test_installed_distribution_is_copied_without_what_lies_beside_it(tmp_path, workspace):
    """Its digest must not depend on what else is installed."""
    location = locate("pluggy", tmp_path, workspace)

    tops = sorted(path.name.partition("-")[0] for path in location.iterdir())
    assert tops == ["pluggy", "pluggy"]
    assert (location / "pluggy" / "__init__.py").is_file()


def test_unknown_name_is_refused(tmp_path, workspace):
    """It is no directory either."""
    code, message = refusal(lambda: locate("no-such-sink", tmp_path, workspace))

    assert code == "conformance.not-found"
    assert "no-such-sink is neither a directory, a wheel nor an installed distribution" in message


def test_second_declaration_is_refused(subject, workspace):
    """One of the two would be believed, and nobody knows which."""
    given = subject("file-sink").given
    suite = ConformanceSuite("file-sink", endpoint="plugwright_file_sink.testing:FileEndpoint")

    code, message = refusal(lambda: declared(given, suite, workspace))

    assert code == "declaration.twice"
    assert "is declared twice" in message


def test_declaration_of_a_test_file_is_read_as_one_of_a_package(subject, workspace, tmp_path):
    """Lists, tables, quotes and truth values are what they were."""
    good = subject("file-sink")
    (copy := tmp_path / "copy").mkdir()
    for file in good.given.rglob("*"):
        if file.is_file() and file.name != "conformance.toml" and file.suffix != ".pyc":
            (copy / file.relative_to(good.given)).parent.mkdir(parents=True, exist_ok=True)
            (copy / file.relative_to(good.given)).write_bytes(file.read_bytes())
    capabilities = {"types": ["string"], "parallel": True, "fields": {"a b": "int64"}}
    suite = ConformanceSuite("copy", None, "C2", "a.b:C", {"topics": 'a "b"'}, capabilities)

    (made,) = open_subjects(declared(copy, suite, workspace), workspace)

    assert made.declaration.endpoint == "a.b:C"
    assert made.declaration.config == {"topics": 'a "b"'}
    assert made.declaration.capabilities == capabilities
