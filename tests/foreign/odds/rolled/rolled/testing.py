"""The log, without the connector: it is rotated all the time, and its older files are packed."""

from __future__ import annotations

import gzip
import re
import shutil


class LogEndpoint:
    """The first file has few lines, later ones have more."""

    def __init__(self, directory):
        self._logs = directory / "logs"
        self._saved = directory / "saved"

    def start(self):
        self._logs.mkdir()
        return {"log.directory": str(self._logs)}

    def stop(self):
        if self._logs.is_file():
            self._logs.unlink()
        shutil.rmtree(self._logs, ignore_errors=True)
        shutil.rmtree(self._saved, ignore_errors=True)

    def seed(self, values):
        self._add([value.encode() for value in values])

    def seed_corrupt(self):
        self._add([b"half a \xe2\x82"])
        return ("not UTF-8", f"log {self._state()[0]}")

    def _add(self, lines):
        number, count = self._state()
        for line in lines:
            if number == 0 or count >= min(7 + 3 * number, 60):
                self._rotate(number)
                number, count = number + 1, 0
            with (self._logs / "app.log").open("ab") as file:
                file.write(line + b"\n")
            count += 1

    def _state(self):
        """The number of the file that is written, and how many lines it has."""
        try:
            lines = (self._logs / "app.log").read_bytes().split(b"\n")
        except FileNotFoundError:
            return 0, 0
        return int(lines[0].split()[1]), len(lines) - 2

    def _rotate(self, number):
        for at in range(number - 1, 1, -1):
            (self._logs / f"app.log.{at}.gz").rename(self._logs / f"app.log.{at + 1}.gz")
        if number > 1:
            packed = self._logs / "packing.tmp"
            packed.write_bytes(gzip.compress((self._logs / "app.log.1").read_bytes()))
            packed.rename(self._logs / "app.log.2.gz")
            (self._logs / "app.log.1").unlink()
        if number:
            (self._logs / "app.log").rename(self._logs / "app.log.1")
        begun = self._logs / "begun.tmp"
        begun.write_bytes(b"#log %d\n" % (number + 1))
        begun.rename(self._logs / "app.log")

    def read_back(self):
        files = {}
        for path in self._logs.iterdir():
            if re.fullmatch(r"app\.log(\.\d+(\.gz)?)?", path.name):
                content = path.read_bytes()
                if path.suffix == ".gz":
                    content = gzip.decompress(content)
                head, *lines = content.split(b"\n")[:-1]
                files[int(head.split()[1])] = lines
        return [line.decode("utf-8", "replace") for at in sorted(files) for line in files[at]]

    def refuse(self):
        self._logs.rename(self._saved)
        self._logs.write_bytes(b"")
        return ("Not a directory",)

    def recover(self):
        self._logs.unlink()
        self._saved.rename(self._logs)
        return ()
