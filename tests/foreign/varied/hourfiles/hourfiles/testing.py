"""The files, without the connector."""

from __future__ import annotations

import base64
import json
import shutil
from urllib.parse import unquote


class HoursEndpoint:
    """A directory."""

    def __init__(self, directory):
        self._directory = directory / "hours"
        self._saved = directory / "saved"

    def start(self):
        self._directory.mkdir()
        return {"hours.directory": str(self._directory)}

    def stop(self):
        for path in (self._directory, self._saved):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def seed(self, values):
        target = self._directory / "seed" / "undated"
        target.mkdir(parents=True, exist_ok=True)
        rows = [{"value": value, "time": None, "headers": []} for value in values]
        content = "".join(json.dumps(row) + "\n" for row in rows)
        (target / f"0+{len(list(target.iterdir())):019d}+0.jsonl").write_text(content, "utf-8")

    def _read(self):
        return [
            (unquote(path.parent.parent.name), json.loads(line))
            for path in sorted(self._directory.glob("*/*/*.jsonl"))
            for line in path.read_bytes().splitlines()
        ]

    def read_back(self):
        return [row["value"] for _, row in self._read()]

    def read_timestamps(self):
        return [row["time"] for _, row in self._read()]

    def read_headers(self):
        return [[_header(pair) for pair in row["headers"]] for _, row in self._read()]

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
