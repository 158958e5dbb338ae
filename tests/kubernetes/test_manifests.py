"""The manifests fit Kubernetes, each other, and the workers that they start."""

from __future__ import annotations

import kubernetes_validate
import pytest
from tests.kubernetes.manifests import (
    CONFIGURATION,
    MANIFESTS,
    POD,
    one_file,
    resource,
    resources,
    worker_container,
    worker_properties,
)

pytestmark = pytest.mark.slow

VERSIONS = ("1.31", "1.34", kubernetes_validate.latest_version())
ALL = [*resources(), one_file("executor.yaml")]
WORKER = {"app.kubernetes.io/name": "plugwright", "app.kubernetes.io/component": "worker"}
EXECUTOR = WORKER | {"app.kubernetes.io/component": "executor"}
MADE_BY_OPERATORS = {"plugwright-kafka", "plugwright-rest", "plugwright-spark"}


def pod_of_worker():
    """The template of the workers' pods."""
    return resource("StatefulSet")["spec"]["template"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "thing", ALL, ids=lambda each: f"{each['kind']}-{each['metadata'].get('name', '')}"
)
def test_the_schema_of_kubernetes_accepts_each_object(thing, version):
    """Strictly: an unknown or misspelt field is an error."""
    kubernetes_validate.validate(thing, version, strict=True)


