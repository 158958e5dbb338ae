"""The interpreter of executors, in an environment that only they have, on the driver."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from plugwright.spark.driver_python import absolute_files, driver_directory

NAME = Path(sys.executable).name


@pytest.mark.parametrize("environment", ["./environment", "environment", "environments/one"])
def test_interpreter_of_executors_is_the_drivers_own_there(tmp_path, environment):
    """With the same packages; a relative command is looked up from there."""
    python = f"{environment}/bin/{NAME}"
    directory = driver_directory({"spark.pyspark.python": python}, tmp_path)

    command = [python, "-c", "import sys, plugwright; print(sys.prefix, plugwright.__file__)"]
    said = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True)

    import plugwright  # noqa: PLC0415  # what the other one has, too

    prefix, file = said.stdout.split()
    assert Path(prefix).resolve() == Path(sys.prefix).resolve()
    assert file == plugwright.__file__


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"spark.pyspark.python": "python3"},
        {"spark.pyspark.python": f"/opt/plugwright/bin/{NAME}"},
        {"spark.pyspark.python": "./environment/bin/python0.1"},
    ],
)
def test_otherwise_the_jvm_starts_where_the_driver_is(tmp_path, settings):
    """The interpreter is found everywhere, or this environment has none of that name."""
    assert driver_directory(settings, tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_job_stay_those_of_the_drivers_directory(tmp_path, monkeypatch):
    """Absolute paths and addresses are what they are."""
    monkeypatch.chdir(tmp_path)
    given = {
        "spark.archives": "environment.tar.gz#environment,hdfs://n/a.zip",
        "spark.jars": "/opt/a.jar,b.jar",
        "spark.files": "",
        "spark.other": "c.jar",
    }

    assert absolute_files(given) == {
        "spark.archives": f"{tmp_path}/environment.tar.gz#environment,hdfs://n/a.zip",
        "spark.jars": f"/opt/a.jar,{tmp_path}/b.jar",
        "spark.files": "",
        "spark.other": "c.jar",
    }
