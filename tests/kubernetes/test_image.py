"""The image that the operator's guide builds: its steps, its entry point and its probe."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.kubernetes.manifests import MANIFESTS, one_file, pod_settings, resource

from plugwright.config import parse_properties
from plugwright.rest import BasicAuthSecurityRestExtension, RestServer, RestSettings

pytestmark = pytest.mark.slow

DOCKERFILE = (MANIFESTS / "Dockerfile").read_text("utf-8")
ENTRYPOINT = MANIFESTS / "entrypoint.sh"
PROBE = MANIFESTS / "probe.py"
DECOMMISSION = MANIFESTS / "decommission.sh"
EXECUTOR = {
    "SPARK_DRIVER_URL": "spark://CoarseGrainedScheduler@10.0.0.1:7078",
    "SPARK_EXECUTOR_ID": "3",
    "SPARK_EXECUTOR_CORES": "16",
    "SPARK_EXECUTOR_MEMORY": "1024m",
    "SPARK_APPLICATION_ID": "spark-1",
    "SPARK_EXECUTOR_POD_IP": "10.0.0.2",
    "SPARK_EXECUTOR_POD_NAME": "plugwright-0-exec-3",
    "SPARK_RESOURCE_PROFILE_ID": "0",
    "SPARK_HOME": "/opt/spark",
}


def instructions(name):
    """The arguments of an instruction, each time it is there."""
    joined = DOCKERFILE.replace("\\\n", " ")
    return [m[1] for m in re.finditer(rf"^{name} (.*)$", joined, re.MULTILINE)]


def test_the_linter_has_no_objection():
    """Hadolint, with each exception beside its reason."""
    linter = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([linter, MANIFESTS / "Dockerfile"], capture_output=True, check=False)
    assert done.stdout + done.stderr == b""
    assert done.returncode == 0


def test_the_image_runs_as_the_user_of_the_manifests():
    """A number, because Kubernetes cannot tell from a name that it is not root."""
    (user,) = instructions("USER")
    pods = (resource("StatefulSet")["spec"]["template"]["spec"], one_file("executor.yaml")["spec"])
    for pod in pods:
        context = pod["securityContext"]
        assert f"{context['runAsUser']}:{context['runAsGroup']}" == user
    assert "0" not in user.split(":")


def test_the_image_names_no_other_host_and_no_secret():
    """Packages come from where the base image and pip are configured to find them."""
    files = [each.read_text("utf-8") for each in (MANIFESTS / "Dockerfile", ENTRYPOINT, PROBE)]
    assert [text for text in files if "://" in text.replace("k8s://unknown", "")] == []
    assert instructions("ARG") == ["WHEEL"]
    assert instructions("FROM") == ["debian:trixie-slim"]


def test_what_is_copied_lies_there():
    """Beside the wheel, and constraints that are copied if there are any."""
    wheel, own = (each.split() for each in instructions("COPY"))
    assert wheel[:2] == ["${WHEEL}", "constraints.tx[t]"]
    assert all((MANIFESTS / name).is_file() for name in own[1:-1])
    (entry,) = map(json.loads, instructions("ENTRYPOINT"))
    assert entry[-1] == f"{own[-1]}{ENTRYPOINT.name}"


def started(arguments, variables, directory):
    """What the entry point starts: command line, and the worker's settings if it is one."""
    for name in ("java", "connect-distributed"):
        program = directory / name
        program.write_text('#!/bin/sh\necho "${0##*/}"\nfor each; do echo "$each"; done\n')
        program.chmod(0o755)
    environment = {"PATH": f"{directory}:{os.environ['PATH']}", "TMPDIR": str(directory)}
    done = subprocess.run(
        [ENTRYPOINT, *arguments],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_an_executor_gets_what_spark_has_given(tmp_path):
    """Options in their order, also past the ninth, with spaces, and the address of its pod."""
    options = [f"-Dnumber={n}" for n in range(11)] + ["-Dtext=two words"]
    given = {f"SPARK_JAVA_OPT_{n}": each for n, each in enumerate(options)}

    program, *words = started(["executor"], {**EXECUTOR, **given}, tmp_path)

    assert program == "java"
    assert words[: len(options)] == options
    assert {"-Xms1024m", "-Xmx1024m", "-Dspark.master=k8s://unknown"} <= set(words)
    assert words[words.index("-cp") + 1] == "/opt/spark/conf:/opt/spark/jars/*"
    main = words.index("org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend")
    assert dict(zip(words[main + 1 :: 2], words[main + 2 :: 2], strict=True)) == {
        "--driver-url": EXECUTOR["SPARK_DRIVER_URL"],
        "--executor-id": "3",
        "--cores": "16",
        "--app-id": "spark-1",
        "--hostname": "10.0.0.2",
        "--resourceProfileId": "0",
        "--podName": "plugwright-0-exec-3",
    }


def test_an_executor_is_decommissioned_before_its_container_ends(tmp_path):
    """The script of preStop sends Spark's signal to the executor, and returns when it has ended."""
    heard, ready, program = (tmp_path / name for name in ("heard", "ready", "java"))
    lines = f"trap 'echo PWR >{heard}; exit' PWR\ntouch {ready}\nwhile :; do sleep 0.1; done"
    program.write_text(f"#!/bin/bash\n{lines}")
    program.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    with subprocess.Popen([ENTRYPOINT, "executor"], env={**EXECUTOR, **path}) as executor:
        while not ready.exists():
            time.sleep(0.01)
        with subprocess.Popen([DECOMMISSION], env=path) as hook:
            codes = executor.wait(), hook.wait()

    assert (codes, heard.read_text()) == ((0, 0), "PWR\n")


@pytest.mark.parametrize("pid", [None, "4194305"], ids=["not started", "ended"])
def test_an_executor_that_has_ended_needs_no_decommission(tmp_path, pid):
    """No process has such an id."""
    if pid:
        (tmp_path / "executor.pid").write_text(pid)
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}
    done = subprocess.run([DECOMMISSION], env=environment, capture_output=True, check=False)

    assert (done.returncode, done.stdout + done.stderr) == (0, b"")


