"""The folders, without the connector."""

from __future__ import annotations

import base64
import email
import email.policy
import email.utils
import shutil
import zlib
from datetime import datetime, timedelta, timezone

FOLDERS = ("Inbox", "Lists")
ZONES = (0, 120, -210)


class MailEndpoint:
    """Two folders, whose messages come from several zones, in several charsets."""

    def __init__(self, directory):
        self._directory = directory / "mail"
        self._saved = directory / "saved"

    def start(self):
        for number, name in enumerate(FOLDERS):
            (self._directory / name).mkdir(parents=True)
            (self._directory / name / "uidvalidity").write_text(str(1_700_000 + number), "ascii")
        return {"mail.directory": str(self._directory), "mail.folders": ", ".join(FOLDERS)}

    def stop(self):
        for path in (self._directory, self._saved):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def seed(self, values):
        last = {name: max(self._uids(name), default=0) for name in FOLDERS}
        for value in values:
            name = FOLDERS[zlib.crc32(value.encode()) % 2]
            last[name] += 2 if last[name] % 5 == 0 else 1
            self._add(name, last[name], *_body(last[name], value))

    def _uids(self, name):
        return sorted(int(path.stem) for path in (self._directory / name).glob("*.eml"))

    def _add(self, name, uid, kind, body):
        zone = timezone(timedelta(minutes=ZONES[uid % 3]))
        date = datetime.fromtimestamp(1_650_000_000 + 61 * uid, zone)
        head = [
            f"Message-ID: <{uid}.{name}@example.org>",
            f"Date: {email.utils.format_datetime(date)}",
            f"Subject: message {uid}",
            "MIME-Version: 1.0",
            f"Content-Type: {kind}",
        ]
        if not kind.startswith("multipart"):
            head.append("Content-Transfer-Encoding: base64")
        new = self._directory / f"{uid}.{name}.new"
        new.write_bytes("\r\n".join([*head, "", ""]).encode("ascii") + body)
        new.rename(self._directory / name / f"{uid}.eml")

    def _messages(self):
        for name in FOLDERS:
            for uid in self._uids(name):
                content = (self._directory / name / f"{uid}.eml").read_bytes()
                message = email.message_from_bytes(content, policy=email.policy.default)
                part = message.get_body(("plain",))
                text = part.get_payload(decode=True).decode(part.get_content_charset())
                yield text, (1_650_000_000 + 61 * uid) * 1000

    def read_back(self):
        return [text for text, _ in self._messages()]

    def read_timestamps(self):
        return [at for _, at in self._messages()]

    def seed_foreign(self):
        for name in FOLDERS:
            self._add(name, max(self._uids(name), default=0) + 1, "image/png", _lines(b"\x89PNG"))
        return ("image/png", "expected text")

    def refuse(self):
        self._directory.rename(self._saved)
        self._directory.touch()
        return ("Not a directory",)

    def recover(self):
        self._directory.unlink()
        self._saved.rename(self._directory)
        return ()


def _lines(content):
    return base64.encodebytes(content).replace(b"\n", b"\r\n")


def _body(uid, value):
    """The type and the content of a message; every other one has a part of HTML, too."""
    charset = "utf-8"
    if uid % 3 == 0:
        try:
            value.encode("iso-8859-15")
            charset = "iso-8859-15"
        except UnicodeEncodeError:
            pass
    kind, body = f'text/plain; charset="{charset}"', _lines(value.encode(charset))
    if uid % 2:
        return kind, body
    mark = f"=-part-{uid}"
    coded = b"\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    parts = [(b"text/html", _lines(b"<p>see the text</p>")), (kind.encode(), body)]
    content = b"".join(
        b"--" + mark.encode() + b"\r\nContent-Type: " + name + coded + part + b"\r\n"
        for name, part in reversed(parts)
    )
    return f'multipart/alternative; boundary="{mark}"', content + b"--" + mark.encode() + b"--\r\n"
