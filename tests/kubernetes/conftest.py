"""A simulated Kubernetes whose pods are processes, with what the manifests create."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pyspark
import pytest
from tests.kubernetes.api_server import ApiServer
from tests.kubernetes.kubelet import Kubelet
from tests.kubernetes.manifests import MANIFESTS, POD, resource, worker_properties

SMALLER = {"spark.executor.memory": "512m", "spark.executor.instances": "1"}
"""What differs from the manifests, for the size of this machine."""


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """A simulated Kubernetes.

    Attributes:
        api: with the pod of the first worker, and the rights of its account.
        kubelet: runs the pods of executors.
        settings: those of the first worker, for this machine.
        place: a directory for files.
    """

    api: ApiServer
    kubelet: Kubelet
    settings: dict[str, str]
    place: Path


@pytest.fixture
def kubernetes():
    """Kubernetes, after `kubectl apply`, with the first worker's pod."""
    with tempfile.TemporaryDirectory(prefix="kube-") as directory:
        place = Path(directory)
        _mount(place / "etc")
        with (
            ApiServer(resource("Role")["rules"], _pod_of_worker()) as api,
            Kubelet(api, place / "pods", _image()) as kubelet,
        ):
            settings = worker_properties(str(place / "etc")) | SMALLER
            settings |= {"spark.master": api.master, "spark.pyspark.python": sys.executable}
            yield Kubernetes(api, kubelet, settings, place)


def _mount(place):
    """What a worker's pod has in /etc/plugwright."""
    for name in ("kafka", "rest", "spark", "connectors"):
        (place / name).mkdir(parents=True)
    (place / "spark/secret").write_text(secrets.token_hex(32))
    (place / "kafka/jaas").write_text("none")
    shutil.copy(MANIFESTS / "executor.yaml", place)


def _image():
    """The variables of the image, for what is installed here."""
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "SPARK_HOME": str(Path(pyspark.__file__).parent), "PATH": programs}


def _pod_of_worker():
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": POD["POD_NAME"], "namespace": POD["POD_NAMESPACE"]},
        "spec": {"containers": []},
        "status": {"phase": "Running"},
    }
