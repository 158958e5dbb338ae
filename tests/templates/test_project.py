"""What a generated project is made of."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from plugwright_conformance.subject.declaration import FILE_NAME
from plugwright_templates import BATCHES, DELIVERIES, LICENSES, finish, template

pytestmark = pytest.mark.slow

COMMON = [
    ".github/workflows/ci.yml",
    ".gitignore",
    ".gitlab-ci.yml",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "tests/conformance/test_conformance.py",
    "tests/unit/test_readme.py",
]
CONNECTOR = ["conformance.toml", "journal.py", "testing.py"]
PARTS = {
    "source": [*CONNECTOR, "source.py"],
    "sink": [*CONNECTOR, "sink.py"],
    "both": [*CONNECTOR, "sink.py", "source.py"],
    "converter": ["converter.py"],
    "transformation": ["transformation.py"],
}
EXACT_PARTS = {
    "source": PARTS["source"],
    "sink": ["conformance.toml", "testing.py", "ledger.py", "sink.py"],
    "both": [*PARTS["both"], "ledger.py"],
    "converter": PARTS["converter"],
    "transformation": PARTS["transformation"],
}
"""The files of projects whose connectors deliver exactly once."""
GROUPS = {
    "source": {"plugwright.SourceConnector": "Source:SourceConnector"},
    "sink": {"plugwright.SinkConnector": "Sink:SinkConnector"},
    "both": {
        "plugwright.SinkConnector": "Both:SinkConnector",
        "plugwright.SourceConnector": "Both:SourceConnector",
    },
    "converter": {"plugwright.Converter": "Converter:Converter"},
    "transformation": {"plugwright.Transformation": "Transformation:Transformation"},
}
FIRST_LINES = {
    "Apache-2.0": "Apache License",
    "MIT": "MIT License",
    "BSD-3-Clause": "BSD 3-Clause License",
    "Proprietary": "Copyright (c) ",
}


def _files(project):
    return {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}


def _metadata(project):
    return tomllib.loads((project / "pyproject.toml").read_text("utf-8"))


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize(
    ("delivery", "expected"), [("at-least-once", PARTS), ("exactly-once", EXACT_PARTS)]
)
def test_a_project_has_the_files_of_its_kind(made, kind, delivery, expected):
    """And no others."""
    package = f"src/shop_{kind}"
    parts = [name for name in expected[kind] if name not in {"conformance.toml", "testing.py"}]
    tests = [f"tests/unit/test_{name}" for name in parts]
    always = [f"{package}/{name}" for name in ("__init__.py", "_version.py", "py.typed")]
    own = [f"{package}/{name}" for name in expected[kind]]
    assert _files(made(kind, delivery=delivery)) == {*COMMON, *tests, *always, *own}


def test_every_module_compiles(project):
    """Without a warning, such as that of an invalid escape."""
    for path in project.rglob("*.py"):
        compile(path.read_text("utf-8"), path, "exec", dont_inherit=True)


def test_nothing_of_the_template_is_left(project):
    """Neither its syntax nor a word that asks to be replaced."""
    text = "\n".join(path.read_text("utf-8") for path in project.rglob("*") if path.is_file())
    text = text.replace("${{ ", "")  # a workflow's own syntax
    left = [mark for mark in ("{{ ", "{%", "cookiecutter", "TODO", "FIXME") if mark in text]
    assert left == []


@pytest.mark.parametrize("kind", GROUPS)
def test_the_manifest_names_the_classes_of_the_package(made, kind):
    """In the groups of their base classes."""
    words = {group: ends.split(":") for group, ends in GROUPS[kind].items()}
    package = f"shop_{kind}"
    # the last word of a name is dropped from its classes if it says the kind
    prefix = "ShopBoth" if kind == "both" else "Shop"
    expected = {
        group: {f"{package}.{prefix}{end}": f"{package}:{prefix}{end}"}
        for group, (_, end) in words.items()
    }
    assert _metadata(made(kind))["project"]["entry-points"] == expected


@pytest.mark.parametrize("kind", ["source", "sink", "both"])
def test_the_declaration_names_every_connector(made, kind):
    """As the entry points do."""
    project = made(kind)
    declared = tomllib.loads((project / f"src/shop_{kind}" / FILE_NAME).read_text("utf-8"))
    groups = _metadata(project)["project"]["entry-points"].values()
    assert {each["class"] for each in declared["plugin"]} == {name for g in groups for name in g}


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_the_declaration_and_the_readme_agree_on_delivery(made, delivery):
    """For both connectors."""
    project = made("both", delivery=delivery)
    declared = tomllib.loads((project / "src/shop_both" / FILE_NAME).read_text("utf-8"))
    text = (project / "README.md").read_text("utf-8")

    assert [each["capabilities"]["delivery"] for each in declared["plugin"]] == [delivery] * 2
    assert text.count(f"**Delivery.** {delivery.capitalize()}") == 2


@pytest.mark.parametrize("kind", ["source", "sink", "both"])
@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("batches", BATCHES)
def test_the_quickstart_prints_what_it_states(made, kind, delivery, batches, tmp_path):
    """Run from the sources, in an empty directory."""
    project = made(kind, delivery=delivery, batches=batches)
    text = (project / "README.md").read_text("utf-8")
    code = re.findall(r"^```python quickstart\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (stated,) = re.findall(r"^```text quickstart\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    done = subprocess.run(
        [sys.executable, "-c", "\n".join(code)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(project / "src")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.stdout.endswith(stated)


@pytest.mark.slow
@pytest.mark.parametrize("license_", LICENSES)
def test_the_licence_is_the_one_that_was_chosen(made, license_):
    """Its text, its identifier, and no upload by mistake of what is proprietary."""
    project = made("sink", "shop", license_)
    metadata = _metadata(project)["project"]
    spdx = "LicenseRef-Proprietary" if license_ == "Proprietary" else license_
    private = "Private :: Do Not Upload" in metadata["classifiers"]

    assert (project / "LICENSE").read_text("utf-8").strip().startswith(FIRST_LINES[license_])
    assert (metadata["license"], private) == (spdx, license_ == "Proprietary")


@pytest.mark.slow
@pytest.mark.parametrize("license_", ["MIT", "BSD-3-Clause", "Proprietary"])
def test_the_licence_names_the_author(made, license_):
    """And a year of four digits."""
    line = next(
        line
        for line in (made("sink", "shop", license_) / "LICENSE").read_text("utf-8").splitlines()
        if line.startswith("Copyright")
    )
    assert line.endswith("Ada")
    assert line.split()[2].rstrip(",").isdecimal()


def test_tox_runs_what_continuous_integration_should(project):
    """In this order."""
    envs = _metadata(project)["tool"]["tox"]["env_list"]
    assert envs == ["lint", "types", "unit", "conformance", "package"]


def test_github_runs_tox_on_each_push_and_the_whole_suite_at_night(made):
    """Plugwright is installed from wherever a variable of the repository says."""
    workflow = yaml.safe_load((made("both") / ".github/workflows/ci.yml").read_text("utf-8"))

    assert workflow["env"] == {"PLUGWRIGHT": "${{ vars.PLUGWRIGHT || 'plugwright[all]' }}"}
    assert _runs(workflow["jobs"]["tox"]) == ['python -m pip install tox "$PLUGWRIGHT"', "tox"]
    assert _runs(workflow["jobs"]["certify"]) == [
        'python -m pip install "$PLUGWRIGHT"',
        "plugwright certify . --report build/certification",
    ]
    assert workflow[True]["schedule"] == [{"cron": "17 3 * * *"}]  # YAML 1.1 reads "on" as true


def test_gitlab_runs_the_same(made):
    """The certification in scheduled pipelines only."""
    pipeline = yaml.safe_load((made("both") / ".gitlab-ci.yml").read_text("utf-8"))

    assert pipeline["variables"]["PLUGWRIGHT"] == "plugwright[all]"
    assert pipeline["tox"]["script"] == ['python -m pip install tox "$PLUGWRIGHT"', "tox"]
    assert pipeline["certify"]["script"] == [
        'python -m pip install "$PLUGWRIGHT"',
        "plugwright certify . --report build/certification",
    ]
    assert pipeline["certify"]["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "schedule"'}]


def test_only_connectors_are_certified(made):
    """There is no suite for the other kinds."""
    for name in (".github/workflows/ci.yml", ".gitlab-ci.yml"):
        assert "certify" not in (made("converter") / name).read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["both", "transformation"])
@pytest.mark.parametrize(
    ("schema", "name"),
    [("github-workflows", ".github/workflows/ci.yml"), ("gitlab-ci", ".gitlab-ci.yml")],
)
def test_files_for_services_are_what_the_services_read(made, kind, schema, name):
    """By the published schemas of their formats."""
    check = Path(sys.executable).with_name("check-jsonschema")

    done = subprocess.run(
        [check, "--builtin-schema", f"vendor.{schema}", made(kind) / name],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


def test_the_hooks_before_a_commit_are_yaml(made):
    """With something in them."""
    assert yaml.safe_load((made("both") / ".pre-commit-config.yaml").read_text("utf-8"))


def _runs(job):
    return [step["run"] for step in job["steps"] if "run" in step]


def test_no_registry_is_named(project):
    """Where packages come from is the business of whoever installs."""
    text = "\n".join(path.read_text("utf-8") for path in project.rglob("*.*") if path.is_file())
    assert "pypi" not in text.lower()
    assert "index-url" not in text


def test_functions_of_a_project_are_short_and_documented(project):
    """It is read by people who begin."""
    functions = [
        node
        for path in project.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    mute = [f.name for f in functions if f.name[0] != "_" and not ast.get_docstring(f)]
    assert mute == []
    assert max(f.end_lineno - f.lineno for f in functions) < 30


def test_compiled_files_of_an_installed_template_stay_there(tmp_path):
    """Installers compile whatever looks like Python."""
    cache = tmp_path / "src" / "__pycache__"
    cache.mkdir(parents=True)
    (cache / "journal.cpython-311.pyc").touch()

    finish(tmp_path, "source")

    assert _files(tmp_path) == set()


def test_prompts_and_choices_of_plain_cookiecutter_are_ours():
    """Whoever uses it without plugwright meets the same questions."""
    asked = json.loads((template() / "cookiecutter.json").read_text("utf-8"))
    assert tuple(asked["license"]) == LICENSES
    assert tuple(asked["delivery"]) == DELIVERIES
    assert tuple(asked["batches"]) == BATCHES
    assert [key for key in asked if not key.startswith("_")] == list(asked["__prompts__"])
