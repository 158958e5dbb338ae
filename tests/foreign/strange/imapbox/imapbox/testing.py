"""An IMAP server over a database of messages, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import re
import socketserver
import sqlite3
import threading
from contextlib import closing, suppress
from datetime import UTC, datetime
from email import message_from_bytes
from email.mime.text import MIMEText

VALIDITY = 1738166580
MAILBOXES = ("INBOX", "Orders/2026")
USER, PASSWORD = "reader", "correct horse"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Session(socketserver.StreamRequestHandler):
    """Speaks as much IMAP as a reader needs."""

    mailbox = None

    def handle(self):
        self.server.sessions.add(self.connection)
        try:
            self._line("* OK ready")
            while line := self.rfile.readline():
                tag, _, command = line.decode().strip().partition(" ")
                if not self._answer(tag, command):
                    break
        except (OSError, ValueError, sqlite3.Error):
            pass
        finally:
            self.server.sessions.discard(self.connection)

    def _line(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def _answer(self, tag, command):
        word = command.split(" ", 1)[0].upper()
        if word == "CAPABILITY":
            self._line("* CAPABILITY IMAP4rev1")
        elif word == "LOGIN":
            if self.server.denies or PASSWORD not in command:
                self._line(f"{tag} NO [AUTHENTICATIONFAILED] wrong name or password")
                return True
        elif word in {"SELECT", "EXAMINE"}:
            self.mailbox = command.split(" ", 1)[1].strip('"')
            self._line(f"* {len(self.server.messages(self.mailbox))} EXISTS")
            self._line(f"* OK [UIDVALIDITY {VALIDITY}] valid")
            self._line(f"{tag} OK [READ-ONLY] done")
            return True
        elif word == "UID":
            self._answer_uid(command)
        elif word == "LOGOUT":
            self._line("* BYE")
        self._line(f"{tag} OK done")
        return word != "LOGOUT"

    def _answer_uid(self, command):
        messages = self.server.messages(self.mailbox)
        if " SEARCH " in command:
            first = int(re.search(r"UID (\d+):\*", command)[1])
            numbers = [number for number, _, _ in messages]
            found = [n for n in numbers if n >= first] or numbers[-1:]
            self._line(f"* SEARCH {' '.join(map(str, found))}".strip())
            return
        wanted = set(map(int, re.search(r"FETCH ([\d,]+) ", command)[1].split(",")))
        for at, (number, moment, body) in enumerate(messages, 1):
            if number in wanted:
                head = f'* {at} FETCH (UID {number} INTERNALDATE "{moment}" BODY[] {{{len(body)}}}'
                self._line(head)
                self.wfile.write(body + b")\r\n")


class Server(socketserver.ThreadingTCPServer):
    """Ends its sessions when it is closed."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, address, file):
        self.sessions = set()
        self.denies = False
        self._file = file
        super().__init__(address, Session)

    def messages(self, mailbox):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            return database.execute(
                "SELECT uid, moment, body FROM mail WHERE mailbox = ? ORDER BY uid", (mailbox,)
            ).fetchall()

    def drop(self):
        for each in list(self.sessions):
            with suppress(OSError):
                each.shutdown(2)


class ImapEndpoint:
    """Two mailboxes, whose numbers have gaps as after deletions."""

    def __init__(self, directory):
        self._file = directory / "mail.db"
        self._server = None
        self._port = 0

    def start(self):
        with closing(self._connect()) as database, database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS mail (uid INTEGER PRIMARY KEY, mailbox, moment, body,"
                " at)"
            )
        self._serve()
        return {
            "imap.host": "127.0.0.1",
            "imap.port": str(self._port),
            "imap.user": USER,
            "imap.password": PASSWORD,
            "imap.mailboxes": ",".join(MAILBOXES),
        }

    def stop(self):
        self._close()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(self._connect()) as database, database:
            (uid,) = database.execute("SELECT coalesce(max(uid), 0) FROM mail").fetchone()
            for value in values:
                uid += 3
                now = datetime.now(UTC).replace(microsecond=0)
                message = MIMEText(value, "plain", "utf-8")
                message["Message-ID"] = f"<{uid}@example.org>"
                moment = f"{now.day:2d}-{MONTHS[now.month - 1]}-{now:%Y %H:%M:%S} +0000"
                at = int(now.timestamp() * 1000)
                body = message.as_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
                row = uid, MAILBOXES[uid % 2], moment, body, at
                database.execute("INSERT INTO mail VALUES (?, ?, ?, ?, ?)", row)

    def read_back(self):
        messages = [message_from_bytes(body) for body, _ in self._all()]
        return [message.get_payload(decode=True).decode() for message in messages]

    def read_keys(self):
        return [message_from_bytes(body)["Message-ID"] for body, _ in self._all()]

    def read_timestamps(self):
        return [at for _, at in self._all()]

    def refuse(self):
        self._close()
        return (f"127.0.0.1:{self._port}",)

    def recover(self):
        self._serve()
        return ()

    def deny(self):
        self._server.denies = True
        self._server.drop()
        return ()

    def _all(self):
        with closing(self._connect()) as database:
            return database.execute("SELECT body, at FROM mail ORDER BY uid").fetchall()

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60)

    def _serve(self):
        self._server = Server(("127.0.0.1", self._port), self._file)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def _close(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server.drop()
            self._server = None
