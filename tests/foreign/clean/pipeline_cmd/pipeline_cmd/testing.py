"""A command that follows a file: the external system of the tests."""

import fcntl
import json
import shlex
import sys

# One JSON value a line; a line that begins with ! is printed as it is.
FEEDER = """
import json, os, pathlib, select, sys
home = pathlib.Path(sys.argv[1])
after = int(os.environ["AFTER_SEQ"])
place = seq = 0
while True:
    if (home / "down").exists():
        sys.exit(sys.stderr.write("the feed is down") and 75)
    if (home / "denied").exists():
        sys.exit(sys.stderr.write("permission denied") and 77)
    with open(home / "feed") as feed:
        feed.seek(place)
        while (line := feed.readline()).endswith("\\n"):
            place, seq = feed.tell(), seq + 1
            if seq > after:
                text = None if line[0] == "!" else json.loads(line)
                print(line[1:-1] if line[0] == "!" else json.dumps({"seq": seq, "text": text}))
    sys.stdout.flush()
    if select.select([0], [], [], 0.02)[0] and not os.read(0, 1):
        sys.exit()
"""


class CommandEndpoint:
    def __init__(self, directory):
        self.directory = directory
        self.feed = directory / "feed"

    def start(self):
        self.feed.touch()
        words = [sys.executable, "-S", "-E", "-c", FEEDER, str(self.directory)]
        return {"command": shlex.join(words), "stream.name": "feed"}

    def stop(self):
        for name in ("feed", "down", "denied"):
            (self.directory / name).unlink(missing_ok=True)

    def seed(self, values):
        self._append(json.dumps(value) for value in values)

    def read_back(self):
        with open(self.feed) as feed:
            return [json.loads(line) for line in feed if line[0] != "!"]

    def read_keys(self):
        return list(range(1, len(self.read_back()) + 1))

    def seed_corrupt(self):
        count = self._append(['!{"seq": 4, "te'])
        return [f"after event {count}", "feed"]

    def seed_foreign(self):
        self._append(["[true]"])
        return ["str", "list"]

    def refuse(self):
        (self.directory / "down").touch()
        return ["the feed is down"]

    def recover(self):
        (self.directory / "down").unlink()
        return []

    def deny(self):
        (self.directory / "denied").touch()
        return []

    def _append(self, lines):
        with open(self.feed, "r+") as feed:
            fcntl.flock(feed, fcntl.LOCK_EX)
            count = sum(1 for _ in feed)
            feed.writelines(line + "\n" for line in lines)
        return count
