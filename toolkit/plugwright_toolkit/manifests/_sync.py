"""``sync-manifests``: plan, preflight, stage, publish, verify; each location by itself."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.plugins import Diagnostic, DiagnosticLevel, LocationKind, survey
from plugwright_toolkit.manifests._archives import ARCHIVES, plan_archives
from plugwright_toolkit.manifests._copies import back_up, copy_of, require_alike
from plugwright_toolkit.manifests._directory import plan_directory, refusal
from plugwright_toolkit.manifests._disk import Disk
from plugwright_toolkit.manifests._locking import LocationLock
from plugwright_toolkit.manifests._preflight import preflight
from plugwright_toolkit.manifests._transaction import Transaction
from plugwright_toolkit.manifests._values import (
    LocationOutcome,
    LocationPlan,
    SyncResult,
    SyncState,
)
from plugwright_toolkit.manifests._verifying import ManifestVerification
from plugwright_toolkit.manifests._wanted import wanted_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from plugwright.plugins import Location, Survey
    from plugwright_toolkit.manifests._values import SyncOptions, UnitPlan
    from plugwright_toolkit.manifests._wanted import Wanted

    class Surveyor(Protocol):
        """Finds the plugins of locations; `plugwright.plugins.survey` is one."""

        def __call__(
            self, locations: Sequence[Location], *, exclude: Sequence[str] = ...
        ) -> Sequence[Survey]: ...


_PATIENCE_S = 10.0
_NOTHING = frozenset({LocationKind.EMPTY, LocationKind.UNREADABLE})


def sync_manifests(
    options: SyncOptions,
    *,
    disk: Disk | None = None,
    look: Surveyor = survey,
    patience_s: float = _PATIENCE_S,
) -> SyncResult:
    """Let the manifests of locations name exactly the plugins that can be loaded from them.

    What a crash of an earlier run has left is put right on the way. If one location cannot be
    changed, none is, unless the options say to continue; what goes wrong while one is written is
    undone there. A second run finds nothing to do.

    Args:
        options: the locations, and how far to go.
        disk: does every write.
        look: finds the plugins.
        patience_s: how long to wait for other syncs of the same locations.
    """
    run = _Run(options, disk or Disk(), patience_s)
    try:
        return run.sync(look)
    finally:
        run.release()


@dataclass(slots=True)
class _Job:
    """One location on its way."""

    location: Location
    lock: LocationLock
    plan: LocationPlan
    found: Survey | None = None
    state: SyncState = SyncState.UNCHANGED
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def refuse(self, *refusals: Diagnostic) -> None:
        self.plan = replace(self.plan, refusals=(*self.plan.refusals, *refusals))

    @property
    def is_good(self) -> bool:
        return not self.plan.refusals


class _Run:
    def __init__(self, options: SyncOptions, disk: Disk, patience_s: float) -> None:
        self._options = options
        self._disk = disk
        self._jobs = [
            _Job(
                location,
                LocationLock(location.origin, _place(location), disk, patience_s),
                LocationPlan(location),
            )
            for location in dict.fromkeys(options.locations)
        ]

    def sync(self, look: Surveyor) -> SyncResult:
        self._lock()
        good = [job for job in self._jobs if job.is_good]
        surveys = look([job.location for job in good], exclude=self._options.exclude)
        for job, found in zip(good, surveys, strict=True):
            self._plan(job, found)
        if self._options.writes:
            self._write()
        outcomes = [LocationOutcome(job.plan, job.state, job.diagnostics) for job in self._jobs]
        return SyncResult(tuple(outcomes), dry_run=not self._options.writes)

    def release(self) -> None:
        for job in self._jobs:
            job.lock.release()

    def _lock(self) -> None:
        """Lock in one order everywhere, so that two runs never wait for each other."""
        for job in sorted(self._jobs, key=lambda job: os.path.realpath(job.location.origin)):
            try:
                job.lock.acquire()
                _require_foreign(job.location)
                if not self._options.in_use_ok:
                    job.lock.require_unused()
            except ConnectError as error:
                job.state = SyncState.FAILED
                job.refuse(refusal(job.location, error))

    def _plan(self, job: _Job, found: Survey) -> None:
        job.found = found
        job.diagnostics += found.diagnostics
        try:
            job.plan = plan_location(found, self._options, self._disk)
            if (marker := job.lock.stale_marker()) is not None:
                job.plan = replace(job.plan, leftovers=(*job.plan.leftovers, marker))
            job.refuse(*preflight(job.plan, self._options, self._disk))
        except OSError as error:
            job.refuse(refusal(job.location, _not_read(job.location, error)))
        if job.plan.needed:
            job.state = SyncState.PLANNED
        if not job.is_good:
            job.state = SyncState.FAILED

    def _write(self) -> None:
        stopped = not self._options.continue_ and not all(job.is_good for job in self._jobs)
        for job in self._jobs:
            if job.state is not SyncState.PLANNED:
                continue
            if stopped:
                job.state = SyncState.SKIPPED
                continue
            self._write_location(job)
            stopped = not job.is_good and not self._options.continue_

    def _write_location(self, job: _Job) -> None:
        try:
            if self._options.output_dir is not None:
                self._write_copy(job, self._options.output_dir)
            else:
                self._write_in_place(job)
        except ConnectError as error:
            job.state = SyncState.FAILED
            job.refuse(refusal(job.location, error))
        except OSError as error:
            job.state = SyncState.FAILED
            job.refuse(refusal(job.location, _not_written(job.location, error)))
        else:
            job.state = SyncState.CHANGED

    def _write_in_place(self, job: _Job) -> None:
        if self._options.backup_dir is not None:
            back_up(job.plan, self._options.backup_dir, self._disk)
        job.lock.mark()
        if job.lock.took_over:
            job.plan = replace(job.plan, notes=(*job.plan.notes, _took_over(job.location)))
        try:
            self._carry_out(job.plan.units)
            for leftover in job.plan.leftovers:
                if leftover.is_symlink() or leftover.exists():
                    self._disk.remove(leftover)
        finally:
            job.lock.unmark()
        place = _place(job.location)
        if place.is_dir():
            # Readers that remember a location look at this time.
            self._disk.touch(place)

    def _write_copy(self, job: _Job, directory: Path) -> None:
        if job.found is None or not job.plan.units:
            return
        with copy_of(job.location, directory, self._disk) as copy:
            plan = plan_location(replace(job.found, location=copy), self._options, self._disk)
            require_alike(job.plan, plan)
            self._carry_out(plan.units)

    def _carry_out(self, units: Sequence[UnitPlan]) -> None:
        verification = ManifestVerification(units)
        transaction = Transaction(self._disk, [write for unit in units for write in unit.writes])
        try:
            transaction.stage()
            transaction.publish()
            verification.require()
        except BaseException:
            _undo(transaction)
            raise
        transaction.finish()


def _undo(transaction: Transaction) -> None:
    try:
        transaction.undo()
    except OSError as error:
        raise ConnectError(
            f"what was written could not be put back: {error.strerror or error}",
            code="sync.undo-failed",
            hint="mend the cause, then run the command again, which completes the change",
            facts={"errno": error.errno},
        ) from error


def plan_location(found: Survey, options: SyncOptions, disk: Disk) -> LocationPlan:
    """What is to be done in one location, by what it is."""
    wanted = wanted_of(found, keep_not_found=options.keep_not_found)
    plan = _plan_of(found.location, wanted, options, disk)
    return replace(plan, notes=(*plan.notes, *wanted.kept))


def _plan_of(location: Location, wanted: Wanted, options: SyncOptions, disk: Disk) -> LocationPlan:
    if location.kind in _NOTHING:
        return LocationPlan(location)
    if location.kind is LocationKind.MODULE:
        return _plan_module(location, options) if wanted.add else LocationPlan(location)
    if location.kind in ARCHIVES:
        return plan_archives(location, wanted, options)
    return plan_directory(location, wanted, options, disk)


def _plan_module(location: Location, options: SyncOptions) -> LocationPlan:
    error = ConnectError(
        "is a single module, which cannot carry a manifest",
        code="sync.unfixable",
        hint="put it into a directory of its own, or package it; --skip-unfixable leaves it out",
        facts={"location": str(location.origin)},
    )
    found = refusal(location, error)
    if options.skip_unfixable:
        return LocationPlan(location, notes=(replace(found, level=DiagnosticLevel.WARNING),))
    return LocationPlan(location, refusals=(found,))


def _place(location: Location) -> Path:
    """The directory whose contents change, or the archive."""
    if location.kind in {LocationKind.TARGET_DIR, LocationKind.MODULE_DIR, LocationKind.VENV}:
        return location.path
    return location.origin


def _require_foreign(location: Location) -> None:
    """Refuse the environment that this very process runs in."""
    own = {Path(sys.prefix).resolve()}
    own |= {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    places = {Path(os.path.realpath(each)) for each in (location.origin, location.path)}
    if own & places:
        raise ConnectError(
            "is the environment that this command runs in",
            code="sync.running-environment",
            hint="run the command from another environment",
            facts={"location": str(location.origin)},
        )


def _took_over(location: Location) -> Diagnostic:
    message = "a sync of it had ended without an end; its lock was taken over"
    return Diagnostic(DiagnosticLevel.WARNING, "sync.stale-lock", str(location.origin), message)


def _not_read(location: Location, error: OSError) -> ConnectError:
    return ConnectError(
        f"cannot be read: {error.strerror or error}",
        code="sync.unreadable",
        hint="mend the cause, then run the command again; nothing was changed",
        facts={"location": str(location.origin), "errno": error.errno},
    )


def _not_written(location: Location, error: OSError) -> ConnectError:
    what = error.strerror or str(error)
    file = error.filename2 or error.filename
    place = f" at {file}" if file else ""
    return ConnectError(
        f"could not be changed: {what}{place}; it is as it was",
        code="sync.write-failed",
        hint="mend the cause, then run the command again, which also tidies up",
        facts={"location": str(location.origin), "errno": error.errno},
    )
