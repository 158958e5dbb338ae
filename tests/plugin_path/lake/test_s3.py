"""The lake over S3, on a server of moto's; skipped where moto or s3fs are not installed."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from plugwright import RetriableError, SinkRecord, TopicPartition
from plugwright_lake import LakeSinkTask, LakeSourceTask

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
HOME = TopicPartition("t", 0)


@pytest.fixture(scope="module")
def address():
    """Where a server of S3 listens on loopback."""
    server = pytest.importorskip("moto.server", reason="moto[server] is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(address):
    """A client with an empty bucket, of another library than the connector's."""
    import boto3  # noqa: PLC0415  # comes with moto

    client = boto3.client(
        "s3",
        endpoint_url=address,
        aws_access_key_id="a",
        aws_secret_access_key="b",  # noqa: S106  # the server takes any
        region_name="us-east-1",
    )
    client.create_bucket(Bucket="lake")
    yield lambda: {
        each["Key"]: client.get_object(Bucket="lake", Key=each["Key"])["Body"].read()
        for each in client.list_objects_v2(Bucket="lake").get("Contents", [])
    }
    for each in client.list_objects_v2(Bucket="lake").get("Contents", []):
        client.delete_object(Bucket="lake", Key=each["Key"])


def _settings(address, **more):
    return {
        "store.url": "s3://lake/here",
        "store.option.key": "a",
        "store.option.secret": "b",
        "store.option.client_kwargs": json.dumps(
            {"endpoint_url": address, "region_name": "us-east-1"}
        ),
        **more,
    }


def _sink(address, **more):
    task = LakeSinkTask()
    task.initialize(SimpleNamespace())
    task.start(_settings(address, **{"flush.size": "3", **more}))
    task.open([HOME])
    return task


def _put(task, *values):
    task.put([SinkRecord("t", 0, None, None, None, each, n) for n, each in enumerate(values)])


@pytest.mark.parametrize("form", ["jsonl", "avro", "parquet"])
def test_a_repetition_puts_the_same_objects(address, bucket, form):
    """The task died before it committed."""
    first = _sink(address, **{"format.class": form})
    _put(first, *"abcdefg")
    assert first.pre_commit({HOME: 7}) == {HOME: 6}
    before = bucket()
    _put(_sink(address, **{"format.class": form}), *"abcdefg")
    assert [key.partition(".")[0] for key in before] == [
        "here/topics/t/partition=0/t+0+0000000000",
        "here/topics/t/partition=0/t+0+0000000003",
    ]
    assert bucket() == before


def test_what_is_there_is_not_written_again(address, bucket):
    """Where commits finish files."""
    first = _sink(address, **{"rotate.on.commit": "true"})
    _put(first, "a", "b")
    first.pre_commit({HOME: 2})
    second = _sink(address, **{"rotate.on.commit": "true"})
    _put(second, "a", "b", "c")
    assert bucket() == {
        "here/topics/t/partition=0/t+0+0000000000+0000000001.jsonl": b'"a"\n"b"\n',
        "here/topics/t/partition=0/t+0+0000000002+0000000002.jsonl": b'"c"\n',
    }


class _Offsets:
    """What is stored, by file."""

    def __init__(self):
        self.stored = {}

    def offsets(self, partitions):
        """In the order asked."""
        return [(partition, self.stored.get(partition["file"])) for partition in partitions]


def test_the_source_reads_objects_and_moves_them(address, bucket):
    """Once their offsets are stored."""
    _put(_sink(address), "a", "b", "c")
    offsets, task = _Offsets(), LakeSourceTask()
    task.initialize(SimpleNamespace(offset_storage_reader=offsets))
    task.start(_settings(address, **{"finished.dir": "done", "poll.interval.ms": "1"}))
    records = task.poll()
    offsets.stored = {each.source_partition["file"]: each.source_offset for each in records}
    assert task.poll() is None
    assert [each.value for each in records] == ["a", "b", "c"]
    assert list(bucket()) == ["here/done/t/partition=0/t+0+0000000000.jsonl"]


def test_a_server_that_is_not_there_is_tried_again(address):
    """With where it should be."""
    with pytest.raises(RetriableError, match=r"127\.0\.0\.1:1/"):
        _sink("http://127.0.0.1:1")
