"""A directory of maildirs, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import base64
import json
import shutil
import uuid


class MailEndpoint:
    """Reads what is in ``new`` and in ``cur``."""

    def __init__(self, directory):
        self._home = directory / "mail"
        self._aside = directory / "aside"

    def start(self):
        self._home.mkdir()
        return {"mail.directory": str(self._home), "mail.default": "unsorted"}

    def stop(self):
        for home in (self._home, self._aside):
            if home.is_dir():
                shutil.rmtree(home)
            home.unlink(missing_ok=True)

    def seed(self, values):
        new = self._home / "seed" / "new"
        new.mkdir(parents=True, exist_ok=True)
        for value in values:
            body = base64.encodebytes(value.encode()).decode()
            (new / f"seed.{uuid.uuid4()}").write_text(f'X-Topic: "seed"\n\n{body}')

    def read_back(self):
        return [base64.b64decode(body).decode() for _, body in self._messages()]

    def read_topics(self):
        return [json.loads(dict(head)["X-Topic"]) for head, _ in self._messages()]

    def read_timestamps(self):
        times = [dict(head).get("X-Timestamp") for head, _ in self._messages()]
        return [None if moment is None else int(moment) for moment in times]

    def read_headers(self):
        return [
            [_pair(json.loads(text)) for name, text in head if name == "X-Header"]
            for head, _ in self._messages()
        ]

    def refuse(self):
        self._home.rename(self._aside)
        self._home.touch()
        return ("Not a directory",)

    def recover(self):
        self._home.unlink()
        self._aside.rename(self._home)
        return ()

    def _messages(self):
        files = [*self._home.glob("*/new/*"), *self._home.glob("*/cur/*")]
        for file in sorted(files, key=lambda file: file.name):
            head, _, body = file.read_bytes().decode().partition("\n\n")
            yield [tuple(line.split(": ", 1)) for line in head.split("\n")], body


def _pair(header):
    name, value = header
    return (name, base64.b64decode(value["bytes"]) if isinstance(value, dict) else value)
