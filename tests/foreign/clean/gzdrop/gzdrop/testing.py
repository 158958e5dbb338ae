"""A directory of uploads."""

from __future__ import annotations

import base64
import gzip
import json
import os
import shutil
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

PER_FILE = 4


class DropDirectory:
    def __init__(self, directory: Path) -> None:
        self.drop = directory / "drop"
        self.away = directory / "drop.away"

    def start(self):
        self.drop.mkdir(exist_ok=True)
        return {"drop.dir": str(self.drop)}

    def stop(self):
        shutil.rmtree(self.away, ignore_errors=True)
        if self.drop.is_dir():
            shutil.rmtree(self.drop)
        self.drop.unlink(missing_ok=True)

    def seed(self, values):
        lines = [encode(value) for value in values]
        for begin in range(0, len(lines), PER_FILE):
            self._upload(lines[begin:begin + PER_FILE])

    def read_back(self):
        values = []
        for path in sorted(self._place().glob("*.gz")):
            with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
                values += [decode(line) for line in file]
        return values

    def seed_corrupt(self):
        name = self._upload([encode(SAMPLE), encode(SAMPLE)[:30]])
        return name, "line 2"

    def seed_foreign(self):
        self._upload([json.dumps({**json.loads(encode(SAMPLE)), "samples": "many"})])
        return ("samples",)

    def refuse(self):
        self.drop.rename(self.away)
        return ("No such file or directory",)

    def recover(self):
        self.away.rename(self.drop)
        return ()

    def deny(self):
        self.drop.rename(self.away)
        self.drop.write_text("somebody has put a file here")
        return ()

    def _place(self):
        return self.away if self.away.exists() else self.drop

    def _upload(self, lines) -> str:
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}.ndjson.gz"
        part = self._place() / f".{name}.part"
        part.write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode()))
        os.rename(part, self._place() / name)
        return name


SAMPLE = {"sensor": "s1", "value": 0.5, "samples": 2, "valid": True,
          "taken": datetime(2026, 2, 3, 4, 5, 6, tzinfo=timezone.utc), "raw": None}


def encode(value) -> str:
    raw = value.get("raw")
    return json.dumps({
        **value,
        "taken": value["taken"].astimezone(timezone.utc).isoformat(),
        "raw": None if raw is None else base64.b64encode(raw).decode(),
    })


def decode(line):
    data = json.loads(line)
    data["taken"] = datetime.fromisoformat(data["taken"])
    data["raw"] = None if data["raw"] is None else base64.b64decode(data["raw"])
    return data
