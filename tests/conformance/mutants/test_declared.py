"""What a mutant says of itself stays in the suite; its plugin has the faulty code alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugwright_conformance.mutants import MUTANTS, materialise
from plugwright_conformance.mutants.mutant import add_module, declared

MODULES = sorted({mutant.module for mutant in MUTANTS} - {""})
PLUGIN_PATH = Path(__file__).parents[3] / "plugin-path"


@pytest.mark.parametrize("module", MODULES)
def test_plugin_knows_nothing_of_the_suite(module, tmp_path):
    """Where connectors run there is none, and nothing tells that they are tested."""
    add_module(module, tmp_path)

    text = (tmp_path / f"{module}.py").read_text(encoding="utf-8")
    assert "plugwright_conformance" not in text
    assert "killed_by" not in text
    assert "class " in text


def test_one_class_may_be_several_mutants(tmp_path):
    """Each check that has to find it names its own words."""
    file = tmp_path / "odd.py"
    file.write_text(
        '@mutant("M900", "odd", base="rows-sink", killed_by="A", failure="a")\n'
        '@mutant("M901", "even", base="rows-sink", killed_by="B", failure="b", sentinel=True)\n'
        "class OddTask:\n    pass\n"
    )

    first, second = declared(file)

    assert [(m.id, m.fault, m.killed_by, m.sentinel) for m in (first, second)] == [
        ("M900", "odd", "A", False),
        ("M901", "even", "B", True),
    ]
    assert {(m.module, m.class_name, m.task) for m in (first, second)} == {
        ("odd", "Odd", "OddTask")
    }


def test_broken_task_gets_a_connector_that_runs_it(tmp_path):
    """And the manifest leads to that one."""
    (mutant,) = (each for each in MUTANTS if each.id == "M055a")

    location = materialise(mutant, PLUGIN_PATH, tmp_path)

    (code,) = location.glob(f"*/{mutant.module}.py")
    (manifest,) = location.glob("*.dist-info/entry_points.txt")
    assert f"return {mutant.task}\n" in code.read_text(encoding="utf-8")
    assert f"{mutant.module}:{mutant.class_name}" in manifest.read_text(encoding="utf-8")
