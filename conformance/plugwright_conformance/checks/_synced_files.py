"""Check that a sink of files has them on the disk before offsets are committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SINK_ONLY, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.simulator import SimulatedCheck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.simulator import Call, ExperimentFactory

_WRITES = {"file.write", "file.writelines", "os.write", "os.writev", "os.pwrite"}
_SYNCS = {"os.fsync", "os.fdatasync"}
_RENAMES = {"os.rename", "os.replace", "os.link"}
_ELSEWHERE = ("socket.", "sqlite3.")


@registered
class FilesAreSynced(SimulatedCheck):
    """Files are on the disk before offsets are committed."""

    id = "SNK-OFF-12"
    kinds = SINK_ONLY
    severity = Severity.SHOULD
    level = Level.C4
    wave = 2
    title = "Written files are synced before they are renamed and offsets committed"
    why = "After a power failure the renamed file is empty, and Kafka does not deliver it again."
    mend = "Call os.fsync() on each file after its last write, and on the directory of a new name."
    origin = "hdfs#22; opencompany#1049"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Look at the calls of a life without faults.

        Files of a sink that sends its records elsewhere are its own affair.
        """
        declaration = factory.bench.subject.declaration
        if declaration.claims("network") or declaration.kit.get("kit") == "objects":
            raise NotApplicableError("the external system is no file system")
        with factory.experiment() as experiment:
            life = experiment.live(factory.plan)
            factory.require_complete(experiment, [life], "no fault")
            committed = sum(experiment.committed(partition) for partition in range(2))
        calls = [call for call in life.calls if call.phase in {"put", "pre_commit"}]
        elsewhere = any(c.name.startswith(_ELSEWHERE) or c.own_thread for c in life.calls)
        written = [call for call in calls if call.name in _WRITES]
        if elsewhere or not written or not committed:
            raise NotApplicableError("the task commits no records that it writes to files itself")
        if observed := _unsynced(calls):
            raise CheckFailedError(
                expected="a sync of each file after its last write, before its name is changed",
                observed=observed,
                scenario=f"{len(written)} writes, {committed} records committed",
                likely="flush() of a file passes data to the system, which keeps it in memory",
            )
        return Evidence(len(written))


def _unsynced(calls: Sequence[Call]) -> str:
    """What is wrong with the order of writes, syncs and renames; empty if nothing is."""
    waiting = synced = False
    for call in calls:
        if call.name in _RENAMES and waiting:
            return f"{call.name} of a file with unsynced data, in {call.phase}()"
        synced = synced or call.name in _SYNCS
        waiting = call.name in _WRITES or (waiting and call.name not in _SYNCS)
    return "" if synced else "no sync at all"
