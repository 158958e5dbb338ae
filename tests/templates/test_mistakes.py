"""The first message that an author gets after a small mistake names its cause and the fix."""

from __future__ import annotations

import re
import shutil
import signal
import sys
import tomllib
from pathlib import Path

import pytest
from tests.runtime.herder.conftest import WORKER, FakeLauncher
from tests.runtime.worker import rigs
from tests.templates.mistakes import MISTAKES

from plugwright.cli import main
from plugwright.converters import JsonConverter, StringConverter
from plugwright.errors import ConnectError, render
from plugwright.herder import EmbeddedHerder, WorkerConfig
from plugwright.kafka import KafkaOffsetStore
from plugwright.plugins import Plugins
from plugwright.worker import RecordCodec, TaskIdentity
from plugwright_conformance.catalogue.selection import select_checks
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.checks.lifecycle import StopIsIdempotent
from plugwright_conformance.subject.imports import forgetting_imports

GOLDEN = Path(__file__).parents[1] / "golden" / "mistakes"
METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: 0.1.0
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Dist: plugwright>=0.1,<1
"""
SETTINGS = {
    "source": {"connector.class": "ShopSource", "file": "journal.jsonl", "topic": "t"},
    "sink": {"connector.class": "ShopSink", "topics": "t", "tasks.max": "2"},
}
FIRST_FAILURE = re.compile(r"^(FAIL|ERROR) .*?(?=^ replay)", re.MULTILINE | re.DOTALL)
NEWER_PYTHON = re.compile(r"without an implementation for abstract method '(\w+)'")
BUSY_MACHINE = re.compile(r"^note: .* took [\d.]+ s\n", re.MULTILINE)
MEASURED = re.compile(r"\d+% of a core, \d+ polls|(?<=source.py:)\d+")


def install(project, location):
    """What an installer makes of the project's wheel."""
    metadata = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    package = metadata["name"].replace("-", "_")
    shutil.copytree(project / "src" / package, location / package)
    info = location / f"{package}-0.1.0.dist-info"
    (info / "licenses").mkdir(parents=True)
    shutil.copy(project / "LICENSE", info / "licenses")
    readme = (project / "README.md").read_text("utf-8")
    (info / "METADATA").write_text(f"{METADATA.format_map(metadata)}\n{readme}", "utf-8")
    entries = [
        f"[{group}]\n{name} = {value}\n"
        for group, values in metadata.get("entry-points", {}).items()
        for name, value in values.items()
    ]
    (info / "entry_points.txt").write_text("".join(entries), "utf-8")
    return location


class NoTopic(KafkaOffsetStore):
    """Makes the records that a worker would write, and writes none."""

    def __init__(self):
        self._connector = "orders"

    def offset(self, partition):
        """Nothing is stored."""

    def store(self, offsets):
        """Only make them."""
        self.serialized(offsets)


class Author:
    """Runs what an author runs next, and keeps the first message."""

    def __init__(self, location, capsys, monkeypatch):
        self.location = location
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def certify(self, mistake):
        """``plugwright certify``: its error, or what the mistake's check has to say."""
        return self.checked([mistake.check] if mistake.check else [])

    def checked(self, ids):
        """The first of some checks that fails, of all by default; or whatever is said instead."""
        only = [f"--check={each}" for each in ids]
        text = self._printed("certify", self.location, "--no-live", "--seed", "7f3c", *only)
        found = FIRST_FAILURE.search(text)
        return found[0] if found else text

    def list(self, _):
        """``connect-plugin-path list``: what it says beside the table."""
        self._printed("plugin-path", "list", "--plugin-location", self.location)
        return BUSY_MACHINE.sub("", self._error)

    def start(self, mistake):
        """The error of a worker that is to start the connector."""
        worker = WorkerConfig.parse({**WORKER, "plugin.isolation": "none"})
        herder = EmbeddedHerder(worker, Plugins.service_load([self.location]), FakeLauncher())
        settings = dict(mistake.settings) or {"file": "journal.jsonl"}
        with pytest.raises(ConnectError) as caught:
            herder.start_connector({"name": "orders", **SETTINGS[mistake.kind], **settings})
        return render(caught.value)

    def work(self, _):
        """The error of a source's task that is to deliver one record."""
        plugins = Plugins.service_load([self.location])
        (plugin,) = (each for each in plugins.descriptors if each.location)
        journal = self.location / "journal.jsonl"
        journal.write_text('"one"\n', "utf-8")
        task_class = plugins.load(plugin)().task_class()
        name = f"{task_class.__module__}.{task_class.__qualname__}"
        identity = TaskIdentity("orders", 0, name, plugin.version, str(self.location))
        self._monkeypatch.setattr(rigs, "IDENTITY", identity)
        rig = rigs.SourceRig(_once(task_class, journal))
        rig.producer.prompt = True
        rig.offsets = NoTopic()
        rig.codec = RecordCodec(StringConverter(), JsonConverter(), StringConverter())
        return render(rig.run().status.error)

    def _printed(self, *words):
        with pytest.raises(SystemExit):
            main([str(word) for word in words])
        out, self._error = self._capsys.readouterr()
        return out + self._error


