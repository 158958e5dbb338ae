"""Connectors as DataFrames on a real Spark: streams over restarts, and what errors users see."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.errors import AnalysisException
from pyspark.errors.exceptions.base import StreamingQueryException
from tests.runtime.spark.datasource.tally import Shop, each

from plugwright.spark import register

pytestmark = pytest.mark.spark


@pytest.fixture
def shop(spark_session, tmp_path):
    """The tally, known to the session."""
    register(spark_session)
    return Shop(spark_session, tmp_path)


def test_a_stream_is_exactly_once_over_restarts_and_a_repeated_micro_batch(shop):
    """From whichever thread it is restarted; the checkpoint is of no use to another version."""
    shop.stream(last=9)
    assert shop.written() == each(9)

    shop.forget_last_commit()
    with ThreadPoolExecutor(1, initializer=register, initargs=[shop.session]) as elsewhere:
        elsewhere.submit(shop.stream, last=14).result()
    assert shop.written() == each(14)
    assert list((shop.root / "out").glob("*.again"))

    shop.publish("1.1")
    with pytest.raises(StreamingQueryException, match=r"rows\.checkpoint-of-another-version"):
        shop.stream(last=14)


def test_a_user_sees_what_is_wrong_before_a_task_starts(shop):
    """Spark hands on the code, what is wrong, and what to do."""
    reader = shop.session.read

    with pytest.raises(AnalysisException) as caught:
        shop.options(reader, connector_class="TallySource", lst="3").load()
    reported = str(caught.value)
    assert 'config.invalid: 1 problem · last: Missing required configuration "last"' in reported
    assert "→ lst is not a setting; did you mean last?" in reported
    with pytest.raises(AnalysisException, match=r"rows\.wrong-kind: connector\.class: tally\.Tal"):
        shop.options(reader, connector_class="TallySink", dir="x").load()
    rows = shop.session.sql("SELECT named_struct('at', timestamp_ntz'2026-01-01') AS event")
    sink = {"connector_class": "TallySink", "dir": str(shop.root), "topics": "t"}
    with pytest.raises(AnalysisException, match=r"column event\.at: the type timestamp_ntz"):
        shop.options(rows.write, **sink).mode("append").save()
