"""The reported faults of sources, and where they were reported: in the docstring of each class."""

from __future__ import annotations

from plugwright_conformance.mutants.reported._bases import (
    EVENTS,
    FOLDER,
    LINES_SOURCE,
    PAGES,
    QUEUE,
    ROWS_SOURCE,
)
from plugwright_conformance.mutants.reported._reported import Reported

_LOST = (
    r"\blost [1-9]",
    r"[1-9]\d* (of them )?(lost|missing)",
    "are lost",
    "not durable",
    "is missing",
    r"expected \d+ records(?: within|;)",
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
_DIVIDED = ("task_configs", "configurations", "tasks.max", "parallel", r"duplicated [1-9]")


SOURCES = (
    Reported("R101", QUEUE, "source_offsets:AcknowledgesAtCommitTask", _LOST, "source"),
    Reported("R102", QUEUE, "source_offsets:AcknowledgesAtNextPollTask", _LOST, "source"),
    Reported("R103", QUEUE, "source_offsets:RemovesWhatItPollsTask", _LOST, "source"),
    Reported("R104", LINES_SOURCE, "source_offsets:SettingBeatsOffsetTask", _TWICE, "source"),
    Reported("R105", EVENTS, "source_offsets:BeginsNowTask", _LOST, "source"),
    Reported("R106", PAGES, "source_offsets:RepeatsOneTask", _TWICE, "source"),
    Reported("R107", LINES_SOURCE, "source_offsets:DeletesFinishedFileTask", _LOST, "source"),
    Reported("R108", EVENTS, "source_offsets:CopiesAgainTask", _TWICE, "source"),
    Reported("R109", EVENTS, "source_offsets:StreamFromZeroTask", _TWICE, "source"),
    Reported("R110", LINES_SOURCE, "source_offsets:StreamsLogFromZeroTask", _TWICE, "source"),
    Reported("R111", LINES_SOURCE, "source_offsets:StoresBeginOfBatchTask", _TWICE, "source"),
    Reported("R112", LINES_SOURCE, "source_offsets:EveryLineTwiceTask", _TWICE, "source"),
    Reported("R121", EVENTS, "source_cursors:SkipsTiesAtRestartTask", _LOST, "source"),
    Reported("R122", EVENTS, "source_cursors:SkipsLateTiesTask", _LOST, "source"),
    Reported("R123", EVENTS, "source_cursors:IgnoresEpochTask", _LOST, "source"),
    Reported("R124", EVENTS, "source_cursors:TruncatesTimeTask", _TWICE, "source"),
    Reported("R125", EVENTS, "source_cursors:ForgetsSeenTask", _TWICE, "source"),
    Reported("R126", PAGES, "source_cursors:FirstOfPageDecidesTask", _LOST, "source"),
    Reported("R127", PAGES, "source_cursors:AsksBeforeItReadsTask", _LOST, "source"),
    Reported("R128", PAGES, "source_cursors:SkipsByAskedSizeTask", _LOST, "source"),
    Reported("R129", PAGES, "source_cursors:FirstPageOnlyTask", _LOST, "source"),
    Reported("R130", PAGES, "source_cursors:EndsAtThousandTask", _LOST, "source"),
    Reported("R131", PAGES, "source_cursors:EndsAtEmptyPageTask", _LOST, "source"),
    Reported(
        "R141",
        LINES_SOURCE,
        "source_files:LongLineStopsTask",
        (*_LOST, "long", "1048576"),
        "source",
    ),
    Reported(
        "R142",
        LINES_SOURCE,
        "source_files:GoesOnInReplacedFileTask",
        (*_LOST, "truncated", "replaced", "shorter"),
        "source",
    ),
    Reported("R143", LINES_SOURCE, "source_files:BlankLineEndsBatchTask", _LOST, "source"),
    Reported(
        "R144",
        LINES_SOURCE,
        "source_files:DecodesByLocaleTask",
        ("locale", "encoding", "LC_ALL", "ASCII"),
        "converter",
    ),
    Reported(
        "R145",
        LINES_SOURCE,
        "source_files:ReadsIncompleteLineTask",
        (r"foreign [1-9]", "incomplete", "half", "cut "),
        "source",
    ),
    Reported("R146", FOLDER, "source_files:OverlooksNewFilesTask", _LOST, "source"),
    Reported("R147", FOLDER, "source_files:EveryTaskReadsAllTask", _DIVIDED, "source"),
    Reported("R148", FOLDER, "source_files:ExactlyOneFileTask", ("exactly one file",), "source"),
    Reported("R149", FOLDER, "source_files:EmptyGroups", _DIVIDED, "source"),
    Reported("R150", FOLDER, "source_files:MoreTasksThanAllowed", _DIVIDED, "source"),
    Reported("R151", FOLDER, "source_files:TaskForEveryNumber", ("index out of range",), "source"),
    Reported("R152", FOLDER, "source_files:NoFilesNoGroups", ("must be positive",), "source"),
    Reported(
        "R161", EVENTS, "source_life:ReturnsAtOnceTask", ("of a core", "spin", "calls"), "source"
    ),
    Reported(
        "R162",
        EVENTS,
        "source_life:NeverReturnsTask",
        ("return within", "still in poll", "still in", "budget"),
        "source",
    ),
    Reported(
        "R163",
        LINES_SOURCE,
        "source_life:FailsSilentlyAtStartTask",
        ("FAILED", "an error", "no error", "Is a directory"),
        "source",
    ),
    Reported(
        "R164",
        LINES_SOURCE,
        "source_life:ClosesInItsOwnThreadTask",
        ("handle", "descriptor", "open file", "lines.txt"),
        "source",
    ),
    Reported(
        "R165",
        EVENTS,
        "source_life:ConnectionForEachEmptyPollTask",
        ("handle", "descriptor", "connection", "store.db"),
        "source",
    ),
    Reported("R166", EVENTS, "source_life:NeverComesBackTask", (*_LOST, "recover"), "source"),
    Reported(
        "R167", LINES_SOURCE, "source_life:StopsNullTask", (r"stop\(\)", "NoneType"), "source"
    ),
    Reported("R168", PAGES, "source_life:ThreadPollsOnTask", ("thread",), "source"),
    Reported(
        "R169",
        EVENTS,
        "source_life:WaitsByTheOtherSetting",
        ("linger.ms", "setting that does nothing"),
        "config",
    ),
    Reported(
        "R181",
        ROWS_SOURCE,
        "typed_faults:ReadsNumbersAsFloatsTask",
        ("int64", "id", "9007199254740993"),
        "converter",
    ),
    Reported(
        "R182", ROWS_SOURCE, "typed_faults:DropsFractionsTask", ("seen", "timestamp"), "converter"
    ),
    Reported(
        "R183",
        ROWS_SOURCE,
        "typed_faults:RoundsTowardsZeroTask",
        ("seen", "timestamp"),
        "converter",
    ),
    Reported(
        "R184", ROWS_SOURCE, "typed_faults:ShiftsDayByZoneTask", ("born", "zone", "TZ"), "converter"
    ),
)
"""Every one of them."""
