"""What a plugin keeps, and whether its code takes anything out again."""

from __future__ import annotations

import importlib
import sys

import pytest

from plugwright_conformance.subject.retained import kept_by, names_pruned

CODE = """
from collections import deque

from plugwright import STRING_SCHEMA

EVERYWHERE = []


class Task:
    shared = {}

    def __init__(self):
        self.seen = set()
        self.recent = deque(maxlen=9)
        self.waiting = []
        self.offsets = {}
        self.lines = []
        self.handed = []

    def start(self):
        self.begun = []

    def poll(self):
        if len(self.seen) in self.offsets:
            self.waiting.pop(0)
        self.lines = [*self.lines[-5:], 1]
        del self.offsets["a"]
        return self.handed
"""


@pytest.fixture
def task(tmp_path, monkeypatch):
    """A task of a module that was imported from a location."""
    (tmp_path / "keeping_much.py").write_text(CODE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("keeping_much").Task()
    del sys.modules["keeping_much"]


def test_containers_of_task_class_and_module_are_found(task, tmp_path):
    """With what they hold; what has a limit of its own is left out."""
    task.start()
    task.seen.update("abc")
    task.shared["x"] = 1

    sizes = {kept.name: kept.size for kept in kept_by(task, tmp_path).values() if kept.size}
    names = {kept.name for kept in kept_by(task, tmp_path).values()}

    assert sizes == {"seen": 3, "shared": 1}
    assert names == {
        *("EVERYWHERE", "begun", "handed", "lines", "offsets", "seen", "shared", "waiting")
    }


def test_only_names_that_are_never_emptied_are_left(task, tmp_path):
    """Asking for the size, and filling, take nothing out; handing it on may."""
    names = {kept.name for kept in kept_by(task, tmp_path).values()}

    assert names - names_pruned(tmp_path) == {"EVERYWHERE", "seen", "shared"}
