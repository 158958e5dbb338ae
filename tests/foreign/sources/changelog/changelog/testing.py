"""Three shards of segments of nine changes each."""

from __future__ import annotations

import json
import zlib


class ChangeLogEndpoint:
    def __init__(self, directory):
        self.directory = directory / "log"
        self.away = directory / "log-away"
        self.shards = [self.directory / f"shard-{letter}" for letter in "abc"]

    def start(self):
        for shard in self.shards:
            shard.mkdir(parents=True, exist_ok=True)
            (shard / "000001.log").touch()
        return {"log.directory": str(self.directory)}

    def stop(self):
        import shutil

        for place in (self.directory, self.away):
            if place.is_file():
                place.unlink()
            shutil.rmtree(place, ignore_errors=True)

    def _segments(self, shard):
        return sorted(shard.glob("*.log"))

    def _append(self, key, value, shard):
        segments = self._segments(shard)
        last = segments[-1]
        count = last.read_bytes().count(b"\n")
        if count == 9:
            last, count = shard / f"{len(segments) + 1:06d}.log", 0
        ts = 1_600_000_000_000 + 1_000_003 * ((len(segments) - (0 if count else 1)) * 9 + count) + 7
        change = {
            "op": "put",
            "key": key,
            "value": value,
            "ts": ts,
            "headers": {"origin": shard.name, "n": str(count)},
        }
        with last.open("a", encoding="utf-8") as file:
            file.write(json.dumps(change, ensure_ascii=False) + "\n")

    def seed(self, values):
        for value in values:
            key = f"clé-{zlib.crc32(value.encode()) % 17}"
            self._append(key, value, self.shards[zlib.crc32(key.encode()) % 3])

    def _changes(self):
        return [
            json.loads(line)
            for shard in self.shards
            for segment in self._segments(shard)
            for line in segment.read_bytes().decode().split("\n")
            if line
        ]

    def read_back(self):
        return [change["value"] for change in self._changes()]

    def read_timestamps(self):
        return [change["ts"] for change in self._changes()]

    def refuse(self):
        self.directory.rename(self.away)
        self.directory.touch()
        return ("Not a directory",)

    def recover(self):
        self.directory.unlink()
        self.away.rename(self.directory)
        return ()

    def seed_foreign(self):
        for shard in self.shards:
            self._append("odd", 7, shard)
        return ("int", "expected text")
