"""A sender with an outbox: a file of events, which a thread posts until they are answered."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import secrets
import socket
import threading

SECRET = "between sender and quay"
A_REQUEST = 50
UNREADABLE = {"unreadable": True}


class SenderEndpoint:
    """Appends to the outbox; the thread of the object that was started sends."""

    def __init__(self, directory):
        self._outbox = directory / "outbox.jsonl"
        self._port = 0
        self._thread = None
        self._ended = threading.Event()

    def __getstate__(self):
        return {"_outbox": self._outbox, "_port": self._port, "_thread": None}

    def start(self):
        self._outbox.touch()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()
        return {"listen.port": str(self._port), "hook.secret": SECRET}

    def stop(self):
        self._ended.set()
        self._thread.join(60)
        self._outbox.unlink(missing_ok=True)

    def seed(self, values):
        self._append(values)

    def seed_corrupt(self):
        self._append([UNREADABLE])
        return ()

    def read_back(self):
        return [event for event in self._events() if event != UNREADABLE]

    def refuse(self):
        return ()

    def _append(self, events):
        text = "".join(f"{json.dumps(event)}\n" for event in events)
        with self._outbox.open("ab") as file:
            file.write(text.encode("ascii"))

    def _events(self):
        complete, _, _ = self._outbox.read_bytes().rpartition(b"\n")
        return [json.loads(line) for line in complete.split(b"\n") if line]

    def _send(self):
        """Send everything in order; begin again with the same events until they are taken."""
        sender, sent, position, waiting = f"till-{secrets.token_hex(4)}", 0, 0, []
        while not self._ended.wait(0.02):
            with self._outbox.open("rb") as file:
                file.seek(position)
                complete, _, _ = file.read().rpartition(b"\n")
            if complete:
                position += len(complete) + 1
                waiting += [json.loads(line) for line in complete.split(b"\n")]
            while waiting and not self._ended.is_set():
                batch = waiting[:A_REQUEST]
                if UNREADABLE in batch:
                    batch = batch[: batch.index(UNREADABLE)] or [UNREADABLE]
                status = self._post({"sender": sender, "first": sent + 1, "events": batch})
                if status == 503 or status is None:
                    break
                del waiting[: len(batch)]
                sent += len(batch)

    def _post(self, content):
        body = json.dumps(content).encode("ascii")
        signature = hmac.new(SECRET.encode("ascii"), body, hashlib.sha256).hexdigest()
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=2)
        try:
            connection.request(
                "POST", "/events", body, {"X-Hook-Signature": f"sha256={signature}"}
            )
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
