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
from plugwright.herder._offsets_topic import OFFSETS_REPLICAS
from plugwright.herder._plugin_versions import ValidVersion, version_documentation
from plugwright.herder.internal_topics import COUNT
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
        documentation="Directories that contain plugins, or directories of such directories.",
    )
    .define(
        "plugin.discovery",
        ConfigType.STRING,
        default="hybrid_warn",
        importance=Importance.LOW,
        validator=CaseInsensitiveValidString.in_(*(mode.value for mode in DiscoveryMode)),
        documentation=(
            "Plugin discovery mode (KIP-898). "
            + " ".join(f"{mode.value}: {mode.documentation}." for mode in DiscoveryMode)
        ),
    )
    .define(
        "plugin.path.follow.symlinks",
        ConfigType.STRING,
        default="any",
        importance=Importance.LOW,
        validator=ValidString.in_("any", "inside"),
        documentation=(
            "Symbolic links in plugin.path to follow: all (any), or only those "
            "that stay inside the element of plugin.path that contains them (inside)."
        ),
    )
    .define(
        "plugin.isolation",
        ConfigType.STRING,
        default="process",
        importance=Importance.LOW,
        validator=CaseInsensitiveValidString.in_("process", "none"),
        documentation=(
            "Whether each plugin location runs in processes of its own (process), or all are "
            "imported into the worker's process (none)."
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
        documentation="Time-out of a call into a connector. "
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
            "Memory limit in megabytes for the data of each process that runs plugins: a task, "
            "the plugins around it, or the connectors of a location. Allocations beyond it "
            "fail. 0 for no limit. Effective on systems that enforce it, such as Linux."
        ),
    )
    .define(
        "task.startup.timeout.ms",
        ConfigType.LONG,
        default=300_000,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation=(
            "Time-out of each call into a task or its converters and transformations before "
            "the task runs; exceeding it fails the task. 0 for no limit."
        ),
    )
    .define(
        "offset.storage.topic",
        ConfigType.STRING,
        default="connect-offsets",
        importance=Importance.HIGH,
        documentation="Compacted topic that stores the offsets of source connectors.",
    )
    .define(
        "offset.storage.partitions",
        ConfigType.INT,
        default=25,
        validator=COUNT,
        importance=Importance.LOW,
        documentation="Partitions of the offsets topic if created; -1: the broker's default.",
    )
    .define(
        OFFSETS_REPLICAS,
        ConfigType.SHORT,
        default=None,
        validator=COUNT,
        importance=Importance.LOW,
        documentation="Replicas of the offsets topic if created; -1: the broker's default. "
        "If unset, 3 for a distributed worker, and the broker's default for a standalone one.",
    )
    .define(
        "offset.storage.file.filename",
        ConfigType.STRING,
        default="",
        importance=Importance.HIGH,
        documentation="File for the offsets of source connectors instead of a topic, in the "
        "format of Kafka Connect's standalone worker; a distributed worker ignores it.",
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
        documentation="Time-out of an offset commit, after which it is retried later.",
    )
    .define(
        "offset.flush.max.records",
        ConfigType.INT,
        default=0,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation="Maximum number of records that a sink task has put but not committed, "
        "and so puts again at most after a crash of its process; 0 for as many as arrive within "
        "offset.flush.interval.ms. Not a setting of Kafka Connect.",
    )
    .define(
        "task.shutdown.graceful.timeout.ms",
        ConfigType.LONG,
        default=5_000,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation="Time that the tasks of a connector may take to stop before they are killed.",
    )
    .define(
        "tasks.per.process",
        ConfigType.INT,
        default=1,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        documentation="Maximum number of tasks that share a process. They need less memory and "
        "fewer slots of Spark, but a crash takes all tasks of its process, which come back in "
        "two. A task that takes more than a quarter of a core is moved to a process of its own. "
        "Not a setting of Kafka Connect.",
    )
    .define(
        "task.crash.restarts.max",
        ConfigType.INT,
        default=10,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation=(
            "Number of crashes of its process within task.crash.window.ms after which a task is "
            "restarted; one more fails it until it is restarted by hand. Exceptions of a "
            "plugin are not crashes: they fail their task at once."
        ),
    )
    .define(
        "task.crash.window.ms",
        ConfigType.LONG,
        default=600_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        documentation="Time window of task.crash.restarts.max; older crashes do not count.",
    )
    .define(
        "task.crash.backoff.ms",
        ConfigType.LONG,
        default=1_000,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation=(
            "Delay of the second restart after crashes. The first restart has no delay, and "
            "each further one doubles it."
        ),
    )
    .define(
        "task.crash.backoff.max.ms",
        ConfigType.LONG,
        default=60_000,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation="Maximum delay of a restart after a crash.",
    )
    .define(
        "log.format",
        ConfigType.STRING,
        default="text",
        validator=CaseInsensitiveValidString.in_(*LOG_FORMATS),
        importance=Importance.LOW,
        documentation="Format of the log on standard error: as Kafka Connect writes it, "
        "with [connector|task-0] before a message (text), or one JSON object per line with "
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
        documentation="Policy for the Kafka client settings that a connector may "
        "override: All, None, Principal (those of its identity), Allowlist (those in "
        "connector.client.config.override.allowlist), or a plugin from plugin.path.",
    )
    .define(
        "topic.creation.enable",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether the topics of source connectors are created according to their "
        "topic.creation. settings.",
    )
    .define(
        "exactly.once.source.support",
        ConfigType.STRING,
        default="disabled",
        validator=CaseInsensitiveValidString.in_("disabled", "preparing", "enabled"),
        importance=Importance.HIGH,
        documentation="Whether source connectors deliver exactly once. To migrate a group of "
        "workers, restart it with preparing first, then with enabled.",
    )
)
"""Definition of the worker's settings."""
