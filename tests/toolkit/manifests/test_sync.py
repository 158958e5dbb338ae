"""Several locations, what is tried first, locks, copies, and the report."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import platform
import sys
from pathlib import Path

import pytest
from tests.toolkit.manifests.conftest import Look, names, record_errors, snapshot, times
from tests.toolkit.manifests.faults import CountingDisk, ReadOnlyDisk, in_child

import plugwright_toolkit.manifests
from plugwright.plugins import Location, LocationKind, Plugins, find_locations, hold
from plugwright_toolkit.manifests import (
    SyncOptions,
    render_text,
    sync_manifests,
    to_json,
)

GROUP = "[plugwright.SinkConnector]"
LOCK = ".connect-plugin-path.lock"


@pytest.fixture
def both(place):
    """Two locations, of which the first cannot be synced."""
    bad, good = place("a/bad"), place("a/good")
    for name, each in (("bad", bad), ("good", good)):
        each.module(name, plugin=f"sink {name}:Sink")
        each.distribution(name, files=[f"{name}.py"])
    (bad.path / "bad-1.0.dist-info" / "entry_points.txt").write_bytes(
        f"{GROUP}\nx = \xff:X\n".encode("latin-1")
    )
    return bad, good


def _sync(*places, disk=None, **options):
    locations = tuple(location for place in places for location in place.locations)
    surveys = {location: place.look for place in places for location in place.locations}

    def look(found, *, exclude=()):
        return [surveys[location]([location])[0] for location in found]

    options = SyncOptions(locations=locations, **options)
    return sync_manifests(options, disk=disk, look=look, patience_s=0.1)


def _errors(result):
    return [error for outcome in result.outcomes for error in outcome.plan.refusals]


def test_one_refusal_stops_all(both):
    """E3: all or nothing, and the report says which is which."""
    before = [snapshot(each.path) for each in both]
    result = _sync(*both)
    assert [snapshot(each.path) for each in both] == before
    assert (result.failed, result.changed) == (True, False)
    assert [outcome.state.value for outcome in result.outcomes] == ["failed", "skipped"]
    assert render_text(result) == (
        "Scanning for plugins...\n"
        f"error: sync.undecodable: {both[0].path}/bad-1.0.dist-info/entry_points.txt: "
        "a line of a plugin group is not UTF-8; expected UTF-8 in line 2\n"
        "  → save the manifest as UTF-8, or remove that line; nothing was changed\n"
        f"Not changed: {both[0].path}\n"
        f"Not changed, because of the others: {both[1].path}\n"
        "Sync incomplete.\n"
    )


def test_the_good_ones_can_go_on(both):
    """``--continue``; the run fails all the same."""
    result = _sync(*both, continue_=True)
    assert (result.failed, result.changed) == (True, True)
    assert [outcome.state.value for outcome in result.outcomes] == ["failed", "changed"]
    assert both[1].declared() == [("sink", "good.Sink")]
    assert render_text(result).splitlines()[-2:] == [f"Changed: {both[1].path}", "Sync incomplete."]


def test_a_failure_while_writing_stops_what_follows(place):
    """E0: what was changed before stays changed."""
    places = [place(f"a/{name}") for name in ("one", "two", "three")]
    for each in places:
        name = each.path.name
        each.module(name, plugin=f"sink {name}:Sink")
        each.distribution(name, files=[f"{name}.py"])

    class Broken(CountingDisk):
        def rename(self, source, target):
            if "two" in str(target):
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(target))
            super().rename(source, target)

    result = _sync(*places, disk=Broken())
    assert [o.state.value for o in result.outcomes] == ["changed", "failed", "skipped"]
    result = _sync(*places, disk=Broken(), continue_=True)
    assert [o.state.value for o in result.outcomes] == ["unchanged", "failed", "changed"]


@pytest.mark.parametrize("dry_run", [True, False], ids=["dry", "real"])
def test_a_read_only_mount_is_noticed_before_anything_changes(shop, dry_run):
    """Case 98: also for root, with path and number of the error."""
    before = times(shop.path)
    result = shop.sync(disk=ReadOnlyDisk(), dry_run=dry_run)
    (error,) = _errors(result)
    assert (error.code, error.message) == (
        "sync.not-writable",
        f"Path {shop.path} must be writable: Read-only file system (errno 30)",
    )
    assert (result.failed, times(shop.path)) == (True, before)


@pytest.mark.slow
def test_a_read_only_directory_is_noticed(shop):
    """Case 98: as a user without the right to write, really tried."""
    before = snapshot(shop.path)
    for path in (*shop.path.rglob("*"), shop.path):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for parent in shop.path.parents:
        if parent.stat().st_uid == os.getuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    os.environ["PLUGWRIGHT_CACHE"] = str(shop.path.parent / "open")
    (shop.path.parent / "open").mkdir(mode=0o777)
    (shop.path.parent / "open").chmod(0o777)

    def run():
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        (error,) = _errors(shop.sync())
        sys.exit(0 if "Permission denied (errno 13)" in error.message else 2)

    status = in_child(lambda: _exit_of(run))
    for path in (shop.path, *shop.path.rglob("*")):
        path.chmod(before.get(path.relative_to(shop.path).as_posix(), (0o755,))[0] & 0o777)
    assert (status, snapshot(shop.path)) == (0, before)


def _exit_of(run):
    try:
        run()
    except SystemExit as end:
        os._exit(end.code)


def test_only_an_unwritable_owner_leaves_its_plugins_to_the_shim(shop):
    """E3: its directory cannot be written, the location's can."""

    class Partly(CountingDisk):
        def probe(self, directory):
            if directory.name.endswith(".dist-info"):
                raise OSError(errno.EACCES, os.strerror(errno.EACCES))
            super().probe(directory)

    result = shop.sync(disk=Partly())
    assert [note.code for note in result.outcomes[0].plan.notes] == ["sync.unwritable"]
    assert (shop.path / "connect_plugin_path_shim-1.0.0.dist-info").is_dir()


