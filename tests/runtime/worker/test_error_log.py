"""The log lines of failing records, in Kafka Connect's words."""

from __future__ import annotations

import pytest
from tests.runtime.worker.fakes import Message
from tests.runtime.worker.rigs import IDENTITY, line

from plugwright.worker import ErrorCounters, FailedOperation, Origin, ProcessingStage
from plugwright.worker.error_handler import ErrorLog

MESSAGE = Message(("t", 2, 7), b"v", time=(1, 1_234))


def _logged(caplog, origin, *, messages):
    counters = ErrorCounters()
    failed = FailedOperation(
        origin, ProcessingStage.VALUE_CONVERTER, "a.Converter", ValueError("bad")
    )
    ErrorLog(IDENTITY, counters, messages=messages).report(failed)
    (record,) = caplog.records
    assert (counters.errors_logged, record.exc_info[1]) == (1, failed.error)
    return record.getMessage()


def test_a_line_names_task_stage_and_class(caplog):
    """Without the record, which may be secret."""
    assert _logged(caplog, Origin(message=MESSAGE), messages=False) == (
        "Error encountered in task orders-3. Executing stage 'VALUE_CONVERTER' with class "
        "'a.Converter'."
    )


@pytest.mark.parametrize(
    ("time", "tail"),
    [
        ((1, 1_234), ", timestamp=1234, timestampType=CreateTime}."),
        ((2, 1_234), ", timestamp=1234, timestampType=LogAppendTime}."),
        ((0, -1), "}."),
    ],
    ids=["create", "append", "none"],
)
def test_a_line_may_tell_where_a_consumed_record_stood(caplog, time, tail):
    """errors.log.include.messages, for sinks."""
    message = Message(("t", 2, 7), b"v", time=time)
    assert _logged(caplog, Origin(message=message), messages=True).endswith(
        f", where consumed record is {{topic='t', partition=2, offset=7{tail}"
    )


def test_a_line_may_show_a_source_record(caplog):
    """errors.log.include.messages, for sources."""
    text = _logged(caplog, Origin(record=line("a", 1)), messages=True)
    assert "with class 'a.Converter', where source record is = SourceRecord{" in text
    assert text.endswith("headers=ConnectHeaders(headers=)}.")
