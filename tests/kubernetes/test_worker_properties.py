"""The settings of the manifests are settings of a worker."""

from __future__ import annotations

from tests.docs.worker_settings import is_worker_setting
from tests.kubernetes.manifests import worker_properties

from plugwright.config import HiddenTexts
from plugwright.herder import ClusterConfig, WorkerConfig, resolved_properties, unread_settings
from plugwright.plugins import Plugins
from plugwright.rest import RestSettings

JAAS = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";'


def test_every_setting_is_one_that_a_worker_reads():
    """Also by the worker itself, which warns of others."""
    given = worker_properties()
    assert [key for key in given if not is_worker_setting(key)] == []
    assert list(unread_settings(given, distributed=True)) == []


def test_a_worker_takes_the_settings(tmp_path):
    """Parsed as at its start, with the Secrets that its pod mounts."""
    kafka = tmp_path / "kafka"
    kafka.mkdir()
    (tmp_path / "connectors").mkdir()
    (kafka / "jaas").write_text(JAAS)
    (kafka / "ca.pem").write_text("")
    given = worker_properties(str(tmp_path))

    found = resolved_properties(given, Plugins.service_load([]), HiddenTexts())
    worker = WorkerConfig.parse(found, distributed=True)
    rest = RestSettings.parse(found)

    assert found["sasl.jaas.config"] == JAAS
    assert worker.group_id == "connect"
    assert worker.clients.admin["sasl.jaas.config"] == JAAS
    assert worker.distribution == "present"
    assert ClusterConfig.parse(found).group_id == "connect"
    assert rest.advertised_host == "plugwright-0.plugwright-workers.plugwright.svc"
    assert rest.extension_classes == (given["rest.extension.classes"],)
