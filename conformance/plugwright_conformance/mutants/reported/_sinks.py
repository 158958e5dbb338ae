"""The reported faults of sinks and of settings; the docstrings cite the reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.reported._bases import (
    BUFFER_SINK,
    LINES_SINK,
    LINES_SOURCE,
    OBJECTS,
    REPORTING_SINK,
    ROWS_SINK,
    SECRET_SINK,
    SECRET_SOURCE,
    TABLE_SINK,
)
from plugwright_conformance.mutants.reported._reported import LOST, TWICE, Reported

if TYPE_CHECKING:
    from pathlib import Path

_ERROR = ("AttributeError", "TypeError", "cannot be null", "cannot build", "None")


def _without_manifest(location: Path) -> None:
    (manifest,) = location.glob("*.dist-info/entry_points.txt")
    manifest.unlink()


SINKS = (
    Reported("R201", BUFFER_SINK, "sink_offsets:EchoesOffsetsTask", LOST),
    Reported("R202", BUFFER_SINK, "sink_offsets:CommitsDespiteErrorTask", LOST),
    Reported("R203", BUFFER_SINK, "sink_offsets:LaterSuccessCommitsAllTask", LOST),
    Reported("R204", LINES_SINK, "sink_offsets:OneBehindTask", TWICE),
    Reported("R205", OBJECTS, "sink_offsets:NeverCommitsTask", TWICE),
    Reported(
        "R206",
        BUFFER_SINK,
        "sink_offsets:KeepsRevokedTask",
        ("revoked", "an offset of", r"duplicated [1-9]", "not assigned"),
    ),
    Reported("R207", OBJECTS, "sink_offsets:OverwritesObjectTask", LOST),
    Reported("R208", OBJECTS, "sink_offsets:SortsOffsetsAsTextTask", (*LOST, *TWICE)),
    Reported("R209", LINES_SINK, "sink_offsets:ExpectsEveryOffsetTask", LOST),
    Reported("R210", BUFFER_SINK, "sink_offsets:RewindsTooLittleTask", LOST),
    Reported(
        "R211",
        LINES_SINK,
        "sink_offsets:WaitsForIdlePartitionsTask",
        (*TWICE, "commit", "no offset", "promise"),
    ),
    Reported("R221", TABLE_SINK, "sink_records:SkipsFailedRecordsTask", LOST),
    Reported("R222", LINES_SINK, "sink_records:DropsAfterRetriesTask", LOST),
    Reported("R223", BUFFER_SINK, "sink_records:AppendsAtRetryTask", TWICE),
    Reported("R224", BUFFER_SINK, "sink_records:KeepsBufferAtFailureTask", TWICE),
    Reported(
        "R225", LINES_SINK, "sink_records:UnorderedBulkTask", (r"\border", "value ", "before")
    ),
    Reported("R226", BUFFER_SINK, "sink_records:OneRecordForEachKeyTask", LOST),
    Reported("R227", LINES_SINK, "sink_records:AccumulatesBatchesTask", TWICE),
    Reported("R228", LINES_SINK, "sink_records:FirstTenOfBatchTask", LOST),
    Reported("R229", TABLE_SINK, "sink_records:EmptiesTableAtStartTask", LOST),
    Reported(
        "R230",
        REPORTING_SINK,
        "sink_records:DropsBadRecordTask",
        ("report", "dead-letter", "no error", *LOST),
    ),
    Reported(
        "R231",
        REPORTING_SINK,
        "sink_records:ReportsAndRaisesTask",
        ("report", "FAILED", "failed in put", "DataError"),
    ),
    Reported("R232", LINES_SINK, "sink_records:EncodesInAsciiTask", (r"\?", r"foreign [1-9]")),
    Reported(
        "R233",
        LINES_SINK,
        "sink_records:EncodesByLocaleTask",
        ("locale", "encoding", "LC_ALL", "ASCII"),
    ),
    Reported("R234", LINES_SINK, "sink_records:NeedsValueTask", _ERROR),
    Reported("R235", LINES_SINK, "sink_records:NeedsKeyTask", _ERROR),
    Reported("R236", LINES_SINK, "sink_records:NullHeaderTask", _ERROR),
    Reported("R237", LINES_SINK, "sink_records:SchemalessHeaderTask", _ERROR),
    Reported("R238", LINES_SINK, "sink_records:SameHeadersTask", _ERROR),
    Reported("R251", ROWS_SINK, "typed_faults:NumericByFloatTask", ("amount", "decimal")),
    Reported("R252", ROWS_SINK, "typed_faults:ReadsOtherScaleTask", ("amount", "decimal")),
    Reported(
        "R253", ROWS_SINK, "typed_faults:FormatsNegativeFractionTask", ("Could not parse", "seen")
    ),
    Reported("R254", ROWS_SINK, "typed_faults:CachesColumnsTask", ("column", "field", "schema")),
    Reported("R255", ROWS_SINK, "typed_faults:ForgetsDefaultTask", (r"\bstate\b",)),
)
"""Every one of the sinks."""

SETTINGS = (
    Reported("R301", SECRET_SINK, "settings_faults:SecretInPlainText", ("PASSWORD", "secret")),
    Reported(
        "R302",
        SECRET_SOURCE,
        "settings_faults:LogsTaskConfig",
        ("login.password", "secret", "password"),
    ),
    Reported(
        "R303",
        SECRET_SINK,
        "settings_faults:PrintsLoginTask",
        ("login.password", "secret", "password"),
    ),
    Reported(
        "R304",
        SECRET_SINK,
        "settings_faults:ShowsAddressTask",
        ("login.password", "secret", "password"),
    ),
    Reported(
        "R305",
        LINES_SOURCE,
        "settings_faults:ValidatorFailsOnNothing",
        ("finished.path", "ValueError", "TypeError"),
    ),
    Reported(
        "R306", LINES_SINK, "settings_faults:NoValidators", ("place", "batch.size", "an error on")
    ),
    Reported("R307", LINES_SOURCE, "settings_faults:NoDefinition", ("ConfigDef", "None")),
    Reported(
        "R308",
        LINES_SOURCE,
        "settings_faults:NullRecommendations",
        ("keyspace", "recommend", "NoneType"),
    ),
    Reported(
        "R309",
        LINES_SOURCE,
        "settings_faults:VersionOfTheFramework",
        (r"version.*0\.1\.0", r"0\.1\.0.*version"),
        packaging=True,
    ),
    Reported(
        "R310", LINES_SOURCE, "settings_faults:DefaultIsNotApplied", ("batch.size", "KeyError")
    ),
    Reported(
        "R311",
        LINES_SOURCE,
        "settings_faults:NoManifest",
        ("entry point", "manifest"),
        packaging=True,
        spoil=_without_manifest,
    ),
)
"""Every one of the settings."""
