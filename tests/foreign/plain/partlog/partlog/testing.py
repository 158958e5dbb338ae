"""The files of JSON lines, without the connector."""

from __future__ import annotations

import json
import shutil


class PartLogEndpoint:
    def __init__(self, directory):
        self._logs = directory / "logs"
        self._saved = directory / "saved"

    def start(self):
        self._logs.mkdir()
        return {"log.directory": str(self._logs)}

    def stop(self):
        if self._logs.is_file():
            self._logs.unlink()
        shutil.rmtree(self._logs, ignore_errors=True)
        shutil.rmtree(self._saved, ignore_errors=True)

    def seed(self, values):
        first = len(self._lines())
        lines = [
            {"topic": "seeds", "offset": n, "timestamp": None, "key": None, "value": value}
            for n, value in enumerate(values, first)
        ]
        name = f"seeds+0+{first:020d}-{first + len(lines):020d}.jsonl"
        (self._logs / name).write_text("".join(json.dumps(each) + "\n" for each in lines), "ascii")

    def read_back(self):
        return [line["value"] for line in self._lines()]

    def read_timestamps(self):
        return [line["timestamp"] for line in self._lines()]

    def read_topics(self):
        return [line["topic"] for line in self._lines()]

    def refuse(self):
        self._logs.rename(self._saved)
        self._logs.write_bytes(b"")
        return ("ot a directory",)

    def recover(self):
        self._logs.unlink()
        self._saved.rename(self._logs)
        return ()

    def deny(self):
        self._logs.rename(self._saved)
        return ()

    def _lines(self):
        return [
            json.loads(line)
            for path in sorted(self._logs.glob("*.jsonl"))
            if not path.name.startswith(".")
            for line in path.read_text("ascii").splitlines()
        ]