def test_a_full_disk_is_noticed_before_anything_changes(shop):
    """E0: twice of what is written must be free."""

    class Full(CountingDisk):
        def free_space(self, directory):
            return 10

    result = shop.sync(disk=Full())
    assert [error.code for error in _errors(result)] == ["sync.no-space"]
    assert (result.outcomes[0].plan.refusals[0].message).startswith(
        f"{shop.path}/shop-1.0.dist-info has 10 bytes left, "
    )


def test_a_manifest_that_is_a_mount_point_is_noticed(shop, tmp_path, monkeypatch):
    """A rename could not replace it; the device numbers show it."""
    manifest = shop.path / "shop-1.0.dist-info" / "entry_points.txt"
    manifest.write_text("[z]\nq = a:b\n")
    lstat = Path.lstat

    def elsewhere(path):
        status = list(lstat(path))
        status[2] += path == manifest
        return os.stat_result(status)

    monkeypatch.setattr(Path, "lstat", elsewhere)
    (error,) = shop.sync().outcomes[0].plan.refusals
    assert error.code == "sync.mounted"


@pytest.mark.parametrize("named", [True, False], ids=["by name", "unnamed"])
def test_trying_leaves_no_trace(shop, monkeypatch, named):
    """E0: where there are unnamed files not even the times of the directory change."""
    before = times(shop.path), snapshot(shop.path)
    if named:
        monkeypatch.setattr("plugwright_toolkit.manifests._disk._UNNAMED", 0)
    plugwright_toolkit.manifests.Disk().probe(shop.path)
    assert snapshot(shop.path) == before[1]
    assert (times(shop.path) == before[0]) is not named


def _marker(shop, **changes):
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    started = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    holder = {"pid": os.getpid(), "host": platform.node(), "boot": boot, "started": started}
    (shop.path / LOCK).write_text(json.dumps(holder | changes))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"pid": 4194305}, id="no such process"),
        pytest.param({"boot": "another"}, id="before the machine started"),
        pytest.param({"started": "1"}, id="another process has its number"),
    ],
)
def test_a_stale_marker_is_taken_over(shop, changes):
    """E0: with a warning."""
    _marker(shop, **changes)
    result = shop.sync()
    assert (result.changed, (shop.path / LOCK).exists()) == (True, False)
    assert [note.code for note in result.outcomes[0].plan.notes] == ["sync.stale-lock"]


