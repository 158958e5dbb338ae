"""A simulated Kubernetes API server on loopback.

It keeps objects in memory, answers what Spark asks about them, lets one watch pods, and allows only
what a Role allows. Everything that it is asked is recorded.
"""

from __future__ import annotations

import copy
import json
import queue
import re
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Manifest = dict[str, Any]

_PATH = re.compile(r"/api/v1/namespaces/(?P<namespace>[^/]+)/(?P<kind>[^/]+)(?:/(?P<name>[^/]+))?")
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}
_KINDS = {"pods": "Pod", "configmaps": "ConfigMap"}
_WATCH_S = 0.2


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, in the words of a Role."""

    verb: str
    resource: str
    allowed: bool


class ApiServer:
    """The server; as a context manager it serves.

    Args:
        rules: those of a Role.
        pods: that exist from the beginning.

    Attributes:
        asked: every request.
        posted: every object as it was posted.
    """

    def __init__(self, rules: Sequence[Mapping[str, Any]], *pods: Manifest) -> None:
        self._rules = rules
        self._forbidden: set[tuple[str, str]] = set()
        self._lock = threading.Condition()
        self._version = 0
        self._manifests: dict[tuple[str, str], Manifest] = {}
        self._watches: list[queue.SimpleQueue[Manifest]] = []
        self.asked: list[Asked] = []
        self.posted: list[tuple[str, Manifest]] = []
        self.closing = threading.Event()
        for pod in pods:
            self.put("pods", pod)
        handler = type("Handler", (_Handler,), {"api": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    @property
    def master(self) -> str:
        """For ``spark.master``."""
        return f"k8s://http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def forbid(self, verb: str, resource: str) -> None:
        """Refuse what the Role allows."""
        self._forbidden.add((verb, resource))

    def allows(self, verb: str, resource: str) -> bool:
        """Whether the Role allows it; records the question."""
        allowed = (verb, resource) not in self._forbidden and any(
            verb in rule["verbs"] and resource in rule["resources"] for rule in self._rules
        )
        self.asked.append(Asked(verb, resource, allowed))
        return allowed

    def all(self, kind: str, selector: str = "") -> list[Manifest]:
        """The objects of a kind that a selector of labels finds."""
        with self._lock:
            found = [each for (of, _), each in self._manifests.items() if of == kind]
            return [copy.deepcopy(each) for each in found if _selects(selector, each)]

    def get(self, kind: str, name: str) -> Manifest | None:
        """One object."""
        with self._lock:
            return copy.deepcopy(self._manifests.get((kind, name)))

    def put(self, kind: str, manifest: Manifest) -> Manifest:
        """Create an object, or replace it; tells those who watch."""
        name = manifest["metadata"]["name"]
        with self._lock:
            event = "MODIFIED" if (kind, name) in self._manifests else "ADDED"
            self._version += 1
            manifest["metadata"].setdefault("uid", str(uuid.uuid4()))
            if kind == "pods":
                manifest.setdefault("status", {"phase": "Pending"})
            manifest["metadata"]["resourceVersion"] = str(self._version)
            self._manifests[kind, name] = copy.deepcopy(manifest)
            self._tell(kind, event, manifest)
            return copy.deepcopy(manifest)

    def terminate(self, name: str) -> None:
        """Ask for the end of a pod, as ``kubectl delete`` does; its kubelet ends and removes it."""
        with self._lock:
            pod = copy.deepcopy(self._manifests["pods", name])
            pod["metadata"]["deletionTimestamp"] = time.strftime(
                "%Y-%m-%dT%H:%M:%SZ", time.gmtime()
            )
            self.put("pods", pod)

    def remove(self, kind: str, name: str) -> Manifest | None:
        """Delete an object; tells those who watch."""
        with self._lock:
            manifest = self._manifests.pop((kind, name), None)
            if manifest is not None:
                self._tell(kind, "DELETED", manifest)
            return manifest

    def watched(self) -> Iterator[Manifest]:
        """Events about pods from now on, until the server ends; ``{}`` when there is none."""
        events: queue.SimpleQueue[Manifest] = queue.SimpleQueue()
        with self._lock:
            self._watches.append(events)
        while not self.closing.is_set():
            try:
                yield events.get(timeout=_WATCH_S)
            except queue.Empty:
                yield {}

    def _tell(self, kind: str, event: str, manifest: Manifest) -> None:
        if kind == "pods":
            change = {"type": event, "object": copy.deepcopy(manifest)}
            for each in self._watches:
                each.put(change)


def _selects(selector: str, manifest: Manifest) -> bool:
    """Whether an object has the labels ``a=b`` and lacks those that are written ``a!=b``."""
    labels: Mapping[str, str] = manifest["metadata"].get("labels", {})
    pairs = (part.partition("=") for part in selector.split(",") if part)
    return all(
        labels.get(name[:-1]) != value if name.endswith("!") else labels.get(name) == value
        for name, _, value in pairs
    )


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests for one server."""

    api: ApiServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer_it()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815  # the same

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer_it(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"null") if length else None
        address = urlsplit(self.path)
        found = _PATH.fullmatch(address.path)
        if found is None:
            self._send(404, _status(404, f"there is no {address.path}"))
            return
        query = {key: values[0] for key, values in parse_qs(address.query).items()}
        verb = self._verb(found["name"], query)
        if not self.api.allows(verb, found["kind"]):
            self._send(403, _status(403, f"cannot {verb} {found['kind']}"))
        elif verb == "watch":
            self._watch()
        else:
            self._send(*self._done(found["kind"], found["name"], query, body))

    def _verb(self, name: str | None, query: Mapping[str, str]) -> str:
        if self.command == "GET":
            watches = query.get("watch") == "true"
            return "watch" if watches else "get" if name else "list"
        if self.command == "DELETE":
            return "delete" if name else "deletecollection"
        return _VERBS[self.command]

    def _done(
        self, kind: str, name: str | None, query: Mapping[str, str], body: Manifest | None
    ) -> tuple[int, Manifest]:
        if self.command == "POST" and body is not None:
            self.api.posted.append((kind, copy.deepcopy(body)))
            return 201, self.api.put(kind, body)
        if name is None:
            selected = self.api.all(kind, query.get("labelSelector", ""))
            if self.command == "DELETE":
                for each in selected:
                    self.api.remove(kind, each["metadata"]["name"])
            return 200, _list(kind, selected)
        manifest = (
            self.api.remove(kind, name) if self.command == "DELETE" else self.api.get(kind, name)
        )
        if manifest is None:
            return 404, _status(404, f"there is no {kind} {name}")
        return 200, manifest

    def _watch(self) -> None:
        if self.headers.get("Upgrade"):
            # The client then watches with a plain request.
            self._send(200, _status(200, "no web sockets here"))
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        with suppress(OSError):
            for event in self.api.watched():
                if event:
                    self.wfile.write(json.dumps(event).encode() + b"\n")
                    self.wfile.flush()
        self.close_connection = True

    def _send(self, status: int, body: Manifest) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _list(kind: str, items: Sequence[Manifest]) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": f"{_KINDS.get(kind, 'Manifest')}List",
        "metadata": {"resourceVersion": "1"},
        "items": items,
    }


def _status(code: int, message: str) -> Manifest:
    outcome = "Failure" if code >= 400 else "Success"
    return {
        "apiVersion": "v1",
        "kind": "Status",
        "status": outcome,
        "code": code,
        "message": message,
    }
