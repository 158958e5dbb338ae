"""The whole way of an author, with plugwright installed from its wheel and nothing of a checkout.

The environment gets the wheel by pip, without an index; what else it needs is that of the running
environment, behind its own packages on the path.
"""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

import plugwright_templates
from plugwright_templates import KINDS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def built(machine):
    """Makes a project of a kind with its wheel in ``dist``, once however the tests are spread."""

    @cache
    def built(kind):
        machine.run("plugwright", "new", f"my-{kind}", "--kind", kind, "--no-input")
        build = ("python", "-m", "hatchling", "build", "-t", "wheel", "-d", "dist")
        machine.run(*build, at=f"my-{kind}")

    return built


@pytest.fixture(params=KINDS)
def kind(request, built):
    """A kind, with a project of that name."""
    built(request.param)
    return request.param


def test_the_installed_code_is_the_one_under_test(machine):
    """Not that of the checkout."""
    where = machine.run("python", "-c", "import plugwright; print(plugwright.__file__)")
    assert "/venv/lib/" in where
    assert "/venv/lib/" in machine.run("plugwright", "new", "--print-template")


def test_the_whole_template_is_installed(machine):
    """Whatever a list of ignored files says, and nothing but it and what pip compiles."""
    installed = Path(machine.run("plugwright", "new", "--print-template").strip()).parent
    assert _files(installed) == _files(Path(plugwright_templates.__file__).parent)


def _files(directory):
    found = (path for path in directory.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(directory) for path in found}


def test_no_compiled_file_gets_into_a_project(machine, kind):
    """Pip has compiled the template."""
    template = Path(machine.run("plugwright", "new", "--print-template").strip())
    assert list(template.rglob("*.pyc"))
    project = machine.home / f"my-{kind}"
    assert (project / "pyproject.toml").exists()
    assert not list(project.rglob("*.pyc"))


def test_connect_plugin_path_shows_it_compatible(machine, kind):
    """Loadable, and with a manifest."""
    said = machine.run(
        "connect-plugin-path", "list", "--plugin-path", "dist", "--json", at=f"my-{kind}"
    )
    plugins = json.loads(said)["plugins"]
    assert len(plugins) == (2 if kind == "both" else 1)
    assert all(p["isLoadable"] and p["hasManifest"] for p in plugins)


def test_nothing_has_to_be_synchronized(machine, kind):
    """Workers with plugin.discovery=service_load find everything."""
    command = ("connect-plugin-path", "list", "--require-mode", "service_load")
    machine.run(*command, "--plugin-path", "dist", at=f"my-{kind}")


def test_the_conformance_test_passes(machine, kind):
    """Without an edit: the one of both connectors whole, the others as far as C1."""
    level = ("--conformance-level", "C1") if kind in {"source", "sink"} else ()
    said = machine.run("python", "-m", "pytest", "tests/conformance", *level, at=f"my-{kind}")
    passed = int(re.findall(r"(\d+) passed", said)[-1])
    assert (passed == 1) == (kind not in {"source", "sink", "both"})


ENDPOINT = {
    'raise NotImplementedError("start the system, return the settings that lead to it")': (
        'return {"directory": str(self._directory)}'
    ),
    'raise NotImplementedError("add the values, for a sink too: the endpoint itself is tried")': (
        'text = "".join(f"{value}\\n" for value in values)\n'
        '        (self._directory / "seeded.txt").write_bytes(text.encode())'
    ),
    'raise NotImplementedError("return the values, for the tests of a sink")': (
        "files = sorted(self._directory.iterdir())\n"
        '        return [line for f in files for line in f.read_bytes().decode().split("\\n")[:-1]]'
    ),
}
"""What the author of the legacy sink has to write."""


STRICT = (
    "        for record in records:\n            file =",
    """        for record in records:
            if record.value is None:
                continue  # a file of lines has nothing to delete
            if not isinstance(record.value, str):
                from plugwright import DataError

                raise DataError(f"a line is text, found {type(record.value).__name__}")
            file =""",
)
EXPLAINED = """

def _explained(call):
    @functools.wraps(call)
    def explained(*arguments):
        try:
            return call(*arguments)
        except OSError as error:
            raise ConnectError(f"the directory cannot be written: {error}") from error

    return explained


for _name in ("open", "put", "flush", "close"):
    setattr(LegacySinkTask, _name, _explained(getattr(LegacySinkTask, _name)))
"""


@pytest.fixture(scope="session")
def legacy(machine):
    """The legacy sink, packaged; no test may change it."""
    source = ROOT / "plugin-path" / "legacy-sink"
    machine.run("plugwright", "new", "--from-legacy", str(source))
    return machine.home / "legacy-sink"


def test_a_packaged_legacy_sink_is_found_and_loads(machine, legacy):
    """At once."""
    said = machine.run("python", "-m", "pytest", "tests/test_discovery.py", at=legacy)
    assert "1 passed" in said


@pytest.fixture(scope="session")
def repaired(machine, legacy):
    """Its endpoint is written; it refuses what is no text, and explains a full disk."""
    project = shutil.copytree(legacy, machine.home / "repaired")
    code = project / "src" / "legacy_sink"
    driver = code / "testing.py"
    for placeholder, written in ENDPOINT.items():
        driver.write_text(driver.read_text().replace(placeholder, written))
    with (code / "conformance.toml").open("a") as declaration:
        declaration.write('excluded_characters = ["\\n"]\n')
    connector = code / "connector.py"
    text = (
        connector.read_text().replace(*STRICT).replace("import os", "import functools\nimport os")
    )
    connector.write_text(text.replace("import ConfigDef", "import ConnectError, ConfigDef", 1))
    with connector.open("a") as file:
        file.write(EXPLAINED)
    return project


def test_a_packaged_legacy_sink_conforms_once_it_is_repaired(machine, repaired):
    """Its README is right as it was made."""
    said = machine.run("python", "-m", "pytest", "tests/test_conformance.py", at=repaired)

    assert int(re.findall(r"(\d+) passed", said)[-1]) > 40


@pytest.mark.drill
def test_a_repaired_legacy_sink_passes_the_whole_suite(machine, repaired):
    """Crashes at every point among it; all that needs neither Spark nor Kafka."""
    machine.run("python", "-m", "hatchling", "build", "-t", "wheel", "-d", "dist", at=repaired)
    (wheel,) = (repaired / "dist").iterdir()

    said = machine.run("plugwright", "certify", str(wheel), "--no-live", at=repaired)

    assert "FAIL" not in said