def test_a_stale_marker_goes_although_nothing_else_is_to_be_done(shop):
    """E0: a crash at the very end leaves it."""
    shop.sync()
    synced = snapshot(shop.path)
    _marker(shop, pid=4194305)
    assert f"\tRepair\tleft-over {LOCK}\n" in render_text(shop.sync())
    assert snapshot(shop.path) == synced


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="this process"),
        pytest.param({"pid": 1, "host": "elsewhere"}, id="another machine"),
        pytest.param({"pid": "x"}, id="senseless"),
    ],
)
def test_a_marker_that_may_be_alive_is_respected(shop, changes):
    """E0: after some waiting the location is refused, and stays as it was."""
    _marker(shop, **changes)
    before = snapshot(shop.path)
    result = shop.sync(patience_s=0.1)
    (error,) = _errors(result)
    assert snapshot(shop.path) == before
    assert str(error) == (
        f"sync.locked: {shop.path}: is locked: "
        f"the process that wrote {shop.path / LOCK} works on it"
    )
    assert error.hint.endswith(f"if nothing runs on any machine, remove {shop.path / LOCK}")


def test_no_marker_is_written_when_nothing_is_to_be_done(shop):
    """Case 88: it would change the time of the directory."""
    shop.sync()
    disk = CountingDisk()
    shop.sync(disk=disk)
    assert disk.steps == []


@pytest.mark.slow
def test_a_location_that_another_sync_works_on_is_refused(shop):
    """Case 101: after some waiting."""
    locked = sorted((shop.path.parents[1] / "cache" / "locks").glob("*"))
    assert locked == []
    shop.sync(dry_run=True)
    (lock,) = (shop.path.parents[1] / "cache" / "locks").glob("*.sync")
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = shop.sync(patience_s=0.1)
    assert [error.code for error in _errors(result)] == ["sync.locked"]
    assert not shop.sync().failed


def test_a_location_in_use_is_refused_unless_forced(shop):
    """E3: a worker holds a shared lock on it."""
    with hold([Location(shop.path)]):
        (error,) = _errors(shop.sync())
        assert str(error) == f"sync.in-use: {shop.path}: is in use by a worker"
        assert error.hint == "stop the worker, or go on all the same with --in-use-ok"
        assert shop.sync(in_use_ok=True).changed


def test_originals_are_backed_up(shop, tmp_path):
    """``--backup-dir``: what is replaced, under the location's name; nothing is overwritten."""
    directory = shop.path / "shop-1.0.dist-info"
    record = (directory / "RECORD").read_bytes()
    backup = tmp_path / "backup"
    shop.sync(backup_dir=backup)
    assert snapshot(backup).keys() == {
        "shop",
        "shop/shop-1.0.dist-info",
        "shop/shop-1.0.dist-info/RECORD",
    }
    assert (backup / "shop/shop-1.0.dist-info/RECORD").read_bytes() == record
    manifest = (directory / "entry_points.txt").read_bytes()
    shop.facts["source shop:Source"] = True
    shop.sync(backup_dir=backup)
    assert (backup / "shop.1/shop-1.0.dist-info/entry_points.txt").read_bytes() == manifest


def test_a_wheel_is_backed_up(wheel, tmp_path):
    """As a whole."""
    path = wheel()
    data = path.read_bytes()
    options = SyncOptions(tuple(find_locations([path])[0]), backup_dir=tmp_path / "backup")
    sync_manifests(options, look=Look({"sink shop:ShopSink": True}))
    assert (tmp_path / "backup" / path.name / path.name).read_bytes() == data
    assert path.read_bytes() != data


def test_changed_copies_are_written_elsewhere(shop, tmp_path):
    """``--output-dir``: the original keeps every byte and time; a shim or owner is in the copy."""
    before = times(shop.path)
    result = shop.sync(output_dir=tmp_path / "out")
    assert (result.changed, times(shop.path)) == (True, before)
    (plugin,) = Plugins.service_load([tmp_path / "out" / "shop"]).descriptors
    assert plugin.class_name == "shop.ShopSink"
    assert record_errors(tmp_path / "out") == []
    assert names(tmp_path / "out") == ["shop"]


