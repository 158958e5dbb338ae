"""What a plugin keeps, and whether its code takes anything out again."""

from __future__ import annotations

import importlib
import sys

import pytest

from plugwright_conformance.subject.retained import kept_by, limited_by, names_pruned

pytestmark = pytest.mark.slow

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


LIMITED = """
import functools
import queue
from collections import deque


class Lru(dict):
    @property
    def maxsize(self):
        return 4


class Lazy:
    def __getattr__(self, name):
        raise RuntimeError("not connected")


class Task:
    def __init__(self):
        self.recent = deque("ab", maxlen=9)
        self.endless = deque("ab")
        self.waiting = queue.Queue(maxsize=3)
        self.waiting.put(1)
        self.unlimited = queue.Queue()
        self.lru = Lru(a=1)
        self.client = Lazy()


@functools.lru_cache(maxsize=100)
def squared(number):
    return number * number


@functools.cache
def cubed(number):
    return number**3
"""


def test_what_has_a_limit_is_found_with_its_size(tmp_path, monkeypatch):
    """Queues, caches and memoized functions; no object is asked for an attribute that it makes."""
    (tmp_path / "keeping_little.py").write_text(LIMITED, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("keeping_little")
    try:
        for number in range(5):
            module.squared(number)
            module.cubed(number)
        sizes = {kept.name: kept.size for kept in limited_by(module.Task(), tmp_path).values()}
    finally:
        del sys.modules["keeping_little"]

    assert sizes == {"recent": 2, "waiting": 1, "lru": 1, "squared": 5}
