"""What the documentation site shows exists, and works as shown."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout, suppress
from functools import cache
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, ROOT, pages
from tests.docs.worker_settings import (
    CLIENTS,
    DEFINITIONS,
    OTHERS,
    is_client_setting,
    is_worker_setting,
)
from tests.runtime.herder.conftest import FakeLauncher

import plugwright
from plugwright.cli import main
from plugwright.config import parse_properties
from plugwright.herder import (
    CONNECTOR_CONFIG,
    SparkWorker,
    WorkerConfig,
)
from plugwright.herder.metric_names import METRICS
from plugwright.hosts import PluginHosts
from plugwright.plugins import CONFIG_PROVIDER, REST_EXTENSION, Plugins
from plugwright.rest.routes import LOGGER_ROUTES, MAIN_ROUTES
from plugwright.worker import DEAD_LETTER_CONFIG

PAGES = pages()
BIN = Path(sys.executable).parent
CONNECTOR_CLASS = "connector.class"
WORKER = {"key.converter": "StringConverter", "value.converter": "StringConverter"}
FILES = (
    "conf",
    "html",
    "json",
    "key",
    "md",
    "pem",
    "properties",
    "pub",
    "py",
    "sh",
    "svg",
    "toml",
    "txt",
    "whl",
    "xml",
    "yaml",
)
DOTTED = r"[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+"
COMMANDS = ("plugwright", "connect-plugin-path", "connect-standalone", "connect-distributed")
ON_PAGES = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


WHOLE_RUNS = {"explanation/certificates.md"}
"""Pages that make a certificate, which takes the whole suite."""
ELSEWHERE = {"tutorial.md"}
"""Pages that are followed on a machine of their own."""


def with_blocks(*languages, drills=frozenset(), without=frozenset()):
    """The pages that have blocks in these languages."""
    found = [page for page in PAGES if page.of(*languages) and page.name not in without]
    marks = {name: [pytest.mark.drill] for name in drills}
    return pytest.mark.parametrize(
        "page", [pytest.param(p, id=p.name, marks=marks.get(p.name, ())) for p in found]
    )


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A fresh directory with a copy of the bundled plugins, as in a checkout."""
    shutil.copytree(
        ROOT / "plugin-path", tmp_path / "plugin-path", ignore=shutil.ignore_patterns("__pycache__")
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    """Every link resolves, every page is in a table of contents, every name is documented."""
    build = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", DOCS, tmp_path / "site"]

    done = subprocess.run(build, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@with_blocks("console", drills=WHOLE_RUNS, without=ELSEWHERE)
def test_a_page_can_be_followed(page, place):
    """Its files written and its commands typed, in order, in one shell."""
    steps = "\n".join(typed.text for typed in page.typed)
    variables = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(place)}

    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", steps],  # noqa: S607  # whichever bash there is
        cwd=place,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.mark.slow
@with_blocks("python")
def test_the_python_of_a_page_runs(page, place):
    """In order, in one namespace, as does what goes into files."""
    module: dict[str, object] = {"__name__": "page"}
    for block in page.of("python"):
        code = compile(block.text, block.file or page.name, "exec")
        if not block.file:
            exec(code, module)  # noqa: S102  # the page's own code


@with_blocks("json", "toml")
def test_the_data_of_a_page_parses(page):
    """Whatever else is shown as JSON or TOML, too."""
    for block in page.of("json"):
        assert json.loads(block.text)
    for block in page.of("toml"):
        assert tomllib.loads(block.text)


def configurations(page):
    """The connectors that a page shows."""
    found = [parse_properties(block.text) for block in page.of("properties")]
    for block in page.of("json"):
        shown = json.loads(block.text)
        found.append(shown.get("config", shown) if isinstance(shown, dict) else {})
    return [each for each in found if CONNECTOR_CLASS in each]


DRIVERS = ("store.option.", "singer.config.")
"""Beginnings of settings that a connector passes on to a program that it does not know."""


def examined(given):
    """What a worker says about a connector: its settings, each with its problems."""
    exact = {"exactly.once.source.support": "enabled"}
    config = WorkerConfig.parse({**WORKER, **exact, "plugin.isolation": "none"})
    plugins = Plugins.discover([str(ROOT / "plugin-path")])
    worker = SparkWorker(config, PluginHosts(plugins, isolated=False), FakeLauncher())
    infos = worker.validate({"name": "shown", **given})["configs"]
    return {info["value"]["name"]: info["value"]["errors"] for info in infos}


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [p for p in PAGES if configurations(p)], ids=lambda page: page.name
)
def test_the_connectors_of_a_page_are_valid(page):
    """No setting has a problem, and none is unknown to the runtime and to the plugin."""
    for given in configurations(page):
        found = examined(given)
        assert {key: problems for key, problems in found.items() if problems} == {}
        unknown = {key for key in given if key not in found and not key.startswith(DRIVERS)}
        assert {key for key in unknown if not is_client_setting(key, ".override.")} == set()


