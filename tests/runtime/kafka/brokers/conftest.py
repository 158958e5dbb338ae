"""Small jars, a Java of shell, and one real broker for the tests that are marked so."""

from __future__ import annotations

import hashlib

import pytest

from plugwright.kafka.brokers import PinnedSet, open_broker

CONTENTS = {"one-1.0.jar": b"one", "two-2.0.jar": b"two"}


@pytest.fixture
def pins():
    """A set of two tiny jars."""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENTS.items()}
    return PinnedSet("tiny-1", ("org.example:one:1.0",), digests)


class FakeResolver:
    """Puts the tiny jars into a directory, or what a test makes of them."""

    def __init__(self):
        self.contents = dict(CONTENTS)
        self.error = None
        self.asked = []

    def __call__(self, coordinates, into, /):
        """Resolve as specified."""
        self.asked.append(tuple(coordinates))
        if self.error:
            raise self.error
        for name, content in self.contents.items():
            (into / name).write_bytes(content)


@pytest.fixture
def resolver():
    """A resolver that counts how often it is asked."""
    return FakeResolver()


@pytest.fixture
def shell_java(tmp_path):
    """An environment whose Java 17 runs the given shell script instead of Java programs."""

    def environ(script):
        java = tmp_path / "jdk" / "bin" / "java"
        java.parent.mkdir(parents=True)
        version = 'case "$*" in *-version*) echo \'openjdk version "17.0.1"\' >&2; exit 0;; esac'
        java.write_text(f"#!/bin/sh\n{version}\n{script}\n")
        java.chmod(0o755)
        cache = str(tmp_path / "cache")
        return {"JAVA_HOME": str(tmp_path / "jdk"), "PATH": "/bin", "PLUGWRIGHT_CACHE": cache}

    return environ


@pytest.fixture(scope="session")
def embedded():
    """One real embedded broker for all tests of this folder."""
    with open_broker(kind="embedded") as broker:
        yield broker
