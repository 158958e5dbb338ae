"""The reported faults of sinks and of settings; each class tells where it was reported."""

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
from plugwright_conformance.mutants.reported._reported import Reported

if TYPE_CHECKING:
    from pathlib import Path

_LOST = (
    r"\blost [1-9]",
    r"[1-9]\d* (of them )?(lost|missing)",
    "are lost",
    "not durable",
    "is missing",
    r"expected \d+ records within",
)
_TWICE = (
    r"duplicated [1-9]",
    "twice",
    "again",
    "repeated",
    "duplicate ",
    "surplus",
    r"record \d+ first, then the rest",
)
_ERROR = ("AttributeError", "TypeError", "cannot be null", "cannot build", "None")


def _without_manifest(location: Path) -> None:
    (manifest,) = location.glob("*.dist-info/entry_points.txt")
    manifest.unlink()


SINKS = (
    Reported("R201", BUFFER_SINK, "sink_offsets:EchoesOffsetsTask", _LOST, "sink"),
    Reported("R202", BUFFER_SINK, "sink_offsets:CommitsDespiteErrorTask", _LOST, "sink"),
    Reported("R203", BUFFER_SINK, "sink_offsets:LaterSuccessCommitsAllTask", _LOST, "sink"),
    Reported("R204", LINES_SINK, "sink_offsets:OneBehindTask", _TWICE, "sink"),
    Reported("R205", OBJECTS, "sink_offsets:NeverCommitsTask", _TWICE, "sink"),
    Reported(
        "R206",
        BUFFER_SINK,
        "sink_offsets:KeepsRevokedTask",
        ("revoked", "an offset of", r"duplicated [1-9]", "not assigned"),
        "sink",
    ),
    Reported("R207", OBJECTS, "sink_offsets:OverwritesObjectTask", _LOST, "sink"),
    Reported(
        "R208",
        OBJECTS,
        "sink_offsets:SortsOffsetsAsTextTask",
        (*_LOST, *_TWICE),
        "sink",
    ),
    Reported("R209", LINES_SINK, "sink_offsets:ExpectsEveryOffsetTask", _LOST, "sink"),
    Reported("R210", BUFFER_SINK, "sink_offsets:RewindsTooLittleTask", _LOST, "sink"),
    Reported(
        "R211",
        LINES_SINK,
        "sink_offsets:WaitsForIdlePartitionsTask",
        (*_TWICE, "commit", "no offset", "promise"),
        "sink",
    ),
    Reported("R221", TABLE_SINK, "sink_records:SkipsFailedRecordsTask", _LOST, "sink"),
    Reported("R222", LINES_SINK, "sink_records:DropsAfterRetriesTask", _LOST, "sink"),
    Reported("R223", BUFFER_SINK, "sink_records:AppendsAtRetryTask", _TWICE, "sink"),
    Reported("R224", BUFFER_SINK, "sink_records:KeepsBufferAtFailureTask", _TWICE, "sink"),
    Reported(
        "R225",
        LINES_SINK,
        "sink_records:UnorderedBulkTask",
        (r"\border", "value ", "before"),
        "sink",
    ),
    Reported("R226", BUFFER_SINK, "sink_records:OneRecordForEachKeyTask", _LOST, "sink"),
    Reported("R227", LINES_SINK, "sink_records:AccumulatesBatchesTask", _TWICE, "sink"),
    Reported("R228", LINES_SINK, "sink_records:FirstTenOfBatchTask", _LOST, "sink"),
    Reported("R229", TABLE_SINK, "sink_records:EmptiesTableAtStartTask", _LOST, "sink"),
    Reported(
        "R230",
        REPORTING_SINK,
        "sink_records:DropsBadRecordTask",
        ("report", "dead-letter", "no error", *_LOST),
        "sink",
    ),
    Reported(
        "R231",
        REPORTING_SINK,
        "sink_records:ReportsAndRaisesTask",
        ("report", "FAILED", "failed in put", "DataError"),
        "sink",
    ),
    Reported(
        "R232",
        LINES_SINK,
        "sink_records:EncodesInAsciiTask",
        (r"\?", r"foreign [1-9]"),
        "converter",
    ),
    Reported(
        "R233",
        LINES_SINK,
        "sink_records:EncodesByLocaleTask",
        ("locale", "encoding", "LC_ALL", "ASCII"),
        "converter",
    ),
    Reported("R234", LINES_SINK, "sink_records:NeedsValueTask", _ERROR, "sink"),
    Reported("R235", LINES_SINK, "sink_records:NeedsKeyTask", _ERROR, "sink"),
    Reported("R236", LINES_SINK, "sink_records:NullHeaderTask", _ERROR, "sink"),
    Reported("R237", LINES_SINK, "sink_records:SchemalessHeaderTask", _ERROR, "sink"),
    Reported("R238", LINES_SINK, "sink_records:SameHeadersTask", _ERROR, "sink"),
    Reported(
        "R251", ROWS_SINK, "typed_faults:NumericByFloatTask", ("amount", "decimal"), "converter"
    ),
    Reported(
        "R252", ROWS_SINK, "typed_faults:ReadsOtherScaleTask", ("amount", "decimal"), "converter"
    ),
    Reported(
        "R253",
        ROWS_SINK,
        "typed_faults:FormatsNegativeFractionTask",
        ("Could not parse", "seen"),
        "converter",
    ),
    Reported(
        "R254",
        ROWS_SINK,
        "typed_faults:CachesColumnsTask",
        ("column", "field", "schema"),
        "sink",
    ),
    Reported("R255", ROWS_SINK, "typed_faults:ForgetsDefaultTask", (r"\bstate\b",), "converter"),
)
"""Every one of the sinks."""

SETTINGS = (
    Reported(
        "R301", SECRET_SINK, "settings_faults:SecretInPlainText", ("PASSWORD", "secret"), "config"
    ),
    Reported(
        "R302",
        SECRET_SOURCE,
        "settings_faults:LogsTaskConfig",
        ("login.password", "secret", "password"),
        "config",
    ),
    Reported(
        "R303",
        SECRET_SINK,
        "settings_faults:PrintsLoginTask",
        ("login.password", "secret", "password"),
        "config",
    ),
    Reported(
        "R304",
        SECRET_SINK,
        "settings_faults:ShowsAddressTask",
        ("login.password", "secret", "password"),
        "config",
    ),
    Reported(
        "R305",
        LINES_SOURCE,
        "settings_faults:ValidatorFailsOnNothing",
        ("finished.path", "ValueError", "TypeError"),
        "config",
    ),
    Reported(
        "R306",
        LINES_SINK,
        "settings_faults:NoValidators",
        ("place", "batch.size", "an error on"),
        "config",
    ),
    Reported("R307", LINES_SOURCE, "settings_faults:NoDefinition", ("ConfigDef", "None"), "config"),
    Reported(
        "R308",
        LINES_SOURCE,
        "settings_faults:NullRecommendations",
        ("keyspace", "recommend", "NoneType"),
        "config",
    ),
    Reported(
        "R309",
        LINES_SOURCE,
        "settings_faults:VersionOfTheFramework",
        (r"version.*0\.1\.0", r"0\.1\.0.*version"),
        "packaging",
    ),
    Reported(
        "R310",
        LINES_SOURCE,
        "settings_faults:DefaultIsNotApplied",
        ("batch.size", "KeyError"),
        "config",
    ),
    Reported(
        "R311",
        LINES_SOURCE,
        "settings_faults:NoManifest",
        ("entry point", "manifest"),
        "packaging",
        _without_manifest,
    ),
)
"""Every one of the settings."""
