"""A sync that is killed or fails anywhere: originals stay whole, the next run completes it."""

from __future__ import annotations

import errno
import os
import shutil

import pytest
from tests.toolkit.manifests.conftest import Look, Place, record_errors, snapshot
from tests.toolkit.manifests.faults import (
    KILLED,
    BrokenDisk,
    CountingDisk,
    KillingDisk,
    in_child,
)

from plugwright.plugins import find_locations
from plugwright_toolkit.manifests import SyncOptions, render_text, sync_manifests

CROSS = os.strerror(errno.EXDEV)
SHIM = "connect_plugin_path_shim-1.0.0.dist-info"
GROUP = "[plugwright.SinkConnector]"


def _edited(place):
    """A manifest that gains and loses lines."""
    place.module("shop", plugin="sink shop:ShopSink")
    place.distribution(files=["shop.py"], manifest=f"{GROUP}\na = gone:Gone\nb = x:B\n")
    place.facts |= {"sink gone:Gone": "module-missing", "sink x:B": True}


def _made(place):
    """A manifest that was not there."""
    place.module("shop", plugin="sink shop:ShopSink")
    place.distribution(files=["shop.py"])


def _emptied(place):
    """A manifest that goes."""
    place.distribution(manifest=f"{GROUP}\na = gone:Gone\n")
    place.facts["sink gone:Gone"] = "module-missing"


def _signed(place):
    """A signature that goes."""
    place.module("shop", plugin="sink shop:ShopSink")
    place.distribution(files=["shop.py"], **{"RECORD.jws": "{}"})


def _bare(place):
    """A shim that is made."""
    place.module("shop/__init__", plugin="sink shop:ShopSink")


def _shim_goes(place):
    """A shim that goes."""
    _bare(place)
    place.sync()
    place.facts = {"sink shop:ShopSink": "abstract"}


def _shim_changes(place):
    """A shim that gains a line."""
    _bare(place)
    place.sync()
    place.facts["source shop:Source"] = True


def _egg(place):
    """The older metadata of setuptools."""
    place.module("shop", plugin="sink shop:ShopSink")
    directory = place.path / "shop-1.0.egg-info"
    directory.mkdir()
    (directory / "PKG-INFO").write_text("Name: shop\nVersion: 1.0\n")
    (directory / "installed-files.txt").write_text("../shop.py\n")


WRITES = frozenset({"write", "flush", "mkdir", "resemble"})
KINDS = [_edited, _made, _emptied, _signed, _bare, _shim_goes, _shim_changes, _egg]


def _built(path, build):
    place = Place(path)
    build(place)
    return place


def _run(place, disk):
    return place.sync(disk=disk, invalidate_signatures=True)


@pytest.mark.slow
@pytest.mark.parametrize("build", KINDS, ids=lambda build: build.__name__.strip("_"))
def test_a_kill_anywhere_is_healed_by_the_next_run(tmp_path, build):
    """Case 99: at every step; the bytes are those of a run that was left in peace."""
    peaceful = _built(tmp_path / "peaceful" / "shop", build)
    disk = CountingDisk()
    _run(peaceful, disk)
    wrong = []
    for step, name in enumerate(disk.steps):
        place = _built(tmp_path / str(step) / "shop", build)
        status = in_child(lambda place=place, step=step: _run(place, KillingDisk(step)))
        healed = _run(place, None)
        if status != KILLED or healed.failed or record_errors(place.path):
            wrong.append((step, name, "status", status, render_text(healed)))
        elif snapshot(place.path) != snapshot(peaceful.path):
            wrong.append((step, name, "differs"))
        elif _run(place, None).needed:
            wrong.append((step, name, "not settled"))
    assert len(disk.steps) > 8
    assert wrong == []


@pytest.mark.parametrize(
    "build",
    [
        pytest.param(_edited, marks=pytest.mark.drill),
        pytest.param(_emptied, marks=pytest.mark.drill),
        pytest.param(_shim_goes, marks=pytest.mark.slow),
    ],
    ids=lambda build: build.__name__[1:],
)
def test_two_kills_are_healed_too(tmp_path, build):
    """Case 99: the second one strikes the run that heals."""
    peaceful = _built(tmp_path / "peaceful" / "shop", build)
    disk = CountingDisk()
    _run(peaceful, disk)
    wrong = []
    for first in range(0, len(disk.steps), 2):
        for second in range(1, len(disk.steps), 3):
            place = _built(tmp_path / f"{first}-{second}" / "shop", build)
            for step in (first, second):
                in_child(lambda place=place, step=step: _run(place, KillingDisk(step)))
            _run(place, None)
            if snapshot(place.path) != snapshot(peaceful.path):
                wrong.append((first, second))
    assert wrong == []


