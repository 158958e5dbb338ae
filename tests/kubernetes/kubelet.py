"""Runs the containers of pods as processes on this machine, in place of a kubelet."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Self

from tests.kubernetes.manifests import MANIFESTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.kubernetes.api_server import ApiServer, Manifest

_LOOK_S = 0.1
_END_S = 15.0
_FIELDS = {"status.podIP": "127.0.0.1"}


class Kubelet:
    """Starts a process for each pod of an executor, tells when it ends, and ends it with its pod.

    Args:
        api: where the pods are.
        directory: for logs and the containers' working directories.
        environment: variables that the image has.
    """

    def __init__(self, api: ApiServer, directory: Path, environment: Mapping[str, str]) -> None:
        self._api = api
        self._directory = directory
        self._environment = environment
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._closing = threading.Event()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._hooks: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()
        for process in self.processes.values():
            _end(process)

    def log(self, name: str) -> str:
        """What the container of a pod has written."""
        return (self._directory / name / "log").read_text("utf-8", errors="replace")

    def _run(self) -> None:
        while not self._closing.wait(_LOOK_S):
            pods = self._api.all("pods", "spark-role=executor")
            for pod in pods:
                self._follow(pod)
            names = {pod["metadata"]["name"] for pod in pods}
            for name in self.processes.keys() - names:
                _end(self.processes.pop(name))

    def _follow(self, pod: Manifest) -> None:
        name = pod["metadata"]["name"]
        process = self.processes.get(name)
        if process is None:
            self.processes[name] = self._started(pod)
            self._tell(pod, "Running", {"running": {"startedAt": _now()}})
        elif "deletionTimestamp" in pod["metadata"]:
            self._terminate(pod)
        elif (code := process.poll()) is not None and pod["status"]["phase"] == "Running":
            ended = {"exitCode": code if code >= 0 else 128 - code, "finishedAt": _now()}
            self._tell(pod, "Failed" if code else "Succeeded", {"terminated": ended})

    def _terminate(self, pod: Manifest) -> None:
        """Run the hook before the end; after it, end the container and remove the pod."""
        name = pod["metadata"]["name"]
        self.processes[name].poll()  # the hook waits until it is gone
        if name not in self._hooks:
            (container,) = pod["spec"]["containers"]
            (script,) = container["lifecycle"]["preStop"]["exec"]["command"]
            self._hooks[name] = subprocess.Popen(
                [MANIFESTS / PurePosixPath(script).name], env=self._variables(pod)
            )
        elif self._hooks[name].poll() is not None:
            _end(self.processes[name])
            self._api.remove("pods", name)

    def _started(self, pod: Manifest) -> subprocess.Popen[bytes]:
        (container,) = pod["spec"]["containers"]
        place = self._directory / pod["metadata"]["name"]
        work = place / "work"
        work.mkdir(parents=True)
        with (place / "log").open("wb") as log:
            return subprocess.Popen(
                [MANIFESTS / "entrypoint.sh", *container["args"]],
                cwd=work,
                env=self._variables(pod),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _variables(self, pod: Manifest) -> Mapping[str, str]:
        """Those of the image, those of the pod, and directories of its own."""
        place = self._directory / pod["metadata"]["name"]
        given = {each["name"]: _value(each, pod) for each in pod["spec"]["containers"][0]["env"]}
        own = {"SPARK_LOCAL_DIRS": str(place / "local"), "SPARK_CONF_DIR": str(place / "conf")}
        return {**self._environment, **given, **own, "TMPDIR": str(place / "work")}

    def _tell(self, pod: Manifest, phase: str, state: Mapping[str, Any]) -> None:
        container = pod["spec"]["containers"][0]["name"]
        status = {"name": container, "ready": phase == "Running", "state": state, "restartCount": 0}
        pod["status"] = {"phase": phase, "podIP": "127.0.0.1", "containerStatuses": [status]}
        if self._api.get("pods", pod["metadata"]["name"]) is not None:
            self._api.put("pods", pod)


def _value(variable: Mapping[str, Any], pod: Manifest) -> str:
    if "valueFrom" not in variable:
        return str(variable.get("value", ""))
    field = variable["valueFrom"]["fieldRef"]["fieldPath"]
    return _FIELDS.get(field) or str(pod["metadata"][field.removeprefix("metadata.")])


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_END_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()
