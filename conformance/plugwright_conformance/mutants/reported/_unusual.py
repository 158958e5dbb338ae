"""Good connectors that use the freedom of the API in unusual ways."""

from __future__ import annotations

from dataclasses import replace

from plugwright_conformance.mutants.reported._bases import (
    BUFFER_SINK,
    EVENTS,
    FOLDER,
    LINES_SINK,
    LINES_SOURCE,
    PAGES,
    REPORTING_SINK,
    TABLE_SINK,
)
from plugwright_conformance.mutants.reported._reported import Reported

_ALONE = replace(LINES_SINK, claims=LINES_SINK.claims.replace("parallel = true\n", ""))
_ONE_TASK = replace(FOLDER, claims=FOLDER.claims.replace("parallel = true\n", ""))
_KEYED = replace(LINES_SINK, claims=f'{LINES_SINK.claims}keys = "required"\n')
_ENVELOPES = replace(EVENTS, endpoint="unusual_sources:EnvelopesEndpoint")
_COLUMNS = replace(EVENTS, endpoint="unusual_sources:ColumnsEndpoint")
_EMPTY = replace(FOLDER, endpoint="unusual_sources:EmptyFolderEndpoint")

UNUSUAL = (
    Reported("U101", EVENTS, "unusual_sources:EmptyListTask"),
    Reported("U102", LINES_SOURCE, "unusual_sources:OneAtATimeTask"),
    Reported("U103", EVENTS, "unusual_sources:RetriableWhenIdleTask"),
    Reported("U104", EVENTS, "unusual_sources:BeginsQuietlyTask"),
    Reported("U105", EVENTS, "unusual_sources:WindowTask"),
    Reported("U106", PAGES, "unusual_sources:OwnSequenceTask"),
    Reported("U107", EVENTS, "unusual_sources:KeyedTask"),
    Reported("U108", _ENVELOPES, "unusual_sources:EnvelopeTask"),
    Reported("U109", _COLUMNS, "unusual_sources:MoreColumnsTask"),
    Reported("U110", EVENTS, "unusual_sources:OwnTopicTask"),
    Reported("U111", LINES_SOURCE, "unusual_sources:RichOffsetsTask"),
    Reported("U112", EVENTS, "unusual_sources:WaitsOutTask"),
    Reported("U113", EVENTS, "unusual_sources:ReadsAheadTask"),
    Reported("U114", _EMPTY, "unusual_sources:FolderThatMayBeEmpty"),
    Reported("U115", _ONE_TASK, "unusual_sources:OneTaskForAllFiles"),
    Reported("U116", LINES_SOURCE, "unusual_sources:DescribedByFunctions"),
    Reported("U201", LINES_SINK, "unusual_sinks:GivesBackFirstTask"),
    Reported("U202", BUFFER_SINK, "unusual_sinks:FullBatchesOnlyTask"),
    Reported("U203", REPORTING_SINK, "unusual_sinks:ReportsByThePageTask"),
    Reported("U204", _ALONE, "unusual_sinks:OneTaskOnly"),
    Reported("U205", LINES_SINK, "unusual_sinks:PausesTask"),
    Reported("U206", BUFFER_SINK, "unusual_sinks:AsksForCommitsTask"),
    Reported("U207", TABLE_SINK, "unusual_sinks:KeepsOwnOffsetsTask"),
    Reported("U208", _KEYED, "unusual_sinks:NeedsKeysTask"),
    Reported("U209", LINES_SINK, "unusual_sinks:SaysNothingNewTask"),
    Reported("U210", LINES_SINK, "unusual_sinks:PromisesByThreadTask"),
)
"""Every one of them."""