def test_a_changed_copy_of_a_wheel_is_written_elsewhere(wheel, tmp_path):
    """Under its name, which says what it is."""
    path = wheel()
    data = path.read_bytes()
    options = SyncOptions(tuple(find_locations([path])[0]), output_dir=tmp_path / "out")
    assert sync_manifests(options, look=Look({"sink shop:ShopSink": True})).changed
    assert path.read_bytes() == data
    assert names(tmp_path / "out") == [path.name]
    (plugin,) = Plugins.service_load([tmp_path / "out" / path.name]).descriptors
    assert plugin.class_name == "shop.ShopSink"


def test_a_copy_never_overwrites(shop, tmp_path):
    """What is there belongs to another program."""
    (tmp_path / "out" / "shop").mkdir(parents=True)
    (error,) = _errors(shop.sync(output_dir=tmp_path / "out"))
    assert error.code == "sync.output-exists"
    assert error.message == f"{tmp_path}/out/shop exists already"


def test_a_copy_that_was_not_completed_goes(shop, tmp_path):
    """A run that was killed has left it; what belongs to others stays."""
    for name in (".shop.cpp-0123.tmp", ".shopping.cpp-0123.tmp"):
        (tmp_path / "out" / name).mkdir(parents=True)
    shop.sync(output_dir=tmp_path / "out")
    assert names(tmp_path / "out") == [".shopping.cpp-0123.tmp", "shop"]


def test_a_location_is_not_copied_into_itself(shop):
    """That would have no end."""
    (error,) = _errors(shop.sync(output_dir=shop.path / "out"))
    assert error.code == "sync.output-inside"


def test_a_location_that_vanishes_is_refused(shop):
    """Between the survey and the plan."""

    def look(locations, *, exclude=()):
        surveys = shop.look(locations)
        shop.path.rename(shop.path.with_name("away"))
        return surveys

    (error,) = _errors(shop.sync(look=look))
    assert error.code == "sync.unreadable"
    assert error.message == "cannot be read: No such file or directory"


def test_a_copy_does_not_write_through_a_link(shop, tmp_path):
    """It would change the original."""
    hidden = shop.path / "hidden"
    (shop.path / "shop-1.0.dist-info").rename(hidden)
    (shop.path / "shop-1.0.dist-info").symlink_to(hidden)
    before = snapshot(shop.path)
    (error,) = _errors(shop.sync(output_dir=tmp_path / "out"))
    assert (error.code, snapshot(shop.path)) == ("sync.output-linked", before)
    assert names(tmp_path / "out") == []


def test_a_virtual_environment_is_not_copied(shop, tmp_path):
    """Copies of them do not work."""
    location = Location(shop.path, LocationKind.VENV, shop.path)
    result = shop.sync(locations=(location,), output_dir=tmp_path / "out")
    assert [error.code for error in _errors(result)] == ["sync.output-venv"]


def test_a_location_that_is_given_twice_counts_once(shop):
    """It does not wait for itself."""
    result = shop.sync(locations=shop.locations * 2)
    assert (result.failed, len(result.outcomes)) == (False, 1)


def test_exclusions_reach_the_survey(shop):
    """``--exclude``."""
    seen = []

    def look(locations, *, exclude=()):
        seen.append(exclude)
        return shop.look(locations)

    shop.sync(look=look, exclude=("tests.*",))
    assert seen == [("tests.*",)]


@pytest.mark.parametrize("kind", [LocationKind.EMPTY, LocationKind.UNREADABLE])
def test_a_location_without_plugins_is_no_failure(shop, kind):
    """As in Kafka's tool; the survey says what is wrong with it."""
    result = shop.sync(locations=(Location(shop.path, kind),), look=_nothing)
    assert (result.failed, result.needed) == (False, False)


