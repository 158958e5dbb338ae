"""Packages that come with an extra."""

from __future__ import annotations

import json
import sys

import pytest

from plugwright.errors import SetupError
from plugwright.kafka.brokers.packages import require


def test_an_installed_module_is_imported():
    """The module itself, not its package."""
    assert require("json", "kafka") is json
    assert require("json.decoder", "kafka").__name__ == "json.decoder"


@pytest.mark.parametrize("module", ["absent_package", "absent_package.part"])
def test_a_missing_package_names_its_extra(module):
    """The command to type is in the hint."""
    with pytest.raises(SetupError, match="the package absent_package is not installed") as caught:
        require(module, "kafka")

    assert caught.value.code == "environment.package-missing"
    assert caught.value.hint == "run: pip install 'plugwright[kafka]'"


def test_what_a_package_itself_misses_is_not_explained_away(monkeypatch, tmp_path):
    """A broken installation is no missing extra."""
    (tmp_path / "broken_package.py").write_text("import absent_package")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ModuleNotFoundError, match="absent_package"):
        require("broken_package", "kafka")

    assert "broken_package" not in sys.modules
