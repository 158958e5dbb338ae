"""The books, without the connector."""

from __future__ import annotations

import base64
import json
import shutil


class HourBookEndpoint:
    """A directory of directories."""

    def __init__(self, directory):
        self._directory = directory / "books"
        self._saved = directory / "saved"

    def start(self):
        self._directory.mkdir()
        return {"books": str(self._directory)}

    def stop(self):
        for path in (self._directory, self._saved):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def seed(self, values):
        directory = self._directory / "seed"
        directory.mkdir(exist_ok=True)
        number = len(list(directory.iterdir()))
        lines = [json.dumps({"value": value, "at": None, "headers": []}) + "\n" for value in values]
        (directory / f"seed+0+{number:020d}.jsonl").write_text("".join(lines), "ascii")

    def _entries(self):
        return [
            json.loads(line)
            for file in sorted(self._directory.glob("*/*.jsonl"))
            for line in file.read_bytes().split(b"\n")[:-1]
        ]

    def read_back(self):
        return [entry["value"] for entry in self._entries()]

    def read_timestamps(self):
        return [entry["at"] for entry in self._entries()]

    def read_headers(self):
        return [[_header(pair) for pair in entry["headers"]] for entry in self._entries()]

    def refuse(self):
        self._directory.rename(self._saved)
        self._directory.touch()
        return ("Not a directory",)

    def recover(self):
        self._directory.unlink()
        self._saved.rename(self._directory)
        return ()


def _header(pair):
    name, value = pair
    return name, base64.b64decode(value["base64"]) if isinstance(value, dict) else value