@with_blocks("properties")
def test_the_workers_of_a_page_are_valid(page):
    """Every key is one that a worker reads, and its value is one that it takes."""
    for block in page.of("properties"):
        given = parse_properties(block.text)
        if CONNECTOR_CLASS in given:
            continue
        assert [key for key in given if not is_worker_setting(key)] == []
        for definition in DEFINITIONS:
            found = definition.validate({**WORKER, **given})
            problems = [error for v in found if v.name in given for error in v.error_messages]
            assert problems == []
        classes = {v for k, v in given.items() if re.fullmatch(r"config\.providers\.\w+\.class", k)}
        extensions = {given[key] for key in given if key == "rest.extension.classes"}
        builtin = Plugins.service_load([])
        assert all(builtin.find(each, CONFIG_PROVIDER) for each in classes)
        assert all(builtin.find(each, REST_EXTENSION) for each in extensions)


@cache
def known_names():
    """Every dotted name that the product has: settings, codes of errors, and its packages."""
    sources = (ROOT / name for name in ("runtime", "toolkit", "conformance", "plugin-path"))
    files = (file for source in sources for file in source.rglob("*.py"))
    texts = "".join(file.read_text("utf-8") for file in files)
    keys = {key for each in (*DEFINITIONS, CONNECTOR_CONFIG) for key in each.keys}
    modules = {f"plugwright.{each.stem}" for each in (ROOT / "runtime/plugwright").iterdir()}
    named = set(re.findall(f'"({DOTTED})"', texts))
    return keys | set(DEAD_LETTER_CONFIG.keys) | named | modules | OTHERS


@pytest.mark.slow
@ON_PAGES
def test_what_a_page_names_exists(page):
    """Settings and codes of errors that stand between its words."""
    named = {span.partition("=")[0] for span in page.spans}
    dotted = {n for n in named if re.fullmatch(DOTTED, n) and not n.startswith("self.")}
    asked = {name for name in dotted if name.rpartition(".")[2] not in FILES}
    unknown = {n for n in asked - known_names() - CLIENTS if not is_worker_setting(n)}
    assert {name for name in unknown if not is_client_setting(name, ".override.")} == set()


def endpoints(page):
    """Method and path of each that a page names or calls."""
    named = re.findall(r"\b(GET|POST|PUT|PATCH|DELETE) (/[\w/{}.-]*)", page.code)
    called = re.findall(
        r"^curl (?:.*-X (\w+) )?.*http://[\w.:]+(/[\w/.-]*)", page.code, re.MULTILINE
    )
    return [*named, *((method or "", path) for method, path in called)]


def test_the_endpoints_of_the_pages_exist():
    """Each is one of the REST API, with its method where one is named."""
    routes = (*MAIN_ROUTES, *LOGGER_ROUTES)
    patterns = [(r.method, re.sub(r"\{\w+\}", "[^/]+", r.path)) for r in routes]

    def known(method, path):
        return any(method in {m, ""} and re.fullmatch(p, path) for m, p in patterns)

    asked = {page.name: endpoints(page) for page in PAGES}
    assert [(n, *each) for n, all_ in asked.items() for each in all_ if not known(*each)] == []


@cache
def help_of(*words):
    """What a command says about itself."""
    with redirect_stdout(io.StringIO()) as said, suppress(SystemExit):
        main([*words, "--help"])
    return said.getvalue()


@pytest.mark.slow
@ON_PAGES
def test_the_commands_of_a_page_exist(page):
    """Each with its options, also those that no test can run."""
    for line in page.code.replace("\\\n", " ").splitlines():
        name, *words = line.removeprefix("$ ").split() or [""]
        if name not in COMMANDS:
            continue
        first = words[:2] if words[:1] == ["plugin-path"] else words[:1]
        kind = {"plugwright": first, "connect-plugin-path": ["plugin-path", *words[:1]]}
        said = help_of(*kind.get(name, [name]))
        assert said, line
        options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert {each for each in options if each not in said} == set(), line


def test_the_metrics_of_the_pages_exist():
    """By the names that Prometheus has for them, which are the only ones that pages use."""
    known = {f"kafka_connect_{g}_{n}".replace("-", "_") for g, n in METRICS}
    shown = {(p.name, each) for p in PAGES for each in re.findall(r"\bkafka_connect_\w+", p.code)}
    assert shown
    assert {(page, each) for page, each in shown if each not in known} == set()


def test_everything_that_plugins_import_is_documented():
    """Each public name stands on the page of the API."""
    (page,) = (page for page in PAGES if page.name == "reference/api.md")
    errors = set(plugwright.errors.__all__)  # documented as a module
    public = set(plugwright.__all__) - errors - {"__version__"}
    assert public - set(re.findall(r"\w+", page.text)) == set()


def test_the_readme_leads_to_the_site():
    """Whoever reads only the README learns how to have the rest, and each link leads to a page."""
    readme = (ROOT / "README.md").read_text("utf-8")
    linked = re.findall(r"\]\((docs/[^)#]+)", readme)
    assert "`make docs`" in readme
    assert linked
    assert [each for each in linked if not (ROOT / each).is_file()] == []