def test_a_worker_gets_the_settings_of_its_pod_too(tmp_path):
    """They come last, so they win."""
    shared = tmp_path / "shared.properties"
    shared.write_text("group.id=connect\nspark.driver.host=elsewhere")  # no line end

    words = started(["worker", shared], {"WORKER_SETTINGS": pod_settings()}, tmp_path)

    program, file = words
    found = parse_properties(Path(file).read_text("utf-8"))
    assert program == "connect-distributed"
    assert found["group.id"] == "connect"
    assert found["spark.driver.host"] == "127.0.0.1"
    assert found["spark.kubernetes.driver.pod.name"] == "plugwright-0"


def test_another_command_can_be_run(tmp_path):
    """Such as a shell, to look around."""
    assert started(["echo", "one", "two"], {}, tmp_path) == ["one two"]


class Ready:
    """A herder that is ready, or not yet."""

    def __init__(self, ready):
        self._ready = ready

    def health_check(self):
        """Be well."""

    def is_ready(self):
        """As specified."""
        return self._ready

    def stage(self):
        """None."""

    def tasks_without_slot(self):
        """None."""
        return ()


@pytest.fixture
def users():
    """The file that the Secret for REST consists of."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "users"
        file.write_text("admin=one\nprobe=two=three\n")
        yield file


def probed(users, path, *, ready, known=None):
    """Exit status and words of the probe against the real server with passwords."""
    extension = BasicAuthSecurityRestExtension()
    extension.configure({"rest.basic.auth.credentials.file": str(users)})
    settings = RestSettings.parse({"listeners": "http://127.0.0.1:0"})
    with RestServer(Ready(ready), settings, extensions=[extension]) as server:
        port = server.url.rpartition(":")[2]
        done = subprocess.run(
            [sys.executable, "-I", PROBE, path, port, known or users],
            capture_output=True,
            text=True,
            check=False,
        )
    return done.returncode, done.stderr


@pytest.mark.parametrize("path", ["/health", "/health/ready"])
def test_the_probe_logs_in_and_knows_a_ready_worker(users, path):
    """By the user of its own, whose password may contain the sign that ends the name."""
    assert probed(users, path, ready=True) == (0, "")


def test_the_probe_tells_why_a_worker_is_not_ready(users):
    """With the answer of the worker, which Kubernetes shows in the pod's events."""
    code, said = probed(users, "/health/ready", ready=False)
    assert code == 1
    assert "503" in said
    assert "not_ready" in said


def test_the_probe_fails_without_its_password(users, tmp_path):
    """A worker that asks for one does not answer anything else."""
    nobody = tmp_path / "users"
    nobody.write_text("admin=one\n")
    assert "401" in probed(users, "/health", ready=True, known=nobody)[1]
    assert "401" in probed(users, "/health", ready=True, known=tmp_path / "missing")[1]


def test_the_probe_fails_where_nothing_listens(tmp_path):
    """As before a worker has started."""
    done = subprocess.run(
        [sys.executable, "-I", PROBE, "/health", "1", tmp_path / "none"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "refused" in done.stderr


def test_the_scripts_are_executable():
    """A build without BuildKit ignores the mode that COPY names."""
    assert all(os.access(each, os.X_OK) for each in (ENTRYPOINT, PROBE))
    assert shutil.which("bash")
