"""The Python of Spark's workers is asked for Plugwright before they need it."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from plugwright.errors import SetupError
from plugwright.spark import register
from plugwright.worker_python import require_worker_python


@pytest.fixture
def python_saying(tmp_path):
    """Makes a program that ends with a status when it is asked."""

    def python_saying(status):
        program = tmp_path / "python3"
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
        return str(program)

    return python_saying


def test_python_that_runs_this_is_not_asked(monkeypatch):
    """It costs nothing where Plugwright has opened the session."""
    monkeypatch.setattr(subprocess, "run", pytest.fail)

    require_worker_python(sys.executable)


def test_python_without_the_package_is_refused(tmp_path):
    """A real one, of an environment with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    bare = str(tmp_path / "bare/bin/python3")

    with pytest.raises(SetupError) as raised:
        require_worker_python(bare)

    assert raised.value.code == "environment.worker-python"
    assert "which has no package plugwright" in str(raised.value)
    assert raised.value.hint == f"set PYSPARK_PYTHON={sys.executable} before the session is created"
    assert raised.value.facts == {"python": bare}


def test_program_that_is_not_there_is_refused():
    """As PySpark would, but before a query."""
    with pytest.raises(SetupError, match="no-such-python, which is no program here"):
        require_worker_python("no-such-python")


def test_python_that_does_not_answer_may_still_work(python_saying):
    """Only its own word is a reason to refuse it."""
    require_worker_python(python_saying(0))
    require_worker_python(python_saying(127))


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[1,1,1024]"])
def test_register_refuses_a_local_session_whose_workers_lack_the_package(python_saying, master):
    """At once, and not after a query has waited for its workers."""
    context = SimpleNamespace(master=master, pythonExec=python_saying(1), _python_includes=[])

    with pytest.raises(SetupError) as raised:
        register(SimpleNamespace(_jvm=object(), sparkContext=context))

    assert raised.value.code == "environment.worker-python"


@pytest.mark.parametrize(
    ("master", "files"),
    [("spark://host:7077", []), ("local[2]", ["plugwright-0.1.0-py3-none-any.whl"])],
    ids=["cluster", "sent-along"],
)
def test_register_does_not_judge_what_it_cannot_know(python_saying, master, files):
    """The machines of a cluster have paths of their own, and files of a job may bring it."""
    sources, named = [], []
    active = SimpleNamespace(setActiveSession=named.append)
    spark = SimpleNamespace(
        _jvm=_path_to(active, "org.apache.spark.sql.classic.SparkSession"),
        _jsparkSession="session",
        sparkContext=SimpleNamespace(
            master=master, pythonExec=python_saying(1), _python_includes=files
        ),
        dataSource=SimpleNamespace(register=sources.append),
    )

    register(spark)

    assert "plugwright" in {source.name() for source in sources}
    assert named == ["session"]


def _path_to(value, names):
    for name in reversed(names.split(".")):
        value = SimpleNamespace(**{name: value})
    return value
