"""Several syncs at once, readers meanwhile, and file systems that are mounted for reading."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.toolkit.manifests.conftest import Look, record_errors, snapshot
from tests.toolkit.manifests.faults import in_child

from plugwright.plugins import Plugins

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def _fork(run):
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = run()
        finally:
            os._exit(status)
    return pid


def test_two_syncs_at_once_agree(shop):
    """Case 101: each waits for the other, and the result is that of one."""

    def run():
        for number in range(20):
            shop.facts = {f"sink shop:S{number}": True}
            if shop.sync(patience_s=20, keep_not_found=True).failed:
                return 1
        return 0

    pids = [_fork(run) for _ in range(2)]
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids] == [0, 0]
    assert shop.declared() == sorted(("sink", f"shop.S{number}") for number in range(20))
    assert record_errors(shop.path) == []
    assert not [name for name in snapshot(shop.path) if "cpp-" in name or "lock" in name]


def test_a_reader_never_sees_a_torn_manifest(shop):
    """Case 102, in small: manifest by manifest either the old or the new one."""
    shop.facts = {"sink shop:A": True}
    shop.sync()
    manifest = shop.path / "shop-1.0.dist-info" / "entry_points.txt"
    one = manifest.read_bytes()
    shop.facts["sink shop:B"] = True
    shop.sync()
    two = manifest.read_bytes()

    def run():
        looks = Look({"sink shop:A": True, "sink shop:B": "abstract"}), Look(shop.facts)
        return max(shop.sync(look=looks[number % 2]).failed for number in range(150))

    pid = _fork(run)
    seen, names, reads, ended = set(), set(), 0, 0
    while not ended:
        seen.add(manifest.read_bytes())
        names.add(len(Plugins.service_load([shop.path]).descriptors))
        reads += 1
        ended, status = os.waitpid(pid, os.WNOHANG)
    assert (os.waitstatus_to_exitcode(status), names) == (0, {1, 2})
    assert seen == {one, two}
    assert reads > 100


@pytest.mark.skipif(shutil.which("unshare") is None, reason="util-linux is not installed")
def test_a_read_only_mount_is_noticed_by_root(shop, tmp_path):
    """Case 98, for real, in a mount namespace of its own."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from tests.toolkit.manifests.conftest import Place
        shop = Place(Path({str(shop.path)!r}))
        shop.facts = {{"sink shop:ShopSink": True}}
        (error,) = shop.sync().outcomes[0].plan.refusals
        sys.stdout.write(error.message)
        """)
    )
    place = str(shop.path)
    command = (
        f"mount --bind {place} {place} && mount -o remount,bind,ro {place} && "
        f"PYTHONPATH={ROOT} exec {sys.executable} {script}"
    )
    before = snapshot(shop.path)
    ended = subprocess.run(
        [shutil.which("unshare"), "--user", "--map-root-user", "--mount", "sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare failed" in ended.stderr or "permission denied" in ended.stderr.lower():
        pytest.skip(f"no mount namespaces here: {ended.stderr}")
    assert ended.stdout == f"Path {place} must be writable: Read-only file system (errno 30)"
    assert snapshot(shop.path) == before


def test_a_sync_that_is_interrupted_undoes(shop):
    """Ctrl-C between the renames."""
    from tests.toolkit.manifests.faults import CountingDisk  # noqa: PLC0415  # for one test

    class Interrupted(CountingDisk):
        def rename(self, source, target):
            if target.name == "RECORD" and "interrupted" not in self.steps:
                self.steps.append("interrupted")
                raise KeyboardInterrupt
            super().rename(source, target)

    before = snapshot(shop.path)
    with pytest.raises(KeyboardInterrupt):
        shop.sync(disk=Interrupted())
    assert snapshot(shop.path) == before
    assert in_child(lambda: shop.sync().changed or os._exit(3)) == 0
