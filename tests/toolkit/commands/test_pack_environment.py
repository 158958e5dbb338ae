"""``plugwright pack-environment``: an environment that runs elsewhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from plugwright_toolkit.own_wheel import write_own_wheel

pytest.importorskip("venv_pack")

_UV = shutil.which("uv", path=f"{sys.prefix}/bin")


@pytest.fixture
def environment(tmp_path):
    """A virtual environment with this Plugwright and something that calls itself pyspark."""
    root = tmp_path / "own"
    subprocess.run([_UV, "venv", "--quiet", "--python", sys.executable, root], check=True)
    wheel = write_own_wheel(tmp_path / "wheels")
    install = [_UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", root]
    subprocess.run([*install, wheel.path], check=True)
    (site,) = root.glob("lib/python*/site-packages")
    (site / "pyspark").mkdir()
    (site / "pyspark" / "__init__.py").write_text("", "utf-8")
    return root


@pytest.mark.slow
def test_a_packed_environment_runs_where_it_is_unpacked(plugwright, environment, tmp_path):
    """By shutil, in another place, with the one packed gone; Spark's own package is left out."""
    archive, elsewhere = tmp_path / "e.tar.gz", tmp_path / "elsewhere"

    status, out, _ = plugwright("pack-environment", archive, "--environment", environment)

    shutil.unpack_archive(archive, elsewhere, filter="fully_trusted")
    environment.rename(tmp_path / "gone")
    found = "import plugwright; print(plugwright.__file__)"
    reported = subprocess.run(
        [elsewhere / "bin" / "python", "-I", "-c", found],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert status == 0
    assert out.splitlines()[1:] == [
        f"spark.archives={archive}#environment",
        "spark.pyspark.python=./environment/bin/python",
    ]
    assert reported.startswith(str(elsewhere))
    assert not list(elsewhere.glob("lib/python*/site-packages/pyspark"))


@pytest.mark.slow
def test_settings_are_a_document_for_programs(plugwright, environment, tmp_path):
    """The same two settings, under their names."""
    archive = tmp_path / "e.tar.gz"

    status, out, _ = plugwright("pack-environment", archive, "--environment", environment, "--json")

    assert status == 0
    assert json.loads(out) == {
        "format": "plugwright-pack-environment/1",
        "archive": str(archive),
        "settings": {
            "spark.archives": f"{archive}#environment",
            "spark.pyspark.python": "./environment/bin/python",
        },
    }


@pytest.mark.slow
def test_editable_distributions_are_refused_by_name(plugwright, environment, tmp_path):
    """They would be links to a directory that executors do not have."""
    (site,) = environment.glob("lib/python*/site-packages")
    (record,) = site.glob("plugwright-*.dist-info")
    origin = {"url": "file:///src/plugwright", "dir_info": {"editable": True}}
    (record / "direct_url.json").write_text(json.dumps(origin), "utf-8")

    status, _, err = plugwright(
        "pack-environment", tmp_path / "e.tar.gz", "--environment", environment
    )

    assert status == 2
    assert "plugwright would be missing: an editable distribution is only a link" in err
    assert not (tmp_path / "e.tar.gz").exists()


def test_what_is_no_virtual_environment_is_refused(plugwright, tmp_path):
    """With its name, and nothing written."""
    status, _, err = plugwright(
        "pack-environment", tmp_path / "e.tar.gz", "--environment", tmp_path
    )

    assert status == 2
    assert f"the environment {tmp_path} cannot be packed" in err
    assert list(tmp_path.iterdir()) == []
