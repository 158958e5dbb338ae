"""The files of keys, without the connector."""

from __future__ import annotations

import json
import shutil
from urllib.parse import unquote


class BinsEndpoint:
    """A directory with a directory for each topic; seeds are in one of their own."""

    def __init__(self, directory):
        self._bins = directory / "bins"
        self._saved = directory / "saved"

    def start(self):
        self._bins.mkdir()
        return {"bins.directory": str(self._bins)}

    def stop(self):
        if self._bins.is_file():
            self._bins.unlink()
        shutil.rmtree(self._bins, ignore_errors=True)
        shutil.rmtree(self._saved, ignore_errors=True)

    def seed(self, values):
        part = self._bins / "t+" / "seeds"
        part.mkdir(parents=True, exist_ok=True)
        number = len(list(part.iterdir()))
        entries = {str(at): {"value": value, "at": None} for at, value in enumerate(values)}
        content = json.dumps({"next": 0, "entries": entries})
        (part / f"{number:02d}.json").write_text(content, "utf-8")

    def _entries(self):
        """The topic of each entry, and the entry."""
        return [
            (unquote(topic.name.removeprefix("t+")), entry)
            for topic in sorted(self._bins.iterdir())
            for path in sorted(topic.glob("*/*.json"))
            for entry in json.loads(path.read_text("utf-8"))["entries"].values()
        ]

    def read_back(self):
        return [entry["value"] for _, entry in self._entries()]

    def read_timestamps(self):
        return [entry["at"] for _, entry in self._entries()]

    def read_topics(self):
        return [topic for topic, _ in self._entries()]

    def refuse(self):
        self._bins.rename(self._saved)
        self._bins.write_bytes(b"")
        return ("ot a directory",)

    def recover(self):
        self._bins.unlink()
        self._saved.rename(self._bins)
        return ()
