"""Two mailboxes, to which letters go in turn."""

from __future__ import annotations

import base64
import datetime as dt
import email.utils
import fcntl
import mailbox

FIRST = dt.datetime(2026, 3, 1, 8, 0, 0, tzinfo=dt.UTC)
CHARSETS = ("utf-8", "iso-8859-1", "utf-16")


class MailEndpoint:
    """The mailboxes, opened for each step."""

    def __init__(self, directory):
        self._files = [directory / "office.mbox", directory / "store.mbox"]

    def start(self):
        for file in self._files:
            file.touch()
        return {"mail.files": ",".join(map(str, self._files))}

    def stop(self):
        self.recover()
        for file in self._files:
            file.unlink(missing_ok=True)

    def seed(self, values):
        number = sum(file.read_bytes().count(b"\nMessage-ID: ") for file in self._files)
        for at, value in enumerate(values, number):
            charset = CHARSETS[at % len(CHARSETS)]
            try:
                body = value.encode(charset)
            except UnicodeEncodeError:
                charset, body = "utf-8", value.encode("utf-8")
            text = base64.encodebytes(body).decode("ascii")
            self._deliver(at, f'text/plain; charset="{charset}"', "base64", text.encode("ascii"))

    def seed_corrupt(self):
        number = sum(file.read_bytes().count(b"\nMessage-ID: ") for file in self._files)
        file = self._files[number % 2]
        begin = file.stat().st_size
        self._deliver(number, 'text/plain; charset="utf-8"', "8bit", b"half a \xff letter\n")
        return (file.name, f"byte {begin}")

    def seeded(self, value):
        return value["body"]

    def read_back(self):
        return [text for text, _, _ in self._found()]

    def read_keys(self):
        return [key for _, key, _ in self._found()]

    def read_timestamps(self):
        return [time for _, _, time in self._found()]

    def refuse(self):
        for file in self._files:
            file.rename(file.with_suffix(".away"))
            file.mkdir()
        return ("Is a directory",)

    def recover(self):
        for file in self._files:
            if file.is_dir():
                file.rmdir()
                file.with_suffix(".away").rename(file)
        return ()

    def deny(self):
        self.refuse()
        return ()

    def _deliver(self, number, kind, encoding, body):
        time = FIRST + dt.timedelta(seconds=number)
        letter = (
            f"From shop@example.org {time:%a %b %d %H:%M:%S %Y}\n"
            f"From: =?utf-8?q?K=C3=A4the?= <shop@example.org>\n"
            f"Date: {email.utils.format_datetime(time)}\n"
            f"Subject: letter {number}\n"
            f"Message-ID: <letter.{number}@example.org>\n"
            "MIME-Version: 1.0\n"
            f"Content-Type: {kind}\n"
            f"Content-Transfer-Encoding: {encoding}\n\n"
        ).encode("ascii")
        with open(self._files[number % 2], "ab") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            file.write(letter + body + b"\n")
            file.flush()

    def _found(self):
        """Text, key and time of each letter that can be read."""
        found = []
        for file in self._files:
            box = mailbox.mbox(file, create=False)
            try:
                for letter in box:
                    try:
                        body = letter.get_payload(decode=True)
                        text = body.decode(letter.get_content_charset())
                    except UnicodeDecodeError:
                        continue
                    time = email.utils.parsedate_to_datetime(letter["Date"])
                    found.append((text, letter["Message-ID"], int(time.timestamp()) * 1000))
            finally:
                box.close()
        return found
