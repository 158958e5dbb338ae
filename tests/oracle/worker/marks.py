"""What differs from run to run, and the marks that stand for it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from plugwright.plugins.java_names import java_name_of

__all__ = ["Marks"]

_CLUSTER = re.compile(r"[A-Za-z0-9_-]{22}")
_COMMIT = re.compile(r"[0-9a-f]{16}|unknown")
_OURS = re.compile(r"plugwright[\w.]*\.\w+")
_MASKED = {"kafka_cluster_id": _CLUSTER, "commit": _COMMIT}
_UNORDERED = ("offsets", "tasks", "topics")
"""Lists that Java makes of sets and of hash maps."""
_SETS = ("access-control-allow-methods", "allow")
_TEMPORARY = re.compile(r"/[\w/]*/java-connect-\w+")
_METHODS = re.compile(r"[A-Z]+(, ?[A-Z]+)+")


@dataclass(frozen=True, slots=True)
class Marks:
    """What a run's own address, directory and version are called in steps and answers.

    Our names of Kafka's own classes read as Java's.
    """

    url: str
    directory: str
    version: str

    def filled(self, text: str) -> str:
        """A text of a step as this run has it."""
        for mark, value in self._values():
            text = text.replace(mark, value)
        return text

    def put(self, value: Any, key: str = "") -> Any:
        """An answer as every run has it."""
        if isinstance(value, dict):
            return {self._text(k): self.put(v, k) for k, v in value.items()}
        if isinstance(value, list):
            found = [self.put(each, key) for each in value]
            return sorted(found, key=_sorting) if key in _UNORDERED else found
        if key == "last_modified" and value is not None:
            return "@TIME@"
        return self._put_text(value, key) if isinstance(value, str) else value

    def _put_text(self, value: str, key: str) -> str:
        if key == "trace" and value:
            return "@TRACE@"
        if key in _MASKED and _MASKED[key].fullmatch(value):
            return f"@{key.upper()}@"
        if key in _SETS or _METHODS.fullmatch(value):
            return ", ".join(sorted(re.split(", ?", value)))
        return self._text(value)

    def _text(self, text: str) -> str:
        text = _TEMPORARY.sub("@JAVA@", text)
        for mark, value in self._values():
            if mark == "@VERSION@" and text != value and text[:1] not in {"[", "("}:
                continue  # only as a whole, or in a range: other things are called 0.1 as well
            text = text.replace(value, mark)
        return _OURS.sub(lambda found: java_name_of(found[0]) or found[0], text)

    def _values(self) -> list[tuple[str, str]]:
        return [
            ("@URL@", self.url),
            ("@WORKER@", urlsplit(self.url).netloc),
            ("@DIR@", self.directory),
            ("@VERSION@", self.version),
        ]


def _sorting(value: Any) -> str:
    """Tasks by number, offsets by partition, texts by themselves."""
    named = value if isinstance(value, dict) else {}
    return json.dumps(named.get("id", named.get("partition", value)), sort_keys=True)