@pytest.mark.slow
def test_a_kill_during_the_rewriting_of_a_wheel_is_healed(tmp_path, wheel):
    """Case 99, for archives: at every step."""
    source = wheel()

    def copied(name):
        path = tmp_path / name / source.name
        path.parent.mkdir()
        shutil.copy2(source, path)
        return path

    def run(path, disk):
        options = SyncOptions(locations=tuple(find_locations([path])[0]))
        return sync_manifests(options, disk=disk, look=Look({"sink shop:ShopSink": True}))

    disk = CountingDisk()
    peaceful = copied("peaceful")
    run(peaceful, disk)
    for step in range(len(disk.steps)):
        path = copied(str(step))
        assert in_child(lambda path=path, step=step: run(path, KillingDisk(step))) == KILLED
        assert not run(path, None).failed
        assert snapshot(path.parent) == snapshot(peaceful.parent)


@pytest.mark.slow
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO], ids=["full", "broken"])
@pytest.mark.parametrize("build", KINDS, ids=lambda build: build.__name__.strip("_"))
def test_an_error_at_a_write_leaves_the_originals(tmp_path, build, number):
    """Case 100: the location is as it was, nothing is left behind, and the reason is reported."""
    place = _built(tmp_path / "shop", build)
    before = snapshot(place.path)
    counting = CountingDisk()
    _run(_built(tmp_path / "counted" / "shop", build), counting)
    # The first of them are those of the preflight and, behind it, of the marker.
    marked = counting.steps.index("link")
    steps = [at for at, name in enumerate(counting.steps) if name in WRITES and at > marked]
    wrong = []
    for step in steps:
        result = _run(place, BrokenDisk(step, number))
        codes = [error.code for error in result.outcomes[0].plan.refusals]
        if snapshot(place.path) != before or codes != ["sync.write-failed"]:
            wrong.append((step, codes))
    assert wrong == []


def test_a_marker_that_cannot_be_written_is_done_without(shop, tmp_path):
    """Its place is full; if that matters, the manifest will not fit either."""
    counting = CountingDisk()
    _run(_built(tmp_path / "counted" / "shop", _made), counting)
    first = counting.steps.index("write", counting.steps.index("link") - 3)
    assert _run(shop, BrokenDisk(first)).changed
    assert snapshot(shop.path) == snapshot(tmp_path / "counted" / "shop")


@pytest.mark.parametrize("build", KINDS, ids=lambda build: build.__name__.strip("_"))
def test_a_refused_rename_is_undone(tmp_path, build):
    """The last rename fails: what was published before it is taken back."""
    counting = CountingDisk()
    _run(_built(tmp_path / "counted" / "shop", build), counting)
    last = max(at for at, name in enumerate(counting.steps) if name.startswith("rename"))
    place = _built(tmp_path / "shop", build)
    before = snapshot(place.path)
    result = _run(place, BrokenDisk(last, errno.EXDEV))
    assert snapshot(place.path) == before
    assert [error.message for error in result.outcomes[0].plan.refusals] == [
        f"could not be changed: {CROSS} at somewhere; it is as it was"
    ]


def test_what_verification_does_not_find_is_taken_back(shop, monkeypatch):
    """E0: a reader that sees something else has the last word."""
    before = snapshot(shop.path)
    module = "plugwright_toolkit.manifests._verifying._by_us"
    monkeypatch.setattr(module, lambda artifact: set())
    result = shop.sync()
    (refusal,) = result.outcomes[0].plan.refusals
    assert (refusal.code, result.changed) == ("sync.verification-failed", False)
    assert snapshot(shop.path) == before


def test_the_standard_library_has_a_say(shop, monkeypatch):
    """E0: it must see what was added."""
    before = snapshot(shop.path)
    module = "plugwright_toolkit.manifests._verifying._by_library"
    monkeypatch.setattr(module, lambda unit: set())
    result = shop.sync()
    assert "importlib.metadata does not see shop.ShopSink" in render_text(result)
    assert snapshot(shop.path) == before


def test_leftovers_of_a_dead_run_go(shop):
    """E0: files and directories, and the report names them."""
    shop.facts["source shop:Source"] = True
    shop.sync()
    shop.facts["converter shop:Converter"] = True
    shop.sync(shim=True)
    synced = snapshot(shop.path)
    (shop.path / ".x.cpp-0123.tmp").mkdir()
    (shop.path / "shop-1.0.dist-info" / ".RECORD.cpp-0123.tmp").write_text("torn")
    (shop.path / SHIM / ".METADATA.cpp-0123.tmp").write_text("torn")
    result = shop.sync()
    assert snapshot(shop.path) == synced
    assert "\tRepair\tleft-over .RECORD.cpp-0123.tmp\n" in render_text(result)


