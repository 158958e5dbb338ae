"""What can be certified is opened, and what cannot is explained."""

from __future__ import annotations

import shutil
import zipfile

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright.errors import DiscoveryError, NotFoundError
from plugwright_conformance.subject.subject import open_subjects

SINK = PLUGIN_PATH / "file-sink"


@pytest.fixture
def wheel(tmp_path):
    """The good file sink as a wheel."""
    path = tmp_path / "plugwright_file_sink-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for directory in SINK.glob("plugwright_file_sink*"):
            for file in directory.rglob("*"):
                archive.write(file, file.relative_to(SINK))
    return path


def test_directory_is_opened_in_place(workspace):
    """A location is imported from where it is."""
    (subject,) = open_subjects(SINK, workspace)

    assert (subject.kind, subject.root, subject.given) == ("sink", SINK, SINK)
    assert subject.descriptor.class_name == "plugwright_file_sink.FileStreamSinkConnector"


def test_wheel_is_unpacked_into_the_workspace(workspace, wheel):
    """A wheel needs no installation."""
    (subject,) = open_subjects(wheel, workspace)

    assert subject.root == workspace / wheel.stem
    assert subject.given == wheel
    assert len(subject.digest) == 64


def test_digest_follows_the_files(tmp_path, workspace):
    """A change of one byte makes another artifact; a compiled cache does not."""
    copy = shutil.copytree(SINK, tmp_path / "copy")
    (copy / "__pycache__").mkdir(exist_ok=True)
    (copy / "__pycache__" / "x.pyc").write_bytes(b"x")
    (before,), (same,) = open_subjects(SINK, workspace), open_subjects(copy, workspace)
    (copy / "plugwright_file_sink" / "task.py").open("a").close()
    (copy / "README.md").write_text("changed")
    (changed,) = open_subjects(copy, workspace)

    assert before.digest == same.digest != changed.digest


@pytest.mark.parametrize(
    "name",
    ["FileStreamSink", "FileStreamSinkConnector", "plugwright_file_sink.FileStreamSinkConnector"],
)
def test_plugin_may_be_named_by_alias(workspace, name):
    """Any name that a configuration may use will do."""
    assert len(open_subjects(SINK, workspace, name)) == 1


def test_unknown_plugin_name_is_explained(workspace):
    """The message says where it was looked for."""
    with pytest.raises(NotFoundError, match="called FileStreamSource") as raised:
        open_subjects(SINK, workspace, "FileStreamSource")

    assert raised.value.code == "plugin.not-found"


@pytest.fixture
def configured(tmp_path):
    """A location whose sink has two configurations, and one with a name for each."""

    def configured(*names):
        location = tmp_path / "configured"
        shutil.copytree(SINK, location, ignore=shutil.ignore_patterns("__pycache__"))
        file = location / "plugwright_file_sink" / "conformance.toml"
        head, _, table = file.read_text("utf-8").partition("[[plugin]]")
        tables = [f"[[plugin]]\n{name}{table}\n" for name in names]
        file.write_text(head + "".join(tables), "utf-8")
        return location

    return configured


def test_each_configuration_is_a_subject(configured, workspace):
    """All of a class, or the one in brackets; its name repeats it."""
    location = configured('configuration = "plain"', 'configuration = "by-day"')
    sink = "plugwright_file_sink.FileStreamSinkConnector"

    both = open_subjects(location, workspace, "FileStreamSink")
    (second,) = open_subjects(location, workspace, "FileStreamSink[by-day]")

    assert [each.name for each in both] == [f"{sink}[plain]", f"{sink}[by-day]"]
    assert (second.name, second.short_name) == (both[1].name, "FileStreamSinkConnector[by-day]")
    assert second.digest == both[0].digest
    assert [each.name for each in open_subjects(location, workspace, second.name)] == [second.name]


def test_configuration_that_is_not_there_is_refused(configured, workspace):
    """With what was asked for."""
    location = configured('configuration = "plain"', 'configuration = "by-day"')

    with pytest.raises(
        NotFoundError, match="no configuration 'hourly' of FileStreamSink"
    ) as raised:
        open_subjects(location, workspace, "FileStreamSink[hourly]")

    assert raised.value.code == "declaration.no-such-configuration"


@pytest.mark.parametrize(
    "names",
    [
        ("", ""),
        ("", 'configuration = "plain"'),
        ('configuration = "plain"', 'configuration = "plain"'),
        ("configuration = 7",),
        ('configuration = "By day"',),
    ],
    ids=["none", "one of two", "equal", "number", "space"],
)
def test_configurations_without_names_of_their_own_are_refused(configured, workspace, names):
    """Reports and replays could not tell them apart."""
    with pytest.raises(DiscoveryError, match="must have a configuration of its own") as raised:
        open_subjects(configured(*names), workspace)

    assert raised.value.code == "declaration.configuration"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("nowhere", "discovery.no-such-location"),
        ("empty", "discovery.no-plugin"),
        ("text.whl", "discovery.not-a-wheel"),
        ("cut.whl", "discovery.not-a-wheel"),
    ],
    ids=["missing", "no-plugin", "no-archive", "cut-archive"],
)
def test_what_cannot_be_certified_is_explained(tmp_path, workspace, wheel, given, code):
    """Nothing to certify is a message with a hint, not a stack."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.whl").write_text("not a wheel")
    (tmp_path / "cut.whl").write_bytes(wheel.read_bytes()[:2000])

    with pytest.raises(DiscoveryError, match=given) as raised:
        open_subjects(tmp_path / given, workspace)

    assert (raised.value.code, bool(raised.value.hint)) == (code, True)


def test_wheel_cannot_write_outside_the_workspace(tmp_path, workspace):
    """Paths in an archive stay below its own directory."""
    path = tmp_path / "evil.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../escaped.txt", "x")

    with pytest.raises(DiscoveryError, match="no source or sink plugin"):
        open_subjects(path, workspace)

    assert not list(tmp_path.glob("escaped.txt"))


def test_module_that_does_not_import_is_explained(tmp_path, run):
    """The first check says which module failed and why."""
    copy = shutil.copytree(SINK, tmp_path / "copy")
    (copy / "plugwright_file_sink" / "task.py").write_text("import no_such_module\n")

    (result,) = run(copy, "PLG-PKG-03").results

    assert "importing plugwright_file_sink failed: ModuleNotFoundError" in result.observed
    assert "no_such_module" in result.observed
