"""Connectors that are odd and right raise no alarm (catalogue 5.3)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.mutants import Mutant, materialise

pytestmark = pytest.mark.slow

CONTROLS = {
    "sink_buffers": ("file-sink", ["CON-DLV-03", "CON-DLV-13", "CON-ERR-01", "SNK-OFF-03"]),
    "sink_has_threads": ("file-sink", ["SNK-OFF-05", "SNK-ERR-10"]),
    "source_has_threads": ("file-source", ["SRC-ERR-01", "SRC-ERR-02"]),
}
"""Each with the connector that it is made from, and the checks that it may not alarm."""


@pytest.fixture
def control(tmp_path, monkeypatch):
    """Makes a location of one of them."""

    def make(name):
        control = Mutant(name, "none", CONTROLS[name][0], "", "")
        target = materialise(control, PLUGIN_PATH, tmp_path)
        kind = CONTROLS[name][0].rpartition("-")[2]
        package = f"plugwright_file_{kind}"
        shutil.copyfile(
            Path(__file__).parent / "controls" / f"{name}.py", target / package / f"{name}.py"
        )
        (manifest,) = target.glob("*.dist-info/entry_points.txt")
        good, odd = f"FileStream{kind.title()}Connector", f"Broken{kind.title()}Connector"
        for file in (manifest, target / package / "conformance.toml"):
            text = file.read_text()
            text = text.replace(f"{package}:{good}", f"{package}.{name}:{odd}")
            file.write_text(text.replace(f"{package}.{good}", f"{package}.{name}.{odd}"))
        return target

    return make


@pytest.mark.parametrize(
    ("name", "check"),
    [(name, check) for name, (_, checks) in CONTROLS.items() for check in checks],
)
def test_odd_connector_raises_no_alarm(name, check, control, run):
    """What is right passes, however it is done."""
    (result,) = run(control(name), check).results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