def test_a_misspelt_field_would_be_found():
    """The schemas are there, and are asked."""
    wrong = resource("StatefulSet")
    wrong["spec"]["replica"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_every_file_belongs_to_the_kustomization():
    """Nothing lies there that is not applied, built or mounted."""
    listed = one_file("kustomization.yaml")
    (generated,) = listed["configMapGenerator"]
    used = {*listed["resources"], *generated["files"], "kustomization.yaml"}
    built = {"Dockerfile", "decommission.sh", "entrypoint.sh", "probe.py"}
    assert {each.name for each in MANIFESTS.iterdir()} == used | built


def test_selectors_find_the_workers():
    """The StatefulSet, both Services, the budget and the policies mean the same pods."""
    labels = pod_of_worker()["metadata"]["labels"]
    selectors = [
        resource("StatefulSet")["spec"]["selector"]["matchLabels"],
        resource("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        resource("NetworkPolicy", "plugwright-worker")["spec"]["podSelector"]["matchLabels"],
        *(resource("Service", n)["spec"]["selector"] for n in ("plugwright", "plugwright-workers")),
    ]
    assert labels == WORKER
    assert all(selector == WORKER for selector in selectors)
    assert one_file("executor.yaml")["metadata"]["labels"] == EXECUTOR
    policy = resource("NetworkPolicy", "plugwright-executor")
    assert policy["spec"]["podSelector"]["matchLabels"] == EXECUTOR


def test_the_policies_open_the_ports_that_the_settings_name():
    """And executors none but that of their blocks."""
    given = worker_properties()
    driver = {
        int(given["spark.driver.port"]),
        int(given["spark.driver.blockManager.port"]),
        int(given["spark.plugwright.control.port"]),
    }
    for_executors, for_rest = resource("NetworkPolicy", "plugwright-worker")["spec"]["ingress"]
    (blocks,) = resource("NetworkPolicy", "plugwright-executor")["spec"]["ingress"]

    assert {each["port"] for each in for_executors["ports"]} == driver
    assert for_executors["from"] == [{"podSelector": {"matchLabels": EXECUTOR}}]
    assert [each["port"] for each in blocks["ports"]] == [int(given["spark.blockManager.port"])]
    assert [each["port"] for each in for_rest["ports"]] == [rest_port()]
    assert {each["containerPort"] for each in worker_container()["ports"]} == driver | {rest_port()}


def rest_port():
    """Where the workers listen."""
    return int(worker_properties()["listeners"].rpartition(":")[2])


def test_workers_are_reached_by_the_name_that_they_advertise():
    """The headless Service gives it, and does not wait until a worker is ready."""
    headless = resource("Service", "plugwright-workers")["spec"]
    assert headless["clusterIP"] == "None"
    assert headless["publishNotReadyAddresses"] is True
    assert resource("StatefulSet")["spec"]["serviceName"] == "plugwright-workers"
    expected = f"{POD['POD_NAME']}.plugwright-workers.{POD['POD_NAMESPACE']}.svc"
    assert worker_properties()["rest.advertised.host.name"] == expected


def test_kustomize_names_the_image_of_executors_too():
    """The variable that it replaces is the one that becomes their setting."""
    (replacement,) = one_file("kustomization.yaml")["replacements"]
    (target,) = replacement["targets"]
    container = worker_container()
    assert replacement["source"]["fieldPath"].endswith(f"[name={container['name']}].image")
    assert target["fieldPaths"][0].endswith("env.[name=PLUGWRIGHT_IMAGE].value")
    assert "PLUGWRIGHT_IMAGE" in [each["name"] for each in container["env"]]
    given = worker_properties()["spark.kubernetes.container.image"]
    assert given == POD["PLUGWRIGHT_IMAGE"]


def test_the_worker_has_time_to_stop():
    """Tasks, requests, and at least half a minute for Spark."""
    given = worker_properties()
    limits = ("task.shutdown.graceful.timeout.ms", "rest.shutdown.graceful.timeout.ms")
    needed = sum(int(given[each]) for each in limits) / 1000 + 30
    assert pod_of_worker()["spec"]["terminationGracePeriodSeconds"] >= needed


def test_probes_wait_longer_than_the_worker_takes_to_answer():
    """GET /health answers within ten seconds; GET /health/ready at once."""
    container = worker_container()
    for name in ("startupProbe", "livenessProbe"):
        assert container[name]["exec"]["command"] == ["probe.py", "/health"]
        assert container[name]["timeoutSeconds"] > 12
    assert container["readinessProbe"]["exec"]["command"] == ["probe.py", "/health/ready"]


def test_containers_have_no_more_rights_than_the_restricted_profile():
    """Of the pod security standards, for workers and executors; and they cannot write the image."""
    for pod in (pod_of_worker()["spec"], one_file("executor.yaml")["spec"]):
        context, (container,) = pod["securityContext"], pod["containers"]
        assert context["runAsNonRoot"] is True
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_every_file_that_the_settings_name_is_mounted():
    """Each is below a mount, and of the Secrets only that of connectors may be missing."""
    mounts = [each["mountPath"] for each in worker_container()["volumeMounts"]]
    named = {
        part.partition(":")[0]
        for value in worker_properties().values()
        for part in value.replace("${directory:", "").split(",")
        if part.startswith(CONFIGURATION)
    }
    secrets = [v["secret"] for v in pod_of_worker()["spec"]["volumes"] if "secret" in v]

    assert len(named) > 5
    assert [n for n in named if not any(f"{n}/".startswith(f"{m}/") for m in mounts)] == []
    needed = {each["secretName"] for each in secrets if not each.get("optional")}
    assert needed == MADE_BY_OPERATORS


def test_no_secret_is_in_the_manifests():
    """Operators make them; there is no object of that kind, and no setting with a value."""
    assert [each for each in ALL if each["kind"] == "Secret"] == []
    given = worker_properties()
    hidden = [k for k in given if k.endswith((".jaas.config", ".password", ".secret"))]
    assert hidden
    assert all(given[key].startswith("${directory:") for key in hidden)


def test_executors_cannot_talk_to_kubernetes():
    """Neither their account nor their pods have a token."""
    account = resource("ServiceAccount", "plugwright-executor")
    assert account["automountServiceAccountToken"] is False
    assert one_file("executor.yaml")["spec"]["automountServiceAccountToken"] is False
    (subject,) = resource("RoleBinding")["subjects"]
    assert subject["name"] == pod_of_worker()["spec"]["serviceAccountName"]
