"""The directories of files, without the connector."""

import base64
import json
import shutil
import uuid
from datetime import date, datetime
from decimal import Decimal

DECODERS = {
    "$float": float,
    "$bytes": base64.b64decode,
    "$decimal": Decimal,
    "$timestamp": datetime.fromisoformat,
    "$date": date.fromisoformat,
}


def decoded(value):
    if isinstance(value, dict) and len(value) == 1:
        (name,) = value
        if name in DECODERS:
            return DECODERS[name](value[name])
    return value


def encoded(value):
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    if isinstance(value, datetime):
        return {"$timestamp": value.isoformat()}
    if isinstance(value, date):
        return {"$date": value.isoformat()}
    if isinstance(value, float) and json.dumps(value) in ("NaN", "Infinity", "-Infinity"):
        return {"$float": repr(value)}
    return value


class BoxEndpoint:
    def __init__(self, directory):
        self.root = directory / "boxes"
        self.away = directory / "away"
        self.seeded = directory / "seeded"

    def start(self):
        self.root.mkdir()
        self.seeded.mkdir()
        return {"files.directory": str(self.root)}

    def stop(self):
        if self.root.is_file():
            self.root.unlink()
        for path in (self.root, self.away, self.seeded):
            shutil.rmtree(path, ignore_errors=True)

    def seed(self, values):
        lines = [
            json.dumps({"topic": "seed", "timestamp": None, "headers": [], "value": encoded(v)})
            for v in values
        ]
        if lines:
            count = len(list(self.seeded.iterdir()))
            name = f"{count:06d}-{uuid.uuid4().hex}.jsonl"
            (self.seeded / name).write_text("\n".join(lines) + "\n", "ascii")

    def _items(self):
        files = sorted(self.seeded.glob("*.jsonl")) + sorted(self.root.glob("*/*.jsonl"))
        for file in files:
            for line in file.read_text("ascii").splitlines():
                yield json.loads(line)

    def read_back(self):
        return [decoded(item["value"]) for item in self._items()]

    def read_headers(self):
        return [[(name, decoded(v)) for name, v in item["headers"]] for item in self._items()]

    def read_timestamps(self):
        return [item["timestamp"] for item in self._items()]

    def read_topics(self):
        return [item["topic"] for item in self._items()]

    def read_offsets(self):
        ends = []
        for home in self.root.iterdir():
            names = [path.stem for path in home.glob("*.jsonl")]
            if names:
                topic, _, partition = home.name.rpartition("-")
                ends.append((topic, int(partition), max(int(n.split("-")[1]) for n in names)))
        return ends

    def refuse(self):
        self.root.rename(self.away)
        return ("No such file or directory",)

    def recover(self):
        if self.root.is_file():
            self.root.unlink()
        self.away.rename(self.root)
        return ()

    def deny(self):
        self.root.rename(self.away)
        self.root.touch()
        return ()