def _once(task_class, journal):
    """A task that polls once and then stops its loop."""

    class Once(task_class):
        def __init__(self, _, control, __):
            super().__init__()
            self._control, self._polled = control, False

        def start(self, _):
            super().start({"file": str(journal), "topic": "t"})

        def poll(self):
            if self._polled:
                self._control.stop()
                return None
            self._polled = True
            return super().poll()

    return Once


@pytest.fixture
def author(made, tmp_path, monkeypatch, capsys):
    """Makes a mistake in a new project, and installs it; who made it."""
    handler = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(sys, "argv", ["plugwright"])
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    location = tmp_path / "plugins"

    def author(mistake):
        project = shutil.copytree(made(mistake.kind), tmp_path / "project")
        mistake.make(project)
        return Author(install(project, location), capsys, monkeypatch)

    with forgetting_imports(location):
        yield author
    signal.signal(signal.SIGTERM, handler)  # which the commands exchange


def first_message(author, mistake):
    """What an author reads first, without what differs between runs."""
    said = getattr(author, mistake.run)(mistake).replace(str(author.location), "LOCATION")
    return MEASURED.sub("…", NEWER_PYTHON.sub(r"with abstract method \1", said)).rstrip() + "\n"


def _case(mistake):
    marks = [pytest.mark.slow] if mistake.run in {"certify", "list"} else []
    return pytest.param(mistake, id=mistake.name, marks=marks)


@pytest.mark.parametrize("mistake", [_case(mistake) for mistake in MISTAKES])
def test_first_message_names_cause_and_fix(mistake, author, monkeypatch):
    """Word for word; what hangs is interrupted sooner than for an author."""
    monkeypatch.setattr(StopIsIdempotent, "budget_s", 0.3)
    golden = GOLDEN / f"{mistake.name}.txt"

    assert first_message(author(mistake), mistake) == golden.read_text("utf-8")


@pytest.mark.drill
@pytest.mark.parametrize("mistake", [m for m in MISTAKES if m.check], ids=lambda each: each.name)
def test_no_earlier_check_fails(mistake, author):
    """So what the mistake's check says is the first that its author reads."""
    checks = [check.id for check in select_checks(CHECKS, mistake.kind)]
    earlier = checks[: checks.index(mistake.check)]

    assert FIRST_FAILURE.search(author(mistake).checked(earlier)) is None


def test_list_is_long_enough():
    """Fifteen mistakes at least, each with its own message, and no message without a mistake."""
    names = {mistake.name for mistake in MISTAKES}

    assert len(names) == len(MISTAKES) >= 15
    assert {file.stem for file in GOLDEN.iterdir()} == names


@pytest.mark.parametrize("golden", sorted(GOLDEN.iterdir()), ids=lambda file: file.stem)
def test_every_message_says_what_to_do(golden):
    """After an arrow, or as what the check says of mending."""
    assert re.search(r"^ *→ \w| fix +\w", golden.read_text("utf-8"), re.MULTILINE)
