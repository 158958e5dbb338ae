"""Where plugin locations stand on the import path of Spark's Python workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import plugwright.spark

SITE = Path(plugwright.spark.__file__).with_name("_site")


def seen(tmp_path, code, *before, after=()):
    """What a Python prints that starts as Spark's workers do."""
    path = os.pathsep.join(map(str, (*before, SITE, *after)))
    environment = {"PYTHONPATH": path, "PLUGWRIGHT_LOCATIONS": f"{tmp_path}/a:{tmp_path}/b"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.strip()


def module(path, text):
    """A module in a directory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_locations_stand_between_the_library_and_what_is_installed(tmp_path):
    """In their order, and our own directory is gone."""
    code = (
        "import sys, os\n"
        "library = [i for i, e in enumerate(sys.path) if e.endswith('lib-dynload')][0]\n"
        "print([os.path.basename(e) for e in sys.path[library + 1 : library + 4]])\n"
        "print(any('_site' in e.split(os.sep) for e in sys.path))"
    )
    assert seen(tmp_path, code) == "['a', 'b', 'site-packages']\nFalse"


@pytest.mark.parametrize("name", ["colorsys", "plugwright"])
def test_a_location_replaces_neither_library_nor_runtime(tmp_path, name):
    """Whatever an installer has put there."""
    module(tmp_path / f"a/{name}.py", "raise SystemExit('replaced')")
    assert seen(tmp_path, f"import {name}; print({name}.__name__)") == name


def test_the_first_location_wins(tmp_path):
    """Over the second one, and over what is installed."""
    for place in "ab":
        module(tmp_path / f"{place}/shared.py", f"place = '{place}'")
        module(tmp_path / f"{place}/packaging.py", f"place = '{place}'")
    code = "import shared, packaging; print(shared.place, packaging.place)"
    assert seen(tmp_path, code) == "a a"


def test_a_sitecustomize_of_others_still_runs(tmp_path):
    """Coverage tools and tracers hang on it; a distribution may have its own in the library."""
    module(tmp_path / "tracer/sitecustomize.py", "mine = True")
    code = "import sitecustomize; print(sitecustomize.mine)"
    assert seen(tmp_path, code, after=[tmp_path / "tracer"]) == "True"