def _nothing(locations, *, exclude=()):
    from plugwright.plugins import Survey  # noqa: PLC0415  # for one test

    return [Survey(location, [], [], 0.0) for location in locations]


def test_the_report_is_safe_to_print(place):
    """Names of foreign origin cannot steer a terminal."""
    shop = place("a\x1b[31m\tb")
    shop.module("shop", plugin="sink shop:ShopSink")
    shop.distribution(files=["shop.py"])
    line = render_text(shop.sync()).splitlines()[2]
    assert line.count("\t") == 1
    assert "a\\x1b[31m\\tb/shop-1.0.dist-info/entry_points.txt Add 1 Remove 0" in line


def test_the_report_for_programs(shop):
    """Sorted, exact, and as JSON."""
    document = json.loads(json.dumps(to_json(shop.sync())))
    (row,) = document.pop("locations")
    assert document == {
        "format": "plugwright-sync-manifests/1",
        "dry_run": False,
        "changed": True,
        "needed": True,
        "failed": False,
    }
    assert row == {
        "location": str(shop.path),
        "kind": "target_dir",
        "state": "changed",
        "manifests": [
            {
                "manifest": f"{shop.path}/shop-1.0.dist-info/entry_points.txt",
                "changes": [
                    {
                        "action": "add",
                        "class": "shop.ShopSink",
                        "type": "sink",
                        "group": "plugwright.SinkConnector",
                        "value": "shop:ShopSink",
                    }
                ],
                "repairs": [],
            }
        ],
        "leftovers": [],
        "notes": [],
        "refusals": [],
        "diagnostics": [],
    }


def test_the_report_of_a_real_run(place):
    """Kafka's lines, with the kind of each plugin; additions first."""
    shop = place()
    shop.module("shop")
    shop.facts = {
        "source shop:B": True,
        "sink shop:B": True,
        "sink shop:A": True,
        "sink gone:Gone": "module-missing",
    }
    shop.distribution(files=["shop.py"], manifest=f"{GROUP}\na = gone:Gone\n")
    assert render_text(shop.sync()) == (
        "Scanning for plugins...\n"
        "Writing changes to plugins...\n"
        f"Sync\t{shop.path}/shop-1.0.dist-info/entry_points.txt Add 3 Remove 1\n"
        "\tAdd\tshop.A\tsink\n"
        "\tAdd\tshop.B\tsink\n"
        "\tAdd\tshop.B\tsource\n"
        "\tRemove\tgone.Gone\tsink\n"
        "All loadable plugins have accurate ServiceLoader manifests.\n"
    )


def test_a_dry_run_that_would_fail_says_so(both):
    """Exit status 2 in the command."""
    result = _sync(*both, dry_run=True)
    assert (result.failed, result.dry_run) == (True, True)
    assert render_text(result).splitlines()[-1] == "Dry run failed."


WRITING = frozenset(
    {
        "os.link",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.truncate",
        "os.utime",
        "os.chmod",
        "os.chown",
        "os.symlink",
    }
)


@pytest.mark.slow
def test_no_write_goes_past_the_disk(shop, tmp_path):
    """The crash tests can break every step: the interpreter reports no other."""
    report = tmp_path / "report"

    def hook(event, arguments):
        opened = event == "open" and isinstance(arguments[2], int) and arguments[2] & 3
        if (event in WRITING or opened) and str(shop.path) in str(arguments[0]):
            frame = sys._getframe()
            while frame and not frame.f_code.co_filename.endswith("manifests/_disk.py"):
                frame = frame.f_back
            if frame is None:
                descriptor = os.open(report, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.write(descriptor, f"{event} {arguments}\n".encode())

    def run():
        sys.addaudithook(hook)
        shop.sync()
        shop.facts["source shop:Source"] = True
        shop.sync(shim=True)
        shop.facts = {}
        shop.sync()

    assert in_child(run) == 0
    assert not report.exists() or report.read_text() == ""


def test_the_public_names_are_those_of_the_package():
    """Listed, sorted, and there."""
    listed = plugwright_toolkit.manifests.__all__
    assert listed == sorted(listed)
    assert all(hasattr(plugwright_toolkit.manifests, name) for name in listed)
