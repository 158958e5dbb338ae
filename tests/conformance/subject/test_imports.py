"""A run judges the code of its own location, and leaves none of it behind."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.subject.imports import (
    OtherCodeError,
    forgetting_imports,
    require_own_code,
)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Makes directories with a module of one name, each with its own value."""
    monkeypatch.setattr(sys, "path", list(sys.path))

    def package(name, value):
        root = tmp_path / name
        root.mkdir()
        (root / "module_of_two_homes.py").write_text(f"VALUE = {value!r}\n")
        return root

    return package


def load(root):
    """Import the module, as the runtime does."""
    sys.path.append(str(root))
    return importlib.import_module("module_of_two_homes").VALUE


def test_second_location_sees_its_own_module(package):
    """Nothing of the first is left."""
    values = []
    for name in ("one", "two"):
        root = package(name, name)
        with forgetting_imports(root):
            values.append(load(root))

    assert values == ["one", "two"]
    assert "module_of_two_homes" not in sys.modules


def test_import_path_is_left_as_it_was(package):
    """A location does not stay on the path."""
    before, root = list(sys.path), package("one", 1)

    with forgetting_imports(root):
        load(root)

    assert sys.path == before


def test_what_was_imported_before_stays(package):
    """A project's own tests keep their classes."""
    root = package("one", 1)
    with forgetting_imports(root):
        load(root)
        module = sys.modules["module_of_two_homes"]
        with forgetting_imports(root):
            assert load(root) == 1

        assert sys.modules["module_of_two_homes"] is module


@pytest.mark.slow
def test_code_of_another_place_is_not_judged(mutate, run, subject):
    """Another build that is imported already makes the verdict an error (H06)."""
    good = subject("file-sink")
    with forgetting_imports(good.root):
        good.plugins.load(good.descriptor)

        (result,) = run(mutate("M009"), "PLG-PKG-08").results

    assert result.outcome is Outcome.ERROR
    assert f"from {good.root.resolve()}" in result.message


def test_copy_installed_beside_the_runtime_is_not_judged(mutate, subject, monkeypatch):
    """The worker would take it; a verdict about it would stand under the wrong digest (H06)."""
    made = subject(mutate("M009"))
    elsewhere = ModuleType("plugwright_file_sink")
    elsewhere.__file__ = "/site-packages/plugwright_file_sink/__init__.py"
    monkeypatch.setitem(sys.modules, "plugwright_file_sink", elsewhere)

    with pytest.raises(OtherCodeError, match="was imported from /site-packages"):
        require_own_code(made.descriptor, made.root)
