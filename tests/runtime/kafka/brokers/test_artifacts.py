"""Jars that are pinned by content."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from plugwright.cache import cache_directory
from plugwright.errors import SetupError
from plugwright.kafka.brokers import PinnedSet, class_path, jars, kafka_server

OFFLINE = SetupError("no route", code="environment.kafka-unresolved")


def files(cache):
    """What is in the cache beside the lock, hidden files included."""
    return sorted(
        str(path.relative_to(cache / "jars"))
        for path in (cache / "jars").rglob("*")
        if path.is_file() and path.suffix != ".lock"
    )


def test_a_file_of_pins_is_read():
    """Coordinates after ``#``, digests as ``sha256sum`` writes them."""
    pins = PinnedSet.parse("x", "# g:a:1\n# g:b:2\n\nab12  a-1.jar\ncd34  b-2.jar\n")

    assert pins.coordinates == ("g:a:1", "g:b:2")
    assert dict(pins.digests) == {"a-1.jar": "ab12", "b-2.jar": "cd34"}


def test_a_written_set_passes_sha256sum(tmp_path):
    """An independent tool reads the file of pins."""
    (tmp_path / "a.jar").write_bytes(b"a")
    (tmp_path / "notes.txt").write_bytes(b"no jar")
    (tmp_path / "pins").write_text(PinnedSet.of("x", ["g:a:1"], tmp_path).text())

    checked = subprocess.check_output(
        ["/usr/bin/env", "sha256sum", "--check", "pins"], cwd=tmp_path, text=True
    )

    assert checked == "a.jar: OK\n"


def test_the_broker_is_pinned():
    """The set that ships: Kafka 4.3.1 with its logging, each jar with a SHA-256."""
    pins = kafka_server()

    assert pins.coordinates == (
        "org.apache.kafka:kafka_2.13:4.3.1",
        "org.slf4j:slf4j-simple:1.7.36",
    )
    assert len(pins.digests) == 46
    assert {len(digest) for digest in pins.digests.values()} == {64}
    assert {"kafka_2.13-4.3.1.jar", "slf4j-simple-1.7.36.jar"} <= set(pins.digests)


def test_an_empty_cache_is_filled_once(pins, resolver, tmp_path):
    """The second use sends no request."""
    reported = []

    first = jars(pins, tmp_path, resolver, reported.append)
    second = jars(pins, tmp_path, resolver, reported.append)

    assert first == second
    assert [path.read_bytes() for path in first] == [b"one", b"two"]
    assert resolver.asked == [("org.example:one:1.0",)]
    assert reported == ["fetching tiny-1 (2 jars) once"]
    assert files(tmp_path) == ["tiny-1/one-1.0.jar", "tiny-1/two-2.0.jar"]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda jar: jar.write_bytes(b"onE"), id="changed"),
        pytest.param(lambda jar: jar.write_bytes(b""), id="emptied"),
        pytest.param(lambda jar: jar.unlink(), id="missing"),
        pytest.param(lambda jar: (jar.unlink(), jar.mkdir()), id="directory"),
    ],
)
def test_a_damaged_jar_is_replaced(pins, resolver, tmp_path, damage):
    """The whole directory is renewed; nothing of the old one remains."""
    damage(jars(pins, tmp_path, resolver)[0])
    reported = []

    paths = jars(pins, tmp_path, resolver, reported.append)

    assert [path.read_bytes() for path in paths] == [b"one", b"two"]
    assert reported[0].startswith("fetching tiny-1 (2 jars) again, because one-1.0.jar ")
    assert files(tmp_path) == ["tiny-1/one-1.0.jar", "tiny-1/two-2.0.jar"]


