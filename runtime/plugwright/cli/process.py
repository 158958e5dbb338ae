"""A worker process, from its properties to its REST API."""

from __future__ import annotations

import logging
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from plugwright.cli._settings import worker_misspellings
from plugwright.cli.extensions import rest_extensions
from plugwright.cli.starting import StartingLauncher
from plugwright.config import HiddenTexts
from plugwright.herder import (
    WORKER_CONFIG,
    ClusterConfig,
    GroupKafka,
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
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from plugwright.metrics import MetricsReporter
    from plugwright.plugins import Diagnostic
    from plugwright.rest import RestExtension
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
    prepared = _PreparedWorker.of(properties, hidden, distributed=distributed)
    with ExitStack() as stack:
        stack.enter_context(hold(prepared.plugins.locations))
        spark = stack.enter_context(StartingLauncher(prepared.settings.spark))
        hosts = stack.enter_context(closing(prepared.hosts()))
        worker = prepared.worker(hosts, spark)
        stack.callback(worker.close)
        herder = prepared.herder(worker)
        server = stack.enter_context(prepared.server(herder))
        stack.callback(herder.close)
        prepared.settings.require_offsets_topic()
        reporters = prepared.reporters(server.advertised_url)
        herder.start(server.advertised_url)
        stack.enter_context(Reporters(reporters, herder.figures))
        yield RunningWorker(herder, server.url, spark.lives)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PreparedWorker:
    """A worker of which all is known that can be wrong, before any part of it runs.

    Attributes:
        properties: its settings, with the values of config providers.
        settings: the same, parsed.
        herder_settings: those of the herder.
        extensions: of its REST API.
        hidden: the values of config providers.
        metrics: those of extensions and of plugins in this process.
    """

    properties: Mapping[str, str]
    plugins: Plugins
    settings: _ProcessSettings
    herder_settings: HerderSettings
    extensions: Sequence[RestExtension]
    hidden: HiddenTexts
    metrics: OwnPluginMetrics

    @classmethod
    def of(
        cls, properties: Mapping[str, str], hidden: HiddenTexts, *, distributed: bool
    ) -> _PreparedWorker:
        """Find the plugins, and read the settings; warns of settings that are not read.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
            DiscoveryError: see `discover_plugins`.
            SetupError: if Kafka does not answer.
        """
        unread = unread_settings(properties, distributed=distributed)
        for remark in (*worker_misspellings(properties), *unread):
            log.warning("%s", remark)
        plugins = discover_plugins(properties)
        resolved = resolved_properties(properties, plugins, hidden)
        settings = _ProcessSettings.parse(resolved, distributed=distributed)
        metrics = OwnPluginMetrics({})
        names = settings.rest.extension_classes
        return cls(
            properties=resolved,
            plugins=plugins,
            settings=settings,
            extensions=rest_extensions(names, resolved, plugins, metrics),
            herder_settings=settings.herder(settings.cluster_id(), hidden),
            hidden=hidden,
            metrics=metrics,
        )

    def hosts(self) -> PluginHosts:
        """The processes of isolated plugins."""
        config = self.settings.worker
        return PluginHosts(
            self.plugins,
            isolated=config.isolated,
            timeout_s=config.call_timeout_s,
            memory=config.memory_limit,
        )

    def worker(self, hosts: PluginHosts, spark: StartingLauncher) -> SparkWorker:
        """What runs connectors and tasks."""
        settings = self.settings
        return SparkWorker(
            settings.worker,
            hosts,
            spark,
            settings.offsets,
            hidden=self.hidden,
            metrics=self.metrics,
        )

    def herder(self, worker: SparkWorker) -> Herder:
        """A herder in memory, or one that shares its connectors with a group."""
        cluster, config = self.settings.cluster, self.settings.worker
        if cluster is None:
            return standalone_herder(worker, self.plugins, self.herder_settings)
        kafka = GroupKafka(config.bootstrap_servers, cluster, config.clients)
        return distributed_herder(worker, self.plugins, self.herder_settings, kafka)

    def server(self, herder: Herder) -> RestServer:
        """The REST API of a herder."""
        return RestServer(
            herder,
            self.settings.rest,
            extensions=self.extensions,
            metrics=herder.metrics,
            figures=herder.figures,
            plugins=self.plugins,
        )

    def reporters(self, advertised_url: str) -> Sequence[MetricsReporter]:
        """The metrics reporters that the settings name, configured."""
        labels = context_labels(self.properties, self.herder_settings.cluster_id)
        return metrics_reporters(self.properties, urlsplit(advertised_url).netloc, labels)


@dataclass(frozen=True, slots=True)
class _ProcessSettings:
    """All settings of a worker process, valid.

    Attributes:
        offsets: the file of a standalone worker's source offsets.
        cluster: settings that only a distributed worker has.
    """

    worker: WorkerConfig
    rest: RestSettings
    offsets: OffsetFile | None
    cluster: ClusterConfig | None

    @classmethod
    def parse(cls, properties: Mapping[str, str], *, distributed: bool) -> _ProcessSettings:
        """Parse the settings.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
        """
        worker = WorkerConfig.parse(properties, distributed=distributed)
        offsets = OffsetFile.of(worker)
        cluster = ClusterConfig.parse(properties) if distributed else None
        return cls(worker, RestSettings.parse(properties), offsets, cluster)

    def cluster_id(self) -> str:
        """The id of the Kafka cluster.

        Raises:
            SetupError: if Kafka does not answer.
        """
        return cluster_id(self.worker.bootstrap_servers, overrides=self.worker.clients.admin)

    def spark(self) -> AbstractContextManager[SparkLauncher]:
        """Runs Spark until the block ends."""
        return _opened_spark(self.worker, self.offsets)

    def herder(self, kafka_cluster_id: str, hidden: HiddenTexts) -> HerderSettings:
        """The settings of the herder."""
        return HerderSettings(
            kafka_cluster_id,
            shutdown_timeout_s=self.worker.shutdown_timeout_s,
            settle_timeout_s=0.0 if self.cluster else _REQUEST_S,
            topic_tracking=self.rest.topic_tracking,
            topic_tracking_reset=self.rest.topic_tracking_reset,
            hide=hidden.hide,
        )

    def require_offsets_topic(self) -> None:
        """Create or verify the topic of source offsets, if the worker is distributed.

        Raises:
            ConnectError: if the topic is missing and cannot be created, or is not compacted.
        """
        if self.cluster is not None:
            self.cluster.offsets.require(self.worker.bootstrap_servers, self.worker.clients.admin)


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
        launcher = SparkLauncher(
            session,
            budget=budget,
            offsets=offsets,
            shipments=shipments,
            tasks_per_process=config.tasks_per_process,
        )
        stack.callback(launcher.close)
        yield launcher
