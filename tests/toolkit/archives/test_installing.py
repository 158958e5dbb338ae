"""Rewritten archives work for those who use them: pip, unzip, distlib and the interpreter."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import sysconfig
import zipapp
import zipfile
from pathlib import Path

import pytest
from tests.toolkit.archives import pypi_rules, samples
from tests.toolkit.archives.samples import ENTRIES, FILES, MANIFEST, RECORD, WHEEL, with_manifest

from plugwright_toolkit.archives import ArtifactError, open_artifact, require_record, rewrite

PACKAGES = Path(sysconfig.get_path("purelib"))


@pytest.fixture
def rewritten(tmp_path):
    """A wheel in its own directory, rewritten with a manifest."""
    (tmp_path / "new").mkdir()
    target = tmp_path / "new" / WHEEL
    rewrite(samples.wheel(tmp_path), with_manifest(), target)
    return target


@pytest.mark.slow
def test_pip_installs_a_rewritten_wheel(tmp_path, rewritten):
    """Case 103, and finds its manifest."""
    place = tmp_path / "place"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run(
        [*pip, "--no-index", "--no-deps", "--no-compile", "--target", place, rewritten], check=True
    )

    assert (place / MANIFEST).read_bytes() == ENTRIES
    assert {n: (place / n).read_bytes() for n in FILES} == FILES


def test_distlib_verifies_a_rewritten_wheel(rewritten):
    """An independent reader of RECORD."""
    wheel = pytest.importorskip("distlib.wheel")

    wheel.Wheel(str(rewritten)).verify()


def test_unzip_tests_a_rewritten_wheel(rewritten):
    """An independent reader of archives."""
    unzip = shutil.which("unzip") or pytest.skip("no unzip here")

    done = subprocess.run([unzip, "-tq", rewritten], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("No errors detected")


KILLED = """
import os, pathlib, signal, sys
from plugwright_toolkit.archives import rewrite
write, calls = os.write, iter(range(99))
def dying(file, data):
    if next(calls) == {after}:
        write(file, bytes(data)[:len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    return write(file, data)
os.write = dying
rewrite(pathlib.Path(sys.argv[1]), {{"new.py": b"x" * 99}}, pathlib.Path(sys.argv[2]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", range(5))
def test_a_killed_process_leaves_the_original_and_no_archive(tmp_path, after):
    """What it wrote is never taken for the whole; the study's case 99."""
    path, target = samples.wheel(tmp_path), tmp_path / "new" / WHEEL
    target.parent.mkdir()
    before = path.read_bytes()

    done = subprocess.run(
        [sys.executable, "-c", KILLED.format(after=after), path, target], check=False
    )

    assert (done.returncode, path.read_bytes()) == (-signal.SIGKILL, before)
    with pytest.raises(ArtifactError):
        open_artifact(target)


def _wheels():
    return sorted(PACKAGES.glob("virtualenv/seed/wheels/embed/*.whl"))


@pytest.mark.slow
@pytest.mark.parametrize("path", _wheels(), ids=lambda path: path.name)
def test_published_wheels_are_rewritten(tmp_path, path):
    """Verified, changed, verified by others, and by their own RECORD."""
    members = open_artifact(path)
    require_record(members)
    name, record = (f"{members.metadata_directory}/{each}" for each in ("plugins.txt", "RECORD"))
    lines = members.read(record) + samples.row(name, ENTRIES).encode()
    target = tmp_path / path.name
    old = samples.packed(path)

    rewrite(path, {name: ENTRIES, record: lines}, target)

    require_record(open_artifact(target))
    new = samples.packed(target)
    assert {n: new[n] for n in old if n != record} == {n: old[n] for n in old if n != record}
    assert pypi_rules.check(target.read_bytes()) == list(new)


def _application(directory):
    source = directory / "source"
    source.mkdir()
    (source / "__main__.py").write_text("import shop\nprint(shop.NAME)\n")
    (source / "shop.py").write_text("NAME = 'ran'\n")
    path = directory / "shop.pyz"
    zipapp.create_archive(source, path, interpreter=sys.executable, compressed=True)
    return path


def test_a_rewritten_zip_application_runs(tmp_path):
    """Case 109: Python finds what it is to run."""
    target = tmp_path / "new.pyz"
    rewrite(_application(tmp_path), {"x-1.dist-info/entry_points.txt": ENTRIES}, target)

    done = subprocess.run([sys.executable, target], capture_output=True, text=True, check=True)

    assert done.stdout == "ran\n"


@pytest.mark.slow
def test_a_rewritten_egg_is_imported_and_has_its_manifest(tmp_path):
    """Case 112, by the standard library's own reader."""
    members = [("EGG-INFO/PKG-INFO", b"Name: shop\nVersion: 1\n"), ("shop.py", b"NAME = 'ran'\n")]
    target = tmp_path / "new.egg"
    path = samples.pack(tmp_path / "shop.egg", members)
    rewrite(path, {"EGG-INFO/entry_points.txt": ENTRIES}, target)

    code = (
        f"import sys; sys.path[:0] = [{str(target)!r}]\n"
        "import shop, importlib.metadata as m\n"
        "(found,) = m.entry_points(group='plugwright.SinkConnector', name='a')\n"
        "print(shop.NAME, found.value)"
    )
    target = target.rename(tmp_path / "shop-1.egg")
    code = code.replace("new.egg", "shop-1.egg")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "ran shop:ShopSinkConnector\n"


@pytest.mark.slow
@pytest.mark.drill
def test_a_wheel_of_seventy_thousand_members_is_rewritten(tmp_path):
    """Case 107: ZIP64 records come back where they are needed; comment and stored members stay."""
    files = FILES | {f"shop/{n // 1000}/{n}.py": b"%d" % n for n in range(70_000)}
    stored = [(samples.info(name, method=zipfile.ZIP_STORED), data) for name, data in files.items()]
    path = samples.pack(
        tmp_path / WHEEL, [*stored, (RECORD, samples.record(files))], comment=b"many"
    )
    target = tmp_path / "new" / WHEEL
    target.parent.mkdir()

    rewrite(path, with_manifest(files), target)

    require_record(open_artifact(target))
    assert pypi_rules.check(target.read_bytes()) == [*files, MANIFEST, RECORD]
    with zipfile.ZipFile(target) as archive:
        assert (archive.comment, len(archive.namelist())) == (b"many", 70_006)
        assert archive.read("shop/69/69999.py") == b"69999"