def test_a_damaged_jar_that_cannot_be_replaced_is_explained(pins, resolver, tmp_path):
    """Jar, directory, both digests, the reason, and what to do."""
    jars(pins, tmp_path, resolver)[1].write_bytes(b"2")
    resolver.error = OFFLINE
    found = hashlib.sha256(b"2").hexdigest()

    with pytest.raises(SetupError) as caught:
        jars(pins, tmp_path, resolver)

    assert caught.value.code == "environment.kafka-cache-damaged"
    assert str(caught.value) == (
        f"two-2.0.jar in {tmp_path}/jars/tiny-1 is damaged (expected SHA-256 "
        f"{pins.digests['two-2.0.jar']}, found {found}), and could not be fetched again: no route"
    )
    assert "--bootstrap-servers" in caught.value.hint
    assert len(files(tmp_path)) == 2


def test_an_empty_cache_that_cannot_be_filled_is_no_damage(pins, resolver, tmp_path):
    """The resolver's own error comes through, and nothing is left behind."""
    resolver.error = OFFLINE

    with pytest.raises(SetupError, match="no route") as caught:
        jars(pins, tmp_path, resolver)

    assert caught.value.code == "environment.kafka-unresolved"
    assert files(tmp_path) == []


def test_other_contents_than_pinned_never_enter_the_cache(pins, resolver, tmp_path):
    """What a repository or proxy hands out is not believed."""
    resolver.contents["one-1.0.jar"] = b"evil"

    with pytest.raises(SetupError, match="are not the expected ones: one-1") as caught:
        jars(pins, tmp_path, resolver)

    assert caught.value.code == "environment.kafka-unresolved"
    assert files(tmp_path) == []


def test_a_file_that_is_not_pinned_is_not_on_the_class_path(pins, resolver, tmp_path):
    """A jar that somebody put into the directory has no effect."""
    home = jars(pins, tmp_path, resolver)[0].parent
    (home / "aaa.jar").write_bytes(b"evil")

    assert class_path(jars(pins, tmp_path, resolver)) == os.pathsep.join(
        [f"{home}/one-1.0.jar", f"{home}/two-2.0.jar"]
    )


def test_what_a_killed_process_left_is_removed(pins, resolver, tmp_path):
    """Staging directories do not pile up."""
    leftover = tmp_path / "jars" / ".tiny-1-abc"
    leftover.mkdir(parents=True)
    (leftover / "half.jar").touch()

    jars(pins, tmp_path, resolver)

    assert not leftover.exists()


def test_of_many_at_once_one_resolves(pins, resolver, tmp_path):
    """The others wait for the lock and find the set whole."""
    threads = [threading.Thread(target=jars, args=(pins, tmp_path, resolver)) for _ in range(8)]

    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert len(resolver.asked) == 1


@pytest.fixture
def real_copy(tmp_path, embedded):
    """A copy of the real cache whose ``jose4j`` is damaged, and where the whole one is."""
    whole = cache_directory() / "jars" / kafka_server().name
    home = tmp_path / "jars" / whole.name
    shutil.copytree(whole, home, copy_function=os.link)
    jar = next(home.glob("jose4j-*.jar"))
    content = jar.read_bytes()
    jar.unlink()
    jar.write_bytes(content[:-1] + b"x")
    return whole


@pytest.mark.kafka
def test_one_changed_byte_in_a_real_jar_is_replaced(real_copy, tmp_path):
    """With a way to get it, the user notices a line of progress only."""

    def fetch(_, into, /):
        shutil.copytree(real_copy, into, dirs_exist_ok=True)

    paths = jars(kafka_server(), tmp_path, fetch)

    assert [path.read_bytes() for path in paths] == [
        (real_copy / path.name).read_bytes() for path in paths
    ]


@pytest.mark.kafka
@pytest.mark.usefixtures("real_copy")
def test_one_changed_byte_in_a_real_jar_is_explained(resolver, tmp_path):
    """Without a way to get it, the error names the jar."""
    resolver.error = OFFLINE

    with pytest.raises(SetupError, match=r"jose4j-0\.9\.6\.jar in ") as caught:
        jars(kafka_server(), tmp_path, resolver)

    assert caught.value.code == "environment.kafka-cache-damaged"
    assert Path(str(caught.value.facts["directory"])) == tmp_path / "jars" / "kafka-4.3.1"
