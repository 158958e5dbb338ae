"""The archives, without the connector."""

from __future__ import annotations

import base64
import json
import shutil
import zipfile


class StacksEndpoint:
    """A directory."""

    def __init__(self, directory):
        self._directory = directory / "stacks"
        self._saved = directory / "saved"

    def start(self):
        self._directory.mkdir()
        return {"stacks": str(self._directory)}

    def stop(self):
        for path in (self._directory, self._saved):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def seed(self, values):
        number = len(list(self._directory.iterdir()))
        columns = {"value": list(values), "time": [None for _ in values]}
        columns["headers"] = [[] for _ in values]
        with zipfile.ZipFile(self._directory / f"seed+0+{number:019d}+0.zip", "w") as archive:
            for name, column in columns.items():
                archive.writestr(f"{name}.json", json.dumps(column))

    def _column(self, name):
        for path in sorted(self._directory.glob("*.zip")):
            with zipfile.ZipFile(path) as archive:
                yield from json.loads(archive.read(f"{name}.json"))

    def read_back(self):
        found = []
        for path in sorted(self._directory.glob("*.zip")):
            with zipfile.ZipFile(path) as archive:
                columns = {n: json.loads(archive.read(n)) for n in archive.namelist()}
            if "value.json" in columns:
                found += columns["value.json"]
            else:
                rows = {
                    name.removeprefix("value.").removesuffix(".json"): column
                    for name, column in columns.items()
                    if name.startswith("value.")
                }
                found += [
                    dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)
                ]
        return found

    def read_timestamps(self):
        return list(self._column("time"))

    def read_headers(self):
        return [[_header(pair) for pair in headers] for headers in self._column("headers")]

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
