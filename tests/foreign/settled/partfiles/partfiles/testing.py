"""A directory of files with an index for each partition."""

from __future__ import annotations

import base64
import json
import shutil
from urllib.parse import unquote


class FilesEndpoint:
    """The directory; seeds are files of a topic of their own."""

    def __init__(self, directory):
        self._files = directory / "files"
        self._aside = directory / "aside"

    def start(self):
        self._files.mkdir()
        return {"files.directory": str(self._files)}

    def stop(self):
        self.recover()
        shutil.rmtree(self._files, ignore_errors=True)

    def seed(self, values):
        if not values:
            return
        home = self._files / "seeds" / "0"
        home.mkdir(parents=True, exist_ok=True)
        begin = sum(line["topic"] == "seeds" for line in self._lines())
        lines = [
            {"offset": at, "topic": "seeds", "value": value, "time": None, "headers": []}
            for at, value in enumerate(values, begin)
        ]
        name = f"{begin:020d}.jsonl"
        (home / name).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        entry = {"file": name, "count": len(lines), "next": begin + len(lines)}
        with (home / "index").open("a", encoding="utf-8") as index:
            index.write(json.dumps(entry) + "\n")

    def read_back(self):
        return [line["value"] for line in self._lines()]

    def read_timestamps(self):
        return [line["time"] for line in self._lines()]

    def read_topics(self):
        return [line["topic"] for line in self._lines()]

    def read_headers(self):
        return [
            [(name, base64.b64decode(value) if packed else value) for name, packed, value in each]
            for each in (line["headers"] for line in self._lines())
        ]

    def read_offsets(self):
        found = []
        for home in self._homes():
            if entries := _entries(home):
                found.append((unquote(home.parent.name), int(home.name), entries[-1]["next"]))
        return found

    def refuse(self):
        self._files.rename(self._aside)
        self._files.write_text("gone", "utf-8")
        return ("Not a directory", str(self._files))

    def recover(self):
        if self._aside.exists():
            self._files.unlink()
            self._aside.rename(self._files)
        return ()

    def deny(self):
        self.refuse()
        return ()

    def _homes(self):
        return sorted(home for home in self._files.glob("*/*") if home.is_dir())

    def _lines(self):
        lines = []
        for home in self._homes():
            for entry in _entries(home):
                if entry["file"] is not None:
                    text = (home / entry["file"]).read_text("utf-8")
                    lines += [json.loads(line) for line in text.splitlines()]
        return lines


def _entries(home):
    """The entries of an index that are whole."""
    if not (home / "index").exists():
        return []
    text = (home / "index").read_text("utf-8")
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
