"""A program that writes a log and rotates it, without the connector."""

from __future__ import annotations

import shutil

LINES = 6


class LogEndpoint:
    def __init__(self, directory):
        self._logs = directory / "logs"
        self._aside = directory / "aside"
        self._log = self._logs / "app.log"

    def start(self):
        self._logs.mkdir()
        return {"log.file": str(self._log)}

    def stop(self):
        if self._logs.is_file():
            self._logs.unlink()
        shutil.rmtree(self._logs, ignore_errors=True)
        shutil.rmtree(self._aside, ignore_errors=True)

    def seed(self, values):
        for value in values:
            self._write(value.encode())

    def read_back(self):
        lines = []
        for log in self._all():
            lines += log.read_bytes().decode().split("\n")[:-1]
        return lines

    def seed_corrupt(self):
        position = self._write(b"caf\xe9")
        return (str(self._log), f"byte {position + 3}")

    def refuse(self):
        self._logs.rename(self._aside)
        self._logs.touch()
        return ("Not a directory",)

    def recover(self):
        self._logs.unlink()
        self._aside.rename(self._logs)
        return ()

    def _write(self, line):
        if self._log.exists() and self._log.read_bytes().count(b"\n") >= LINES:
            self._rotate()
        with self._log.open("ab") as file:
            position = file.tell()
            file.write(line + b"\n")
        return position

    def _rotate(self):
        for log in self._all():
            number = 0 if log == self._log else int(log.suffix[1:])
            log.rename(self._logs / f"app.log.{number + 1}")

    def _all(self):
        """The oldest first."""
        rotated = sorted(self._logs.glob("app.log.*"), key=lambda log: -int(log.suffix[1:]))
        return [*rotated, self._log] if self._log.exists() else rotated
