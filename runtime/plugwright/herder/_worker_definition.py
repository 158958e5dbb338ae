"""The definition of a worker's settings, in Kafka Connect's names."""

from __future__ import annotations

from plugwright.config import (
    CaseInsensitiveValidString,
    ConfigDef,
    ConfigType,
    Importance,
    NonEmptyString,
    Range,
    ValidString,
)
from plugwright.herder._internal_topics import COUNT
from plugwright.herder._offsets_topic import OFFSETS_REPLICAS
from plugwright.herder._plugin_versions import ValidVersion, version_documentation
from plugwright.logs import LOG_FORMATS
from plugwright.plugins import DiscoveryMode

WORKER_CONFIG = (
    ConfigDef()
    .define(
        "bootstrap.servers",
        ConfigType.STRING,
        default="localhost:9092",
        importance=Importance.HIGH,
        documentation="Addresses of some of the Kafka brokers, host:port, separated by commas.",
    )
    .define(
        "key.converter",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Converter of record keys, unless a connector names its own.",
    )
    .define(
        "key.converter.plugin.version",
        ConfigType.STRING,
        default=None,
        importance=Importance.LOW,
        validator=ValidVersion(),
        documentation=version_documentation("key.converter"),
    )
    .define(
        "value.converter",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Converter of record values, unless a connector names its own.",
    )
    .define(
        "value.converter.plugin.version",
        ConfigType.STRING,
        default=None,
        importance=Importance.LOW,
        validator=ValidVersion(),
        documentation=version_documentation("value.converter"),
    )
    .define(
        "header.converter",
        ConfigType.STRING,
        default="SimpleHeaderConverter",
        importance=Importance.LOW,
        documentation="Converter of record headers, unless a connector names its own.",
    )
    .define(
        "header.converter.plugin.version",
        ConfigType.STRING,
        default=None,
        importance=Importance.LOW,
        validator=ValidVersion(),
        documentation=version_documentation("header.converter"),
    )
    .define(
        "plugin.path",
        ConfigType.LIST,
        default="",
        importance=Importance.LOW,
        documentation="Directories that hold plugins, or directories of such directories.",
    )
    .define(
        "plugin.discovery",
        ConfigType.STRING,
        default="hybrid_warn",
        importance=Importance.LOW,
        validator=CaseInsensitiveValidString.in_(*(mode.value for mode in DiscoveryMode)),
        documentation=(
            "How plugins are found (KIP-898). only_scan: by looking into the modules of "
            "plugin.path, whatever manifests say. hybrid_warn: by manifests and by looking; a "
            "warning names the plugins without manifest. hybrid_fail: the same, but the worker "
            "does not start if there are such plugins. service_load: by manifests alone, which is "
            "the fastest; plugins without manifest cannot be used."
        ),
    )
    .define(
        "plugin.path.follow.symlinks",
        ConfigType.STRING,
        default="any",
        importance=Importance.LOW,
        validator=ValidString.in_("any", "inside"),
        documentation=(
            "Which symbolic links in plugin.path are followed: to any place (any), or only those "
            "that stay inside the element of plugin.path that holds them (inside)."
        ),
    )
    .define(
        "plugin.isolation",
        ConfigType.STRING,
        default="process",
        importance=Importance.LOW,
        validator=CaseInsensitiveValidString.in_("process", "none"),
        documentation=(
            "Whether plugin locations get processes of their own (process), or are all imported "
            "into the worker's (none)."
        ),
    )
    .define(
        "plugin.distribution",
        ConfigType.STRING,
        default="auto",
        importance=Importance.LOW,
        validator=CaseInsensitiveValidString.in_("auto", "ship", "present"),
        documentation=(
            "How executors get plugin locations. ship: the worker sends each location, once for "
            "each content. present: every machine has plugin.path under the same path. auto: ship "
            "on a cluster, present where tasks run on the worker's machine. A master that runs "
            "executors in the worker's own process never needs them sent."
        ),
    )
    .define(
        "plugin.call.timeout.ms",
        ConfigType.LONG,
        default=60_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        documentation="How long a call into a connector may take before it counts as hanging. "
        "A call into a running task that takes as long is logged as a warning; a task whose "
        "process lets no thread run for that long is ended.",
    )
    .define(
        "plugin.memory.limit.mb",
        ConfigType.INT,
        default=2048,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation=(
            "How many megabytes of data each process may have that runs plugins: of a task, of "
            "what stands around it, or of the connectors of a location. Beyond that, allocations "
            "fail. 0 for as many as the system gives. Takes effect where the system counts them, "
            "as Linux does."
        ),
    )
    .define(
        "task.startup.timeout.ms",
        ConfigType.LONG,
        default=300_000,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation=(
            "How long a call into a task or its converters and transformations may take before "
            "the task runs; then the task has failed. 0 for as long as it likes."
        ),
    )
    .define(
        "offset.storage.topic",
        ConfigType.STRING,
        default="connect-offsets",
        importance=Importance.HIGH,
        documentation="Compacted topic that keeps the offsets of source connectors.",
    )
    .define(
        "offset.storage.partitions",
        ConfigType.INT,
        default=25,
        validator=COUNT,
        importance=Importance.LOW,
        documentation="Partitions of the offsets topic if it is made; -1: the broker's default.",
    )
    .define(
        OFFSETS_REPLICAS,
        ConfigType.SHORT,
        default=None,
        validator=COUNT,
        importance=Importance.LOW,
        documentation="Replicas of the offsets topic if it is made; -1: the broker's default. "
        "Without it 3 in a group of workers, and the broker's default for a worker alone.",
    )
    .define(
        "offset.storage.file.filename",
        ConfigType.STRING,
        default="",
        importance=Importance.HIGH,
        documentation="File that keeps the offsets of source connectors instead of a topic, in the "
        "form of Kafka Connect's standalone worker; a distributed worker does not read it.",
    )
    .define(
        "offset.flush.interval.ms",
        ConfigType.LONG,
        default=60_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        documentation="Time between the offset commits of a task.",
    )
    .define(
        "offset.flush.timeout.ms",
        ConfigType.LONG,
        default=5_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        documentation="How long an offset commit may take before it is tried again later.",
    )
    .define(
        "offset.flush.max.records",
        ConfigType.INT,
        default=0,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation="How many records a sink task may have put without having committed them, "
        "which is what a crash of its process puts again at most; 0 for as many as come within "
        "offset.flush.interval.ms. Not a setting of Kafka Connect.",
    )
    .define(
        "task.shutdown.graceful.timeout.ms",
        ConfigType.LONG,
        default=5_000,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation="How long the tasks of a connector may take to stop before they are killed.",
    )
    .define(
        "task.crash.restarts.max",
        ConfigType.INT,
        default=10,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation=(
            "How many crashes of its process within task.crash.window.ms a task is restarted "
            "after; with one more it has failed, until it is restarted by hand. Exceptions of a "
            "plugin are no crashes: they fail their task at once."
        ),
    )
    .define(
        "task.crash.window.ms",
        ConfigType.LONG,
        default=600_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        documentation="The time that task.crash.restarts.max is about; older crashes do not count.",
    )
    .define(
        "task.crash.backoff.ms",
        ConfigType.LONG,
        default=1_000,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation=(
            "How long the second restart after crashes waits. The first one comes at once, and "
            "each further one waits twice as long as the one before it."
        ),
    )
    .define(
        "task.crash.backoff.max.ms",
        ConfigType.LONG,
        default=60_000,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation="How long a restart after a crash waits at most.",
    )
    .define(
        "log.format",
        ConfigType.STRING,
        default="text",
        validator=CaseInsensitiveValidString.in_(*LOG_FORMATS),
        importance=Importance.LOW,
        documentation="How the worker writes its log to standard error: as Kafka Connect does, "
        "with [connector|task-0] before a message (text), or as one JSON object a line with "
        "timestamp, level, logger, connector, task, message and exception (json).",
    )
    .define(
        "group.id",
        ConfigType.STRING,
        default="plugwright",
        validator=NonEmptyString(),
        importance=Importance.HIGH,
        documentation="Name of the worker group; transactional ids of its tasks begin with it.",
    )
    .define(
        "connector.client.config.override.policy",
        ConfigType.STRING,
        default="All",
        validator=NonEmptyString(),
        importance=Importance.MEDIUM,
        documentation="The plugin that decides which settings of its Kafka clients a connector may "
        "override: All, None, Principal (those of its identity), Allowlist (those in "
        "connector.client.config.override.allowlist), or one from plugin.path.",
    )
    .define(
        "topic.creation.enable",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether the topics of source connectors are created as their "
        "topic.creation. settings define.",
    )
    .define(
        "exactly.once.source.support",
        ConfigType.STRING,
        default="disabled",
        validator=CaseInsensitiveValidString.in_("disabled", "preparing", "enabled"),
        importance=Importance.HIGH,
        documentation="Whether source connectors deliver exactly once. A group of workers that is "
        "to be moved over is restarted with preparing first, then with enabled.",
    )
)
"""Definition of the worker's settings."""
