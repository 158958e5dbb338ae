"""A worker process, from its properties to its REST API."""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from plugwright.cli._extensions import rest_extensions
from plugwright.cli._settings import worker_misspellings
from plugwright.cli._starting import StartingLauncher
from plugwright.config import HiddenTexts
from plugwright.herder import (
    WORKER_CONFIG,
    ClusterConfig,
    Herder,
    HerderSettings,
    OffsetFile,
    Reporters,
    SparkWorker,
    WorkerConfig,
    context_labels,
    distributed_herder,
    metrics_reporters,
    resolved_properties,
    standalone_herder,
    unread_settings,
)
from plugwright.hosts import PluginHosts
from plugwright.kafka import cluster_id
from plugwright.metrics import OwnPluginMetrics
from plugwright.plugins import DiagnosticLevel, DiscoveryMode, Plugins, hold
from plugwright.processes import forbid_core_dumps
from plugwright.rest import RestServer, RestSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from plugwright.plugins import Diagnostic
    from plugwright.spark import SparkLauncher

log = logging.getLogger("plugwright.worker")

_REQUEST_S = 90.0
_LINKS = "plugin.path.follow.symlinks"
_MISSING = "manifest-missing"
_LEVELS = {
    DiagnosticLevel.NOTE: logging.INFO,
    DiagnosticLevel.WARNING: logging.WARNING,
    DiagnosticLevel.ERROR: logging.ERROR,
}


@dataclass(frozen=True, slots=True)
class RunningWorker:
    """A worker whose REST API runs.

    Attributes:
        url: address of its REST API.
        lives: whether Spark is still running; without it the worker cannot run tasks.
    """

    herder: Herder
    url: str
    lives: Callable[[], bool]


def discover_plugins(properties: Mapping[str, str]) -> Plugins:
    """The plugins of ``plugin.path`` in the mode of ``plugin.discovery``.

    This is a worker's first step, as in Kafka Connect: in mode ``hybrid_fail`` a
    plugin without manifest stops the worker before it listens or joins a group.

    Raises:
        DiscoveryError: in mode ``hybrid_fail``, naming every plugin that lacks a manifest.
        ConfigError: if the mode or the value of ``plugin.path.follow.symlinks`` is unknown.
    """
    log.info("Scanning for plugin classes. This might take a moment ...")
    elements = [each.strip() for each in properties.get("plugin.path", "").split(",")]
    mode = DiscoveryMode.parse(properties.get("plugin.discovery", "hybrid_warn"))
    links = WORKER_CONFIG.parse_value(_LINKS, properties.get(_LINKS, "any"))
    found = [each for each in elements if each]
    plugins = Plugins.discover(found, mode, follow_symlinks=links)
    for diagnostic in plugins.diagnostics:
        log.log(_LEVELS[diagnostic.level], "%s", _log_text(diagnostic))
    return plugins


def _log_text(diagnostic: Diagnostic) -> str:
    """One line, or Kafka's lines about plugins without manifests; each is safe to print."""
    if diagnostic.code == _MISSING:
        return f"{diagnostic.message} {diagnostic.hint}"
    return str(diagnostic)


@contextmanager
def running_worker(
    properties: Mapping[str, str], *, distributed: bool, hidden: HiddenTexts | None = None
) -> Iterator[RunningWorker]:
    """Run a worker until the block ends, then stop it cleanly.

    The REST API starts first. It serves reading requests while Spark starts; requests that change
    something wait. The worker joins its group when Spark runs; ``/health`` reports that.

    Args:
        properties: the worker's settings.
        distributed: whether it is a member of a group.
        hidden: collects the values of config providers, which statuses and responses must not show.

    Raises:
        ConfigError: naming every setting that is missing or wrong.
        DiscoveryError: see `discover_plugins`.
        SetupError: if Kafka does not answer, or there is no Java.
        ConnectError: if the REST API cannot listen, the group rejects the worker, or
            Kafka rejects its login.
    """
    forbid_core_dumps()
    hidden = HiddenTexts() if hidden is None else hidden
    unread = unread_settings(properties, distributed=distributed)
    for remark in (*worker_misspellings(properties), *unread):
        log.warning("%s", remark)
    plugins = discover_plugins(properties)
    properties = resolved_properties(properties, plugins, hidden)
    config = WorkerConfig.parse(properties, distributed=distributed)
    offsets = OffsetFile.of(config)
    cluster = ClusterConfig.parse(properties) if distributed else None
    rest = RestSettings.parse(properties)
    metrics = OwnPluginMetrics({})
    extensions = rest_extensions(rest.extension_classes, properties, plugins, metrics)
    settings = HerderSettings(
        cluster_id(config.bootstrap_servers, overrides=config.clients.admin),
        shutdown_timeout_s=config.shutdown_timeout_s,
        settle_timeout_s=0.0 if distributed else _REQUEST_S,
        topic_tracking=rest.topic_tracking,
        topic_tracking_reset=rest.topic_tracking_reset,
        hide=hidden.hide,
    )
    with ExitStack() as stack:
        stack.enter_context(hold(plugins.locations))
        spark = stack.enter_context(StartingLauncher(partial(_opened_spark, config, offsets)))
        hosts = PluginHosts(
            plugins,
            isolated=config.isolated,
            timeout_s=config.call_timeout_s,
            memory=config.memory_limit,
        )
        stack.callback(hosts.close)
        worker = SparkWorker(config, hosts, spark, offsets, hidden=hidden, metrics=metrics)
        stack.callback(worker.close)
        herder = (
            standalone_herder(worker, plugins, settings)
            if cluster is None
            else distributed_herder(
                worker,
                plugins,
                settings,
                config.bootstrap_servers,
                cluster,
                clients=config.clients,
            )
        )
        server = RestServer(
            herder,
            rest,
            extensions=extensions,
            metrics=herder.metrics,
            figures=herder.figures,
            plugins=plugins,
        )
        stack.enter_context(server)
        stack.callback(herder.close)
        if cluster is not None:
            cluster.offsets.require(config.bootstrap_servers, config.clients.admin)
        labels = context_labels(properties, settings.cluster_id)
        worker_id = urlsplit(server.advertised_url).netloc
        reporters = metrics_reporters(properties, worker_id, labels)
        herder.start(server.advertised_url)
        stack.enter_context(Reporters(reporters, herder.figures))
        yield RunningWorker(herder, server.url, spark.lives)


@contextmanager
def _opened_spark(config: WorkerConfig, offsets: OffsetFile | None) -> Iterator[SparkLauncher]:
    """Run Spark until the block ends."""
    from plugwright.spark import (  # noqa: PLC0415  # an extra
        DEFAULT_MASTER,
        CrashBudget,
        Shipments,
        SparkLauncher,
        close_session,
        open_session,
        session_scratch,
    )

    spark = {k: v for k, v in config.originals.items() if k.startswith("spark.")}
    master = spark.pop("spark.master", DEFAULT_MASTER)
    budget = CrashBudget(
        config.crash_restarts,
        config.crash_window_s,
        config.crash_backoff_s,
        config.crash_backoff_max_s,
    )
    with ExitStack() as stack:
        session = open_session(f"connect {config.group_id}", master=master, settings=spark)
        stack.callback(close_session, session, session_scratch(session))
        shipments = Shipments.of(session, config.distribution)
        launcher = SparkLauncher(session, budget=budget, offsets=offsets, shipments=shipments)
        stack.callback(launcher.close)
        yield launcher
