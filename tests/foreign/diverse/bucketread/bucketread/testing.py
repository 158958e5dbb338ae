"""A bucket of text objects, without the connector."""

from __future__ import annotations

import os
import shutil
import uuid

LINES = 3


class BucketEndpoint:
    def __init__(self, directory):
        self._bucket = directory / "bucket"
        self._aside = directory / "aside"

    def start(self):
        self._bucket.mkdir()
        return {"bucket.directory": str(self._bucket)}

    def stop(self):
        if self._bucket.is_file():
            self._bucket.unlink()
        shutil.rmtree(self._bucket, ignore_errors=True)
        shutil.rmtree(self._aside, ignore_errors=True)

    def seed(self, values):
        """Write a few lines to each object; the last one ends with a line break, or does not."""
        count = len(self._objects())
        for begin in range(0, len(values), LINES):
            lines = values[begin : begin + LINES]
            count += 1
            closed = count % 2 or not lines[-1]
            self._upload("\n".join(lines).encode() + (b"\n" if closed else b""), count)

    def read_back(self):
        return [line for _, line, _ in self._all()]

    def read_keys(self):
        return [name for name, _, _ in self._all()]

    def read_timestamps(self):
        return [modified for _, _, modified in self._all()]

    def seed_corrupt(self):
        name = self._upload(b"caf\xe9\n", len(self._objects()) + 1)
        return (name, "byte 3")

    def refuse(self):
        self._bucket.rename(self._aside)
        self._bucket.touch()
        return ("Not a directory",)

    def recover(self):
        self._bucket.unlink()
        self._aside.rename(self._bucket)
        return ()

    def _upload(self, content, number):
        name = f"{uuid.uuid4().hex[:8]}-{number:06d}.txt"
        draft = self._bucket / f".upload-{name}.part"
        draft.write_bytes(content)
        os.replace(draft, self._bucket / name)
        return name

    def _objects(self):
        return sorted(self._bucket.glob("*.txt"), key=lambda file: file.name.rpartition("-")[2])

    def _all(self):
        lines = []
        for file in self._objects():
            modified = file.stat().st_mtime_ns // 1_000_000
            content = file.read_bytes().decode()
            parts = content.removesuffix("\n").split("\n") if content else []
            lines += [(file.name, line, modified) for line in parts]
        return lines
