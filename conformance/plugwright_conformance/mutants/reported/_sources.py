"""The reported faults of sources; the docstrings cite the reports."""

from __future__ import annotations

from plugwright_conformance.mutants.reported._bases import (
    EVENTS,
    FOLDER,
    LINES_SOURCE,
    PAGES,
    QUEUE,
    ROWS_SOURCE,
)
from plugwright_conformance.mutants.reported._reported import LOST, TWICE, Reported

_DIVIDED = ("task_configs", "configurations", "tasks.max", "parallel", r"duplicated [1-9]")


SOURCES = (
    Reported("R101", QUEUE, "source_offsets:AcknowledgesAtCommitTask", LOST),
    Reported("R102", QUEUE, "source_offsets:AcknowledgesAtNextPollTask", LOST),
    Reported("R103", QUEUE, "source_offsets:RemovesWhatItPollsTask", LOST),
    Reported("R104", LINES_SOURCE, "source_offsets:SettingBeatsOffsetTask", TWICE),
    Reported("R105", EVENTS, "source_offsets:BeginsNowTask", LOST),
    Reported("R106", PAGES, "source_offsets:RepeatsOneTask", TWICE),
    Reported("R107", LINES_SOURCE, "source_offsets:DeletesFinishedFileTask", LOST),
    Reported("R108", EVENTS, "source_offsets:CopiesAgainTask", TWICE),
    Reported("R109", EVENTS, "source_offsets:StreamFromZeroTask", TWICE),
    Reported("R110", LINES_SOURCE, "source_offsets:StreamsLogFromZeroTask", TWICE),
    Reported("R111", LINES_SOURCE, "source_offsets:StoresBeginOfBatchTask", TWICE),
    Reported("R112", LINES_SOURCE, "source_offsets:EveryLineTwiceTask", TWICE),
    Reported("R121", EVENTS, "source_cursors:SkipsTiesAtRestartTask", LOST),
    Reported("R122", EVENTS, "source_cursors:SkipsLateTiesTask", LOST),
    Reported("R123", EVENTS, "source_cursors:IgnoresEpochTask", LOST),
    Reported("R124", EVENTS, "source_cursors:TruncatesTimeTask", TWICE),
    Reported("R125", EVENTS, "source_cursors:ForgetsSeenTask", TWICE),
    Reported("R126", PAGES, "source_cursors:FirstOfPageDecidesTask", LOST),
    Reported("R127", PAGES, "source_cursors:AsksBeforeItReadsTask", LOST),
    Reported("R128", PAGES, "source_cursors:SkipsByAskedSizeTask", LOST),
    Reported("R129", PAGES, "source_cursors:FirstPageOnlyTask", LOST),
    Reported("R130", PAGES, "source_cursors:EndsAtThousandTask", LOST),
    Reported("R131", PAGES, "source_cursors:EndsAtEmptyPageTask", LOST),
    Reported("R141", LINES_SOURCE, "source_files:LongLineStopsTask", (*LOST, "long", "1048576")),
    Reported(
        "R142",
        LINES_SOURCE,
        "source_files:GoesOnInReplacedFileTask",
        (*LOST, "truncated", "replaced", "shorter"),
    ),
    Reported("R143", LINES_SOURCE, "source_files:BlankLineEndsBatchTask", LOST),
    Reported(
        "R144",
        LINES_SOURCE,
        "source_files:DecodesByLocaleTask",
        ("locale", "encoding", "LC_ALL", "ASCII"),
    ),
    Reported(
        "R145",
        LINES_SOURCE,
        "source_files:ReadsIncompleteLineTask",
        (r"foreign [1-9]", "incomplete", "half", "cut "),
    ),
    Reported("R146", FOLDER, "source_files:OverlooksNewFilesTask", LOST),
    Reported("R147", FOLDER, "source_files:EveryTaskReadsAllTask", _DIVIDED),
    Reported("R148", FOLDER, "source_files:ExactlyOneFileTask", ("exactly one file",)),
    Reported("R149", FOLDER, "source_files:EmptyGroups", _DIVIDED),
    Reported("R150", FOLDER, "source_files:MoreTasksThanAllowed", _DIVIDED),
    Reported("R151", FOLDER, "source_files:TaskForEveryNumber", ("index out of range",)),
    Reported("R152", FOLDER, "source_files:NoFilesNoGroups", ("must be positive",)),
    Reported("R161", EVENTS, "source_life:ReturnsAtOnceTask", ("of a core", "spin", "calls")),
    Reported(
        "R162",
        EVENTS,
        "source_life:NeverReturnsTask",
        ("return within", "still in poll", "still in", "budget"),
    ),
    Reported(
        "R163",
        LINES_SOURCE,
        "source_life:FailsSilentlyAtStartTask",
        ("FAILED", "an error", "no error", "Is a directory"),
    ),
    Reported(
        "R164",
        LINES_SOURCE,
        "source_life:ClosesInItsOwnThreadTask",
        ("handle", "descriptor", "open file", "lines.txt"),
    ),
    Reported(
        "R165",
        EVENTS,
        "source_life:ConnectionForEachEmptyPollTask",
        ("handle", "descriptor", "connection", "store.db"),
    ),
    Reported("R166", EVENTS, "source_life:NeverComesBackTask", (*LOST, "recover")),
    Reported("R167", LINES_SOURCE, "source_life:StopsNullTask", (r"stop\(\)", "NoneType")),
    Reported("R168", PAGES, "source_life:ThreadPollsOnTask", ("thread",)),
    Reported(
        "R169",
        EVENTS,
        "source_life:WaitsByTheOtherSetting",
        ("linger.ms", "setting that does nothing"),
    ),
    Reported(
        "R181",
        ROWS_SOURCE,
        "typed_faults:ReadsNumbersAsFloatsTask",
        ("int64", "id", "9007199254740993"),
    ),
    Reported("R182", ROWS_SOURCE, "typed_faults:DropsFractionsTask", ("seen", "timestamp")),
    Reported("R183", ROWS_SOURCE, "typed_faults:RoundsTowardsZeroTask", ("seen", "timestamp")),
    Reported("R184", ROWS_SOURCE, "typed_faults:ShiftsDayByZoneTask", ("born", "zone", "TZ")),
)
"""Every one of them."""
