"""Settings of Confluent's sinks that have no meaning here, each with the reason."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["refusal"]

_URL = "store.url names the place, such as s3://bucket/path"
_OPTION = "give the driver its option by store.option.*"
_PARTS = "a file is put at once, so there are no parts; flush.size limits its size"
_KEYS = "keys and headers are not written"
_HIVE = "tables are not registered in Hive; let the engine discover the folders"
_RENAMED = "a class of one's own cannot be loaded here"

_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "s3.bucket.name": _URL,
        "hdfs.url": _URL,
        "gcs.bucket.name": _URL,
        "azblob.container.name": _URL,
        "store.name": _URL,
        "s3.region": _OPTION,
        "s3.part.size": _PARTS,
        "s3.part.retries": "Connect retries the records; errors.retry.timeout says how long",
        "s3.retry.backoff.ms": "Connect retries the records; errors.retry.delay.max.ms says when",
        "s3.proxy.url": _OPTION,
        "s3.proxy.user": _OPTION,
        "s3.proxy.password": _OPTION,
        "s3.ssea.name": _OPTION,
        "s3.sse.kms.key.id": _OPTION,
        "s3.sse.customer.key": _OPTION,
        "s3.acl.canned": _OPTION,
        "s3.wan.mode": _OPTION,
        "s3.path.style.access.enabled": _OPTION,
        "s3.credentials.provider.class": _OPTION,
        "s3.object.tagging": "files are not tagged",
        "s3.compression.level": "gzip compresses at its usual level",
        "aws.access.key.id": "give it as store.option.key",
        "aws.secret.access.key": "give it as store.option.secret",
        "gcs.part.size": _PARTS,
        "gcs.credentials.path": _OPTION,
        "storage.class": "store.url chooses the storage",
        "store.kafka.keys": _KEYS,
        "store.kafka.headers": _KEYS,
        "keys.format.class": _KEYS,
        "headers.format.class": _KEYS,
        "tombstone.encoded.partition": "a record without value is refused or left out",
        "directory.delim": "folders are separated by slashes",
        "partition.field.format.path": "folders of fields are named field=value",
        "rotate.file.size": "files are finished by count and time; flush.size limits their size",
        "enhanced.avro.schema.support": "enums are written as text",
        "connect.meta.data": "Avro schemas are written without Connect's own properties",
        "allow.optional.map.keys": "keys of maps cannot be null",
        "hive.integration": _HIVE,
        "hive.metastore.uris": _HIVE,
        "hive.database": _HIVE,
        "hive.home": _HIVE,
        "hive.conf.dir": _HIVE,
        "hive.table.name": _HIVE,
        "logs.dir": "there is no write-ahead log: names of files say what was written",
        "hadoop.conf.dir": _OPTION,
        "hadoop.home": _OPTION,
        "hdfs.authentication.kerberos": _OPTION,
        "connect.hdfs.principal": _OPTION,
        "connect.hdfs.keytab": _OPTION,
        "format": "the key is format.class",
        "partitioner": "the key is partitioner.class",
        "schema.generator.class": _RENAMED,
    }
)


def refusal(key: str) -> str | None:
    """Why a setting is refused, ``None`` if it is not."""
    return _REASONS.get(key)
