"""A directory of tar files, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import io
import tarfile
import uuid


class TarEndpoint:
    """Reads complete files; those that are being written begin with a dot."""

    def __init__(self, directory):
        self._home = directory / "packed"
        self._aside = directory / "aside"

    def start(self):
        self._home.mkdir()
        return {"tar.directory": str(self._home)}

    def stop(self):
        for home in (self._home, self._aside):
            if home.is_dir():
                for file in home.iterdir():
                    file.unlink()
                home.rmdir()
            home.unlink(missing_ok=True)

    def seed(self, values):
        path = self._home / f"seed+{uuid.uuid4()}.tar"
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
            for number, value in enumerate(values):
                kind = "bytes" if isinstance(value, bytes) else "text"
                data = value if isinstance(value, bytes) else value.encode()
                info = tarfile.TarInfo(str(number))
                info.size = len(data)
                info.pax_headers = {"PLUGWRIGHT.kind": kind, "PLUGWRIGHT.topic": "seed"}
                archive.addfile(info, io.BytesIO(data))

    def read_back(self):
        return [
            data if headers["PLUGWRIGHT.kind"] == "bytes" else data.decode()
            for headers, data in self._members()
        ]

    def read_topics(self):
        return [headers["PLUGWRIGHT.topic"] for headers, _ in self._members()]

    def read_timestamps(self):
        times = [headers.get("PLUGWRIGHT.time") for headers, _ in self._members()]
        return [None if moment is None else int(moment) for moment in times]

    def refuse(self):
        self._home.rename(self._aside)
        self._home.touch()
        return ("Not a directory",)

    def recover(self):
        self._home.unlink()
        self._aside.rename(self._home)
        return ()

    def _members(self):
        for file in sorted(self._home.glob("[!.]*.tar")):
            with tarfile.open(file) as archive:
                for info in archive:
                    yield info.pax_headers, archive.extractfile(info).read()
