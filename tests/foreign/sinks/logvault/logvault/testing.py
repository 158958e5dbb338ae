"""The logs, without the connector."""

from __future__ import annotations

import base64
import datetime as dt
import json
import shutil
from decimal import Decimal

_READERS = {
    "string": str,
    "boolean": lambda text: text == "true",
    "int": int,
    "float": float,
    "decimal": Decimal,
    "bytes": base64.b64decode,
    "timestamp": dt.datetime.fromisoformat,
}


class VaultEndpoint:
    """A directory of logs."""

    def __init__(self, directory):
        self._directory = directory / "vault"
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
        number = len(list(self._directory.glob("*.log")))
        data = b"".join(
            json.dumps({"offset": n, "time": None, "value": ["string", value]}).encode() + b"\n"
            for n, value in enumerate(values)
        )
        (self._directory / f"seed-{number}.log").write_bytes(data)
        (self._directory / f"seed-{number}.manifest").write_text(
            json.dumps({"next": len(values), "length": len(data)})
        )

    def _entries(self):
        entries = []
        for file in sorted(self._directory.glob("*.manifest")):
            length = json.loads(file.read_bytes())["length"]
            data = file.with_suffix(".log").read_bytes()[:length]
            entries += [json.loads(line) for line in data.split(b"\n")[:-1]]
        return entries

    def read_back(self):
        values = []
        for entry in self._entries():
            stored = entry["value"]
            values.append(None if stored is None else _READERS[stored[0]](stored[1]))
        return values

    def read_timestamps(self):
        return [entry["time"] for entry in self._entries()]

    def refuse(self):
        self._directory.rename(self._saved)
        self._directory.touch()
        return ("Not a directory",)

    def recover(self):
        self._directory.unlink()
        self._saved.rename(self._directory)
        return ()
