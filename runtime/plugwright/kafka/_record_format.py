"""The version of the records that the workers of a group write for each other.

Workers ignore fields that they do not know. A later version that writes what an earlier one would
misread names, under ``format``, its ``version`` and the ``worker`` and ``release`` that wrote it.
Records without that field have the first version, which is Kafka Connect's format.
"""

from __future__ import annotations

from typing import Any

from plugwright.errors import ConnectError

_VERSION = 1
_UNKNOWN = "an unknown worker"


def require_readable(key: str, content: Any) -> None:
    """Check that this version of the worker understands a record.

    Args:
        key: of the record.
        content: its value, as decoded from JSON.

    Raises:
        ConnectError: ``kafka.newer-record``, naming the worker that wrote it.
    """
    found = content.get("format") if isinstance(content, dict) else None
    if found is None:
        return
    written = found if isinstance(found, dict) else {"version": found}
    version = written.get("version")
    if isinstance(version, int) and version <= _VERSION:
        return
    worker = str(written.get("worker") or content.get("worker_id") or _UNKNOWN)
    release = f" (Plugwright {written['release']})" if written.get("release") else ""
    raise ConnectError(
        f"record {key} has format {version}, written by {worker}{release}; this worker reads "
        f"formats up to {_VERSION} and ignores the record",
        code="kafka.newer-record",
        hint="upgrade this worker to the release of the other one",
        facts={"key": key, "format": version, "worker": worker},
    )
