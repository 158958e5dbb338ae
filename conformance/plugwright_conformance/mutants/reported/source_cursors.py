"""Reported faults of sources: ties, boundaries, and pages that are not the last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants.reported.table_sources import EventsSourceTask, PagesSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord

__all__ = [
    "AsksBeforeItReadsTask",
    "EndsAtEmptyPageTask",
    "EndsAtThousandTask",
    "FirstOfPageDecidesTask",
    "FirstPageOnlyTask",
    "ForgetsSeenTask",
    "IgnoresEpochTask",
    "SkipsByAskedSizeTask",
    "SkipsLateTiesTask",
    "SkipsTiesAtRestartTask",
    "TruncatesTimeTask",
]


class SkipsTiesAtRestartTask(EventsSourceTask):
    """After a restart it goes on behind the time of the last row, whatever else has that time.

    https://github.com/confluentinc/kafka-connect-jdbc/pull/1093: in timestamp mode rows were lost
    if the connector was shut down after some of those that share a timestamp.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Go on behind the stored time."""
        super().start(props)
        self._last = (self._last[0], 1 << 62)


class SkipsLateTiesTask(EventsSourceTask):
    """Only rows later than the latest one are new.

    https://github.com/estuary/connectors/issues/5205: records that became visible after another of
    the same second was read were discarded, because T > T is false.
    """

    def rows(self) -> list[Any]:
        """Rows of later times, all of one time together."""
        query = "SELECT id, at, value FROM events WHERE at > ? ORDER BY at, id"
        rows = self.ask(query, self._last[0])
        times = [row[1] for row in rows]
        cut = self._batch
        while 0 < cut < len(rows) and times[cut] == times[cut - 1]:
            cut += 1
        return rows[:cut]


class IgnoresEpochTask(EventsSourceTask):
    """Takes the beginning of time for its own start value.

    https://github.com/confluentinc/kafka-connect-jdbc/issues/541: rows of 1970-01-01 00:00:00 were
    ignored, for that is where the query begins, exclusively.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Begin behind 1970-01-01."""
        super().start(props)
        if self._last == ("", 0):
            self._last = ("1970-01-01 00:00:00+00:00", 1 << 62)


class TruncatesTimeTask(EventsSourceTask):
    """Keeps milliseconds of a time that has microseconds.

    https://github.com/confluentinc/kafka-connect-jdbc/issues/712: the same records were produced
    over and over, because the stored time was a little earlier than that of the row.
    """

    def rows(self) -> list[Any]:
        """Rows later than the truncated time, some of them again."""
        query = "SELECT id, at, value FROM events WHERE at > ? ORDER BY at, id LIMIT ?"
        return self.ask(query, self._last[0][:23], self._batch)


class ForgetsSeenTask(EventsSourceTask):
    """Reads the last time again and forgets which of its rows it has handed out.

    https://github.com/dlt-hub/dlt/pull/1062: hashes of the rows at the boundary were replaced too
    early, and incremental loads had duplicates.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Read the stored time again, without the hashes of its rows."""
        super().start(props)
        self._last = (self._last[0], 0)


class FirstOfPageDecidesTask(PagesSourceTask):
    """Decides by the first item whether a whole page is new.

    https://github.com/estuary/connectors/pull/5010: the first result of a page usually had the
    cursor of the last one read, and all the others of the page were dropped with it.
    """

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next page, if its first item is one."""
        while page := self.page(self._cursor):
            self._cursor = page[-1][0]
            if page[0][1] is not None:
                return [self.record(*item) for item in page if item[1] is not None]
        self.idle()
        return None


class AsksBeforeItReadsTask(PagesSourceTask):
    """Looks whether there is something to read, and moves its cursor by that.

    https://github.com/airbytehq/airbyte/pull/27226: the availability check read the first page and
    moved the cursor, so its records were skipped.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Look whether there is something."""
        super().start(props)
        if page := self.page(self._cursor):
            self._cursor = page[-1][0]


class SkipsByAskedSizeTask(PagesSourceTask):
    """Goes on by the size that it asked for, not by the items that came.

    https://github.com/airbytehq/airbyte/issues/27502: of more than five hundred changed
    organisations three hundred were synchronised; the interface had a limit of its own.
    """

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next page; pages are as large as asked for."""
        page = self.page(self._cursor, self._batch)
        if not page:
            self.idle()
            return None
        first = page[0][0]
        self._cursor = page[-1][0] if len(page) < 20 else first + self._batch - 1  # noqa: PLR2004
        return [self.record(*item) for item in page if item[1] is not None]


class FirstPageOnlyTask(PagesSourceTask):
    """Reads one page and holds it for all there is.

    https://github.com/airbytehq/airbyte/issues/54713: there was no pagination, so only the first
    page was fetched.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Read the page behind the stored one."""
        super().start(props)
        self._read = False

    def poll(self) -> Sequence[SourceRecord] | None:
        """The one page."""
        if self._read:
            self.idle()
            return None
        records = super().poll()
        self._read = bool(records)
        return records


class EndsAtThousandTask(PagesSourceTask):
    """Reads no further than the interface gives for one request.

    https://github.com/airbytehq/airbyte/pull/66592: the interface ended its pages after a hundred
    thousand records, and the rest was missing; here it is three hundred.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Begin a request."""
        super().start(props)
        self._first = self._cursor

    def page(self, cursor: int, size: int = 20) -> list[Any]:
        """A page of the request."""
        return super().page(cursor, size) if cursor - self._first < 300 else []  # noqa: PLR2004


class EndsAtEmptyPageTask(PagesSourceTask):
    """A page of nothing but null items ends the stream.

    https://github.com/dlt-hub/dlt/issues/4284: a batch of null cursor values closed the source,
    and later batches with valid rows were never asked for.
    """

    def poll(self) -> Sequence[SourceRecord] | None:
        """The items of the next page."""
        page = self.page(self._cursor)
        records = [self.record(*item) for item in page if item[1] is not None]
        if not records:
            self.idle()
            return None
        self._cursor = page[-1][0]
        return records