def test_a_row_without_file_is_healed_after_a_crash(place):
    """The manifest went, its row did not."""
    shop = place()
    directory = shop.distribution(manifest=f"{GROUP}\na = gone:Gone\n")
    (directory / "entry_points.txt").unlink()
    (directory / ".RECORD.cpp-0123.tmp").write_text("torn")
    shop.sync()
    assert record_errors(shop.path) == []


def test_a_file_that_changes_meanwhile_is_not_overwritten(shop):
    """Another process wrote it after the plan was made."""
    manifest = shop.path / "shop-1.0.dist-info" / "entry_points.txt"

    class Interfering(CountingDisk):
        def link(self, source, target):
            manifest.write_text("[z]\nq\n")
            super().link(source, target)

    result = shop.sync(disk=Interfering())
    assert [error.code for error in result.outcomes[0].plan.refusals] == ["sync.changed"]
    assert manifest.read_text() == "[z]\nq\n"


def test_an_archive_that_changes_meanwhile_is_not_overwritten(wheel):
    """Another process wrote it after the plan was made."""
    path = wheel()
    options = SyncOptions(locations=tuple(find_locations([path])[0]))
    replaced = path.read_bytes()

    class Interfering(CountingDisk):
        def link(self, source, target):
            path.write_bytes(replaced)
            os.utime(path, (1, 1))
            super().link(source, target)

    result = sync_manifests(options, disk=Interfering(), look=Look({"sink shop:ShopSink": True}))
    assert [error.code for error in result.outcomes[0].plan.refusals] == ["sync.changed"]
    assert path.read_bytes() == replaced


def test_without_hard_links_originals_are_copied(place):
    """E3: odd file systems are tolerated."""

    class Linkless(CountingDisk):
        def link(self, source, target):
            raise OSError(errno.EPERM, "no links here")

    shop = place()
    _edited(shop)
    disk = Linkless()
    assert shop.sync(disk=disk).changed
    assert "copy" in disk.steps
    assert record_errors(shop.path) == []
    assert not list(shop.path.rglob(".*.tmp"))


def test_an_immutable_file_stays_and_nothing_else_changes(place):
    """Its attribute forbids second names and renames, and also to undo them."""

    class Immutable(CountingDisk):
        def link(self, source, target):
            self._refuse(source)
            super().link(source, target)

        def rename(self, source, target):
            self._refuse(target)
            super().rename(source, target)

        def _refuse(self, path):
            if path.name == "RECORD":
                raise OSError(errno.EPERM, os.strerror(errno.EPERM), str(path))

    shop = place()
    _edited(shop)
    before = snapshot(shop.path)
    result = shop.sync(disk=Immutable())
    assert snapshot(shop.path) == before
    (error,) = result.outcomes[0].plan.refusals
    assert error.code == "sync.write-failed"
    assert error.message == (
        f"could not be changed: Operation not permitted at {shop.path}/shop-1.0.dist-info/RECORD; "
        "it is as it was"
    )


def test_what_cannot_be_undone_is_completed_by_the_next_run(place):
    """The disk fails for good between the renames."""

    class Dying(CountingDisk):
        dead = False

        def rename(self, source, target):
            self.dead = self.dead or target.name == "RECORD"
            if self.dead:
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(target))
            super().rename(source, target)

    shop = place()
    _edited(shop)
    (error,) = shop.sync(disk=Dying()).outcomes[0].plan.refusals
    assert (error.code, error.message) == (
        "sync.undo-failed",
        "what was written could not be put back: Input/output error",
    )
    assert shop.sync().changed
    assert record_errors(shop.path) == []
    assert not shop.sync().needed


def test_manifest_first_then_record(place):
    """E0: the order of renames, and the root is touched last."""
    shop = place()
    _edited(shop)
    disk = CountingDisk()
    shop.sync(disk=disk)
    renames = [step for step in disk.steps if step.startswith("rename")]
    assert renames == ["rename to entry_points.txt", "rename to RECORD"]
    assert disk.steps[-1] == "touch"
    first = disk.steps.index(renames[0])
    created = [at for at, step in enumerate(disk.steps) if step.startswith("create")]
    assert max(created) < first
    assert "flush" in disk.steps[disk.steps.index(renames[1]) :]
