"""Connectors as DataFrames over Spark Connect: the session is on the other side of a connection."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plugwright.errors import SetupError

PLUGINS = Path(__file__).parents[4] / "plugin-path"
QUERY = """
import sys
from pathlib import Path

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from plugwright.spark import register

plugins, directory = sys.argv[1:]
quick = {"spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"}
session = SparkSession.builder.remote("local[2]").config(map=quick).getOrCreate()
register(session)

def shaped(builder, kind, file):
    options = {"connector.class": f"FileStream{kind}", "plugin.path": plugins}
    return builder.format("plugwright").options(**options, file=f"{directory}/{file}")

def source(reader):
    return shaped(reader, "Source", "in.txt").option("topic", "t").load()

def sink(writer, file):
    return shaped(writer, "Sink", file).option("topics", "t")

print(type(session).__module__)
sink(source(session.read).write.mode("append"), "batch.txt").save()
rows = source(session.readStream)
query = sink(rows.writeStream, "stream.txt").option("checkpointLocation", f"{directory}/at").start()
query.processAllAvailable()
query.stop()
try:
    shaped(session.read, "Nothing", "in.txt").load().schema
except AnalysisException as error:
    print(str(error).count("→ near: FileStreamSource"))
session.stop()
"""


@pytest.mark.spark
@pytest.mark.timeout(240)
def test_a_remote_session_reads_and_writes_connectors(tmp_path):
    """Batches, streams and what is wrong: Spark Connect runs data sources as any session does."""
    lines = [f"line {number}" for number in range(100)]
    (tmp_path / "in.txt").write_text("".join(f"{line}\n" for line in lines))

    done = subprocess.run(
        [sys.executable, "-c", QUERY, str(PLUGINS), str(tmp_path)],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )

    said = done.stdout.split()
    assert said == ["pyspark.sql.connect.session", "1"], done.stderr
    for name in ("batch.txt", "stream.txt"):
        assert (tmp_path / name).read_text().splitlines() == lines


def test_a_worker_says_that_it_needs_a_driver_of_its_own():
    """Before anything is started."""
    from plugwright.spark import open_session  # noqa: PLC0415  # pyspark takes its time

    with pytest.raises(SetupError, match="is a Spark Connect server") as caught:
        open_session(master="sc://spark:15002")
    assert caught.value.code == "environment.spark-connect"
    assert "spark://host:7077" in caught.value.hint
