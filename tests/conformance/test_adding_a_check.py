"""A new check is one file, its mutant another; everything else follows from the two."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import plugwright_conformance

ROOT = Path(__file__).parents[2]
CHECK = '''
"""A check that was not there before."""

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level


@registered
class NoFruitInDefaults(Check):
    """CON-CFG-77."""

    id = "CON-CFG-77"
    level = Level.C2
    wave = 3
    title = "No default is a fruit"
    why = "Fruit goes bad."
    mend = "Take another default."

    def run(self, bench):
        keys = bench.connector().config().keys.values()
        if found := [key.name for key in keys if key.default_value == "banana"]:
            raise CheckFailedError("no fruit", f"a banana in {found[0]}")
        return Evidence(len(keys))
'''
MUTANT = '''
"""A sink with fruit in it."""

from plugwright import ConfigDef, ConfigType, Importance
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkConnector


@mutant(
    "M977",
    "default is a fruit",
    base="rows-sink",
    killed_by="CON-CFG-77",
    failure="a banana in rows.fruit",
    sentinel=True,
)
class FruitInDefaults(RowsSinkConnector):
    """Has a banana."""

    def config(self):
        return super().config().define(
            "rows.fruit", ConfigType.STRING, "banana", Importance.LOW, "Which fruit to take."
        )
'''
LOOK = """
import json, sys, tempfile
from pathlib import Path

from plugwright_conformance.catalogue.selection import select_checks
from plugwright_conformance.certificate import registry_of
from plugwright_conformance.checks import CHECKS, MUST_CHECKS
from plugwright_conformance.controls.every_run import sentinels
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.mutants import MUTANTS, materialise, materialise_base
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.subject import open_subjects

sys.path.insert(0, sys.argv[1])
from reference_texts import checks as pages

(added,) = [mutant for mutant in MUTANTS if mutant.id == "M977"]
here = Path(tempfile.mkdtemp(dir=sys.argv[2]))
materialise_base("rows-sink", Path(), here / "good")
found = {}
for name, location in {"bad": materialise(added, Path(), here), "good": here / "good"}.items():
    options = RunOptions(seed="7f", selection=("CON-CFG-77",))
    subject = open_subjects(location, here)[0]
    run = run_checks(subject, CHECKS, options, workspace=here, live=None, listener=SilentListener())
    found[name] = run.results[0].outcome.value
ids = [check.id for check in CHECKS]
print(json.dumps({
    **found,
    "follows": ids[ids.index("CON-CFG-77") - 1],
    "group": CHECKS[ids.index("CON-CFG-77")].group,
    "must": MUST_CHECKS["sink"]["C2"],
    "checks": len(ids),
    "mutants": len(MUTANTS),
    "certificate": any(entry.id == "CON-CFG-77" for entry in registry_of(CHECKS)),
    "page": sum("No default is a fruit" in page for page in pages().values()) == 2,
    "sentinel": added in sentinels(),
}))
"""


def looked(suite: Path, scratch: Path) -> dict[str, object]:
    """What a process says whose suite is this copy."""
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(ROOT / "docs/_extension"), str(scratch)],
        env={**os.environ, "PYTHONPATH": str(suite)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_two_files_add_a_check_and_its_mutant(tmp_path):
    """The run, its order, profile, certificate, controls and the reference page have both."""
    from plugwright_conformance.checks import CHECKS, MUST_CHECKS  # noqa: PLC0415  # the present
    from plugwright_conformance.mutants import MUTANTS  # noqa: PLC0415  # ones

    own = Path(str(plugwright_conformance.__file__)).parent
    copy = tmp_path / "suite" / own.name
    shutil.copytree(own, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "checks/_fruit.py").write_text(CHECK)
    (copy / "mutants/sink_fruit.py").write_text(MUTANT)

    assert looked(copy.parent, tmp_path) == {
        "bad": "FAIL",
        "good": "PASS",
        "follows": max(check.id for check in CHECKS if check.id.startswith("CON-CFG-")),
        "group": "Configuration",
        "must": MUST_CHECKS["sink"]["C2"] + 1,
        "checks": len(CHECKS) + 1,
        "mutants": len(MUTANTS) + 1,
        "certificate": True,
        "page": True,
        "sentinel": True,
    }
