"""Reads and writes the logs of a directory."""

import json


class LogDirectory:
    def __init__(self, directory):
        self.logs = directory / "logs"
        self.unmounted = directory / "unmounted"

    def start(self):
        self.logs.mkdir()
        return {"log.directory": str(self.logs)}

    def stop(self):
        if self.unmounted.exists():
            self.recover()
        for path in self.logs.glob("*"):
            path.unlink()
        if self.logs.exists():
            self.logs.rmdir()

    def seed(self, values):
        with open(self.logs / "seed-0.log", "a", encoding="ascii") as file:
            for value in values:
                file.write(json.dumps({"o": None, "t": None, "v": value}) + "\n")

    def read_back(self):
        return [line["v"] for _, line in self.lines()]

    def read_timestamps(self):
        return [line["t"] for _, line in self.lines()]

    def read_topics(self):
        return [topic for topic, _ in self.lines()]

    def lines(self):
        found = []
        for path in sorted(self.logs.glob("*.log")):
            topic = path.stem.rpartition("-")[0]
            for line in path.read_text("ascii").split("\n")[:-1]:
                found.append((topic, json.loads(line)))
        return found

    def refuse(self):
        self.logs.rename(self.unmounted)
        return ("No such file or directory",)

    def recover(self):
        if self.logs.is_file():
            self.logs.unlink()
        self.unmounted.rename(self.logs)
        return ()

    def deny(self):
        self.logs.rename(self.unmounted)
        self.logs.write_text("a file is where the directory was")
        return ()
