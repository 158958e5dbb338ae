"""The version of the records that the workers of a group write for each other.

Workers ignore fields that they do not know. A later version that writes what an earlier one would
misread names, under ``format``, its ``version`` and the ``worker`` and ``release`` that wrote it.
Records without that field have the first version, which is Kafka Connect's format.
"""

from __future__ import annotations

import logging
from typing import Any

from plugwright.errors import ConnectError, render

log = logging.getLogger(__name__)

_VERSION = 1
_UNKNOWN = "an unknown worker"


def is_readable(key: str, content: Any) -> bool:
    """Whether this version of the worker understands a record.

    One that it does not is logged as ``kafka.newer-record``, with the worker that wrote it.

    Args:
        key: of the record.
        content: its value, as decoded from JSON.
    """
    found = content.get("format") if isinstance(content, dict) else None
    if found is None:
        return True
    written = found if isinstance(found, dict) else {"version": found}
    version = written.get("version")
    if isinstance(version, int) and version <= _VERSION:
        return True
    log.error("%s", render(_newer_record(key, content, written)))
    return False


def _newer_record(key: str, content: dict[str, Any], written: dict[str, Any]) -> ConnectError:
    version = written.get("version")
    worker = str(written.get("worker") or content.get("worker_id") or _UNKNOWN)
    release = f" (Plugwright {written['release']})" if written.get("release") else ""
    return ConnectError(
        f"record {key} has format {version}, written by {worker}{release}; this worker reads "
        f"formats up to {_VERSION} and ignores the record",
        code="kafka.newer-record",
        hint="upgrade this worker to the release of the other one",
        facts={"key": key, "format": version, "worker": worker},
    )
