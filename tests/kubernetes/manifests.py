"""The manifests of the operator's guide, read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from plugwright.config import parse_properties

ROOT = Path(__file__).parents[2]
MANIFESTS = ROOT / "docs/operate/kubernetes"
CONFIGURATION = "/etc/plugwright"
"""Where the workers' pods mount what configures them."""

POD = {
    "POD_IP": "127.0.0.1",
    "POD_NAME": "plugwright-0",
    "POD_NAMESPACE": "plugwright",
    "PLUGWRIGHT_IMAGE": "registry.example.com/plugwright:0.1.0",
}
"""What the StatefulSet sets in the pod of its first worker, with the address of this machine."""


def resources() -> list[dict[str, Any]]:
    """The objects that `kubectl apply -k` creates, without the generated ConfigMap."""
    listed = one_file("kustomization.yaml")["resources"]
    return [each for name in listed for each in yaml.safe_load_all(_text(name))]


def resource(kind: str, name: str = "plugwright") -> dict[str, Any]:
    """One of them."""
    (found,) = (r for r in resources() if (r["kind"], r["metadata"]["name"]) == (kind, name))
    return found


def one_file(name: str) -> dict[str, Any]:
    """A file with one object."""
    found: dict[str, Any] = yaml.safe_load(_text(name))
    return found


def worker_container() -> dict[str, Any]:
    """The container of the StatefulSet's pods."""
    (container,) = resource("StatefulSet")["spec"]["template"]["spec"]["containers"]
    return dict(container)


def worker_properties(configuration: str = CONFIGURATION) -> dict[str, str]:
    """The settings of the first worker, as its entry point puts them together.

    Args:
        configuration: directory that stands for /etc/plugwright.
    """
    shared = _text("worker.properties").replace(CONFIGURATION, configuration)
    return parse_properties(f"{shared}\n{pod_settings()}")


def pod_settings() -> str:
    """The settings of the first worker's pod, with its variables as Kubernetes expands them."""
    (found,) = (e["value"] for e in worker_container()["env"] if e["name"] == "WORKER_SETTINGS")
    return re.sub(r"\$\((\w+)\)", lambda match: POD[match[1]], found)


def _text(name: str) -> str:
    return (MANIFESTS / name).read_text("utf-8")
