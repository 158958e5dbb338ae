"""The windows, without the connector."""

from __future__ import annotations

import json
import shutil


class WindowEndpoint:
    """A directory of windows."""

    def __init__(self, directory):
        self._directory = directory / "windows"
        self._saved = directory / "saved"

    def start(self):
        self._directory.mkdir()
        return {"directory": str(self._directory)}

    def stop(self):
        for path in (self._directory, self._saved):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def seed(self, values):
        number = len(list(self._directory.iterdir()))
        (self._directory / f"seed,{number:09d}.json").write_text(json.dumps(list(values)))

    def read_back(self):
        values = []
        for file in sorted(self._directory.glob("*.json")):
            values += json.loads(file.read_text(encoding="utf-8"))
        return values

    def refuse(self):
        self._directory.rename(self._saved)
        self._directory.touch()
        return ("Not a directory",)

    def recover(self):
        self._directory.unlink()
        self._saved.rename(self._directory)
        return ()
